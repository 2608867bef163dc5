// Minimal files of each kind with valid first bytes, for tests of uploads.

const text = (value: string) => Buffer.from(value, 'latin1');

/** The first box of an ISO media file with these brands, `size` bytes in total. */
function video(major: string, compatible: string[], size = 256): Buffer {
  const boxBytes = 16 + compatible.length * 4;
  const head = Buffer.alloc(boxBytes);
  head.writeUInt32BE(boxBytes, 0);
  head.write(`ftyp${major}`, 4, 'latin1');
  head.write(compatible.join(''), 16, 'latin1');
  return Buffer.concat([head, Buffer.alloc(Math.max(0, size - boxBytes), 7)]);
}

/** The first entry of a ZIP file, with this name. */
function zipOf(entry: string): Buffer {
  const head = Buffer.alloc(30);
  text('PK\x03\x04\x14\0\x06\0\x08\0').copy(head);
  head.writeUInt16LE(entry.length, 26);
  return Buffer.concat([head, text(entry), Buffer.alloc(200, 3)]);
}

export const samples = {
  jpeg: Buffer.concat([text('\xff\xd8\xff\xe0\0\x10JFIF\0'), Buffer.alloc(200, 1), text('\xff\xd9')]),
  // a complete PNG with one transparent pixel
  png: Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
  mp4: video('isom', ['isom', 'iso2', 'avc1', 'mp41']),
  threeGpp: video('3gp5', ['3gp5', '3gp4']),
  pdf: text(
    '%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n',
  ),
  ole: Buffer.concat([text('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'), Buffer.alloc(600)]),
  docx: zipOf('[Content_Types].xml'),
  zip: zipOf('holiday.jpg'),
  text: Buffer.from('Grüße aus Köln\n'),
  video,
};

/** A form part with a small picture. */
export const pngPart = { name: 'file', fileName: 'dot.png', type: 'image/png', bytes: samples.png };

let pngs = 0;
/** The same image with a unique name, so that the gateway treats it as another file. */
export function anotherPng(): typeof pngPart {
  pngs += 1;
  return { ...pngPart, fileName: `dot-${pngs}.png` };
}

/** A file of exactly `size` bytes that starts with `sample`. */
export function padded(sample: Buffer, size: number): Buffer {
  return Buffer.concat([sample, Buffer.alloc(Math.max(0, size - sample.length), 32)]).subarray(0, size);
}

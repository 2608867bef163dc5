// File types: the bytes decide, and a declared type that contradicts them is rejected.
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../src/base/errors.ts';
import { cleanFileName, createTextCheck, decideKind } from '../../src/messaging/media/file-kind.ts';
import { fc } from '../harness/property.ts';
import { samples } from '../harness/sample-files.ts';

const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const xlsx = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

function outcome(bytes: Uint8Array, declared: string, name = 'file.bin'): string {
  try {
    const { kind, mimeType } = decideKind(bytes, declared, name);
    return `${kind} ${mimeType}`;
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
}

describe('bytes that match the declared type are accepted', () => {
  test.each([
    ['jpeg', 'image/jpeg', 'image image/jpeg'],
    ['jpeg', 'image/jpg', 'image image/jpeg'],
    ['png', 'image/png', 'image image/png'],
    ['mp4', 'video/mp4', 'video video/mp4'],
    ['threeGpp', 'video/3gpp', 'video video/3gpp'],
    ['pdf', 'application/pdf', 'document application/pdf'],
    ['pdf', 'Application/PDF; name=x', 'document application/pdf'],
    ['ole', 'application/msword', 'document application/msword'],
    ['ole', 'application/vnd.ms-excel', 'document application/vnd.ms-excel'],
    ['ole', 'application/vnd.ms-powerpoint', 'document application/vnd.ms-powerpoint'],
    ['docx', docx, `document ${docx}`],
    ['docx', xlsx, `document ${xlsx}`],
    ['text', 'text/plain; charset=utf-8', 'document text/plain'],
  ] as const)('%s as %s', (sample, declared, expected) => {
    expect(outcome(samples[sample], declared)).toBe(expected);
  });

  test('a video with brands of both families has its declared type', () => {
    const both = samples.video('3gp4', ['isom', '3gp4']);
    expect(outcome(both, 'video/mp4')).toBe('video video/mp4');
    expect(outcome(both, 'video/3gpp')).toBe('video video/3gpp');
    expect(outcome(both, '')).toBe('video video/3gpp');
  });
});

describe('rejects', () => {
  test.each([
    ['a PNG declared as JPEG', samples.png, 'image/jpeg'],
    ['a JPEG declared as PDF', samples.jpeg, 'application/pdf'],
    ['a PDF declared as text', samples.pdf, 'text/plain'],
    ['text declared as PDF', samples.text, 'application/pdf'],
    ['an Office file declared as PDF', samples.docx, 'application/pdf'],
    ['a .doc file declared as .docx', samples.ole, docx],
    ['a .docx file declared as .doc', samples.docx, 'application/msword'],
    ['an MP4 declared as 3GPP', samples.mp4, 'video/3gpp'],
    ['a video declared as audio', samples.mp4, 'audio/mp4'],
    ['a ZIP that is not an Office file', samples.zip, docx],
    ['a ZIP declared as a ZIP', samples.zip, 'application/zip'],
    ['a GIF', Buffer.from('GIF89a\x01\x00\x01\x00', 'latin1'), 'image/gif'],
    ['a WebP', Buffer.from('RIFF\x10\x00\x00\x00WEBPVP8 ', 'latin1'), 'image/webp'],
    ['HTML', Buffer.from('<!doctype html><script>alert(1)</script>'), 'text/html'],
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/svg+xml'],
    ['CSV', Buffer.from('a,b\n1,2\n'), 'text/csv'],
    ['QuickTime', samples.video('qt  ', ['qt  ']), 'video/mp4'],
    ['HEIC', samples.video('heic', ['mif1', 'heic']), 'video/mp4'],
    ['audio in an MP4', samples.video('M4A ', ['isom', 'mp42']), 'video/mp4'],
    [
      'a PDF that does not begin with its signature',
      Buffer.concat([Buffer.from('\0junk'), samples.pdf]),
      'application/pdf',
    ],
    ['text with a NUL', Buffer.from('abc\0def'), 'text/plain'],
    ['UTF-16 text', Buffer.from('\ufeffabc', 'utf16le'), 'text/plain'],
    ['Latin-1 text', Buffer.from('caf\xe9 au lait', 'latin1'), 'text/plain'],
    ['random bytes', Buffer.concat([Buffer.from([0, 1]), randomBytes(500)]), 'application/octet-stream'],
    ['an incomplete signature', samples.png.subarray(0, 10), 'image/png'],
  ])('%s', (_what, bytes, declared) => {
    expect(outcome(bytes, declared)).toBe('unsupported_media_type');
  });
});

describe('without a declared type', () => {
  test.each([
    ['jpeg', 'x', 'image image/jpeg'],
    ['pdf', 'x.bin', 'document application/pdf'],
    ['mp4', 'x', 'video video/mp4'],
    ['docx', 'Offer.DOCX', `document ${docx}`],
    ['ole', 'old.xls', 'document application/vnd.ms-excel'],
    ['text', 'notes.txt', 'document text/plain'],
    ['docx', 'offer', 'unsupported_media_type'],
    ['text', 'page.html', 'unsupported_media_type'],
    ['pdf', 'lies.txt', 'document application/pdf'],
  ] as const)('%s named %s', (sample, name, expected) => {
    expect(outcome(samples[sample], 'application/octet-stream', name)).toBe(expected);
  });
});

describe('text/plain, which a part without a Content-Type has, gives way to bytes and name that agree', () => {
  test.each([
    ['pdf', 'offer.pdf', 'document application/pdf'],
    ['jpeg', 'photo.JPG', 'image image/jpeg'],
    ['docx', 'offer.docx', `document ${docx}`],
    ['text', 'offer.csv', 'document text/plain'],
    ['pdf', 'offer.txt', 'unsupported_media_type'],
    ['pdf', 'offer', 'unsupported_media_type'],
    ['png', 'photo.jpg', 'unsupported_media_type'],
  ] as const)('%s named %s', (sample, name, expected) => {
    expect(outcome(samples[sample], 'text/plain', name)).toBe(expected);
  });
});

test('no bytes cause any other error', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 200 }),
      fc.constantFrom(...['', 'ftyp', '\xff\xd8\xff', 'PK\x03\x04', '\0\0\0\x20ftypisom']),
      fc.constantFrom('image/jpeg', 'video/mp4', docx, 'text/plain', '', '??;;'),
      (bytes, start, declared) => {
        outcome(Buffer.concat([Buffer.from(start, 'latin1'), bytes]), declared);
      },
    ),
  );
});

describe('text', () => {
  test('is recognised as UTF-8 in chunks of any size', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 7 }), (text, size) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: removes exactly these
        const bytes = Buffer.from(text.replace(/[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]/g, ''));
        const check = createTextCheck();
        for (let at = 0; at < bytes.length; at += size) {
          expect(check.isTextSoFar(bytes.subarray(at, at + size))).toBe(true);
        }
        expect(check.isTextAtEnd()).toBe(true);
      }),
    );
  });

  test('that ends within a character is rejected at its end', () => {
    const check = createTextCheck();
    expect(check.isTextSoFar(Buffer.from('€').subarray(0, 2))).toBe(true);
    expect(check.isTextAtEnd()).toBe(false);
  });
});

test.each([
  ['report.pdf', 'report.pdf'],
  ['C:\\Users\\me\\report.pdf', 'report.pdf'],
  ['../../etc/passwd', 'passwd'],
  ['предложение.pdf', 'предложение.pdf'],
  ['invoice\u202efdp.exe', 'invoicefdp.exe'],
  ['a\r\nSet-Cookie: x.pdf', 'aSet-Cookie: x.pdf'],
  ['..', ''],
  ['  ', ''],
  [`${'é'.repeat(300)}.pdf`, `${'é'.repeat(236)}.pdf`],
])('the file name %j is stored as %j', (given, stored) => {
  expect(cleanFileName(given)).toBe(stored);
});

// Media of the simulated platform: streamed uploads and their checks, ids bound to one number for 30 days.
import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { multipartReader } from '../../sandbox/cloud-api/multipart.ts';
import { numberId, startPlatform, token, wabaId } from './platform.ts';

let platform: Awaited<ReturnType<typeof startPlatform>>;
beforeAll(async () => {
  platform = await startPlatform();
  const components = (format: string) => [
    { type: 'HEADER', format },
    { type: 'BODY', text: 'See above.' },
  ];
  for (const format of ['IMAGE', 'DOCUMENT'])
    await platform.control.addTemplate({
      wabaId,
      name: format.toLowerCase(),
      components: components(format),
    });
});
afterAll(() => platform.close());

const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(5000, 1)]);
const pdf = Buffer.from('%PDF-1.7 and the rest');
const MB = 1024 * 1024;

function form(
  bytes: Buffer,
  type: string,
  fields: Record<string, string> = { messaging_product: 'whatsapp', type },
) {
  const data = new FormData();
  for (const [key, value] of Object.entries(fields)) data.set(key, value);
  data.set('file', new File([new Uint8Array(bytes)], 'a file.bin', { type }));
  return data;
}

const upload = (bytes: Buffer, type: string, fields?: Record<string, string>) =>
  platform.call('POST', `${numberId}/media`, form(bytes, type, fields));

const sendWith = (id: string, kind = 'image') =>
  platform.send('+919811112222', [{ type: 'header', parameters: [{ type: kind, [kind]: { id } }] }], {
    template: { name: kind },
  });

test('an upload gets a numeric id and can be read, downloaded with the token, sent and deleted', async () => {
  const { json, status } = await upload(png, 'image/png');
  expect(status).toBe(200);
  expect(json).toEqual({ id: expect.stringMatching(/^\d+$/) });
  const record = (await platform.call('GET', `${json.id}?phone_number_id=${numberId}`)).json;
  expect(record).toEqual({
    messaging_product: 'whatsapp',
    url: expect.stringContaining('http'),
    mime_type: 'image/png',
    sha256: createHash('sha256').update(png).digest('hex'),
    file_size: png.length,
    id: json.id,
  });
  const got = await fetch(record.url, { headers: { authorization: `Bearer ${token}` } });
  expect(Buffer.from(await got.arrayBuffer()).equals(png)).toBe(true);
  expect((await fetch(record.url)).status).toBe(401);
  // fetch always has one; node:http has none
  const options = { headers: { authorization: `Bearer ${token}` } };
  const anonymous = await new Promise((resolve) => {
    request(record.url, options, (response) =>
      resolve([response.statusCode, response.headers['content-type']]),
    ).end();
  });
  expect(anonymous).toEqual([400, 'text/html; charset=utf-8']);
  expect((await sendWith(json.id)).status).toBe(200);
  expect((await platform.call('DELETE', json.id)).json).toEqual({ success: true });
  expect((await platform.call('GET', json.id)).json.error).toMatchObject({ code: 100, error_subcode: 33 });
  expect((await sendWith(json.id)).json.error.code).toBe(131053);
});

test.each<
  [string, number, () => Promise<{ status: number; json: { error: { code: number; message: string } } }>]
>([
  ['a type the platform does not accept', 100, () => upload(png, 'image/gif')],
  ['no type at all', 100, () => upload(png, 'application/octet-stream', { messaging_product: 'whatsapp' })],
  ['an image over 5 MB', 131053, () => upload(Buffer.concat([png, Buffer.alloc(5 * MB)]), 'image/png')],
  ['bytes that are not of the type', 131053, () => upload(pdf, 'image/png')],
  ['an empty file', 131053, () => upload(Buffer.alloc(0), 'image/png')],
  ['no messaging_product', 100, () => upload(png, 'image/png', { type: 'image/png' })],
  [
    'no file',
    100,
    () => platform.call('POST', `${numberId}/media`, formOf({ messaging_product: 'whatsapp' })),
  ],
  ['a body that is not a form', 100, () => platform.call('POST', `${numberId}/media`, { file: 'x' })],
])('%s is rejected with %i', async (_what, code, act) => {
  const { status, json } = await act();
  expect({ status, code: json.error.code }).toEqual({ status: 400, code });
});

function formOf(fields: Record<string, string>) {
  const data = new FormData();
  for (const [key, value] of Object.entries(fields)) data.set(key, value);
  return data;
}

test('the type field is used if the part has no type', async () => {
  expect(
    (await upload(png, 'application/octet-stream', { messaging_product: 'whatsapp', type: 'image/png' }))
      .status,
  ).toBe(200);
});

test('an id is bound to the number that uploaded it', async () => {
  const { json } = await upload(png, 'image/png');
  const other = await platform.control.addNumber({ wabaId, displayPhoneNumber: '+1 555 010 0300' });
  expect((await platform.call('GET', `${json.id}?phone_number_id=${other.id}`)).json.error.code).toBe(100);
  const message = {
    messaging_product: 'whatsapp',
    to: '+919811112222',
    type: 'template',
    template: {
      name: 'image',
      language: { code: 'en_US' },
      components: [{ type: 'header', parameters: [{ type: 'image', image: { id: json.id } }] }],
    },
  };
  expect((await platform.call('POST', `${other.id}/messages`, message)).json.error.code).toBe(131053);
});

test('a document header accepts only a PDF', async () => {
  const good = await upload(pdf, 'application/pdf');
  const bad = await upload(Buffer.from('plain words'), 'text/plain');
  expect((await sendWith(good.json.id, 'document')).status).toBe(200);
  expect((await sendWith(bad.json.id, 'document')).json.error.code).toBe(131053);
});

test('an upload expires after 30 days, a download link after 5 minutes, by the sandbox’s clock', async () => {
  const { json } = await upload(png, 'image/png');
  const { url } = (await platform.call('GET', json.id)).json;
  await platform.control.advanceClock(6 * 60_000);
  expect((await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status).toBe(404);
  expect((await sendWith(json.id)).status).toBe(200);
  await platform.control.advanceClock(30 * 24 * 3_600_000);
  expect((await platform.call('GET', json.id)).json.error).toMatchObject({ code: 100, error_subcode: 33 });
  expect((await sendWith(json.id)).json.error.code).toBe(131053);
});

test('an upload of 100 MB is not held in memory', async () => {
  const before = process.memoryUsage();
  const part = Buffer.alloc(MB, 'a');
  const response = await new Promise<string>((resolve, reject) => {
    const req = request(
      `${platform.url}/v23.0/${numberId}/media`,
      {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'multipart/form-data; boundary=bbb' },
      },
      (res) => {
        res.setEncoding('utf8');
        let text = '';
        res.on('data', (more) => {
          text += more;
        });
        res.on('end', () => resolve(text));
      },
    );
    req.on('error', reject);
    req.write('--bbb\r\nContent-Disposition: form-data; name="messaging_product"\r\n\r\nwhatsapp\r\n');
    req.write(
      '--bbb\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\n',
    );
    let left = 100;
    const more = () => {
      while (left-- > 0) if (!req.write(part)) return void req.once('drain', more);
      req.end('\r\n--bbb--\r\n');
    };
    more();
  });
  expect(JSON.parse(response)).toEqual({ id: expect.any(String) });
  const media = (await platform.control.media()).at(-1);
  expect(media?.sizeBytes).toBe(100 * MB);
  const after = process.memoryUsage();
  expect(after.rss - before.rss).toBeLessThan(80 * MB);
});

test('a multipart body is parsed alike, whatever the sizes of its chunks', () => {
  const body = Buffer.from(
    '--X-1\r\nContent-Disposition: form-data; name="a"\r\n\r\none\r\n--X-1\r\n' +
      'Content-Disposition: form-data; name="file"; filename="f.bin"\r\nContent-Type: image/png; x=y\r\n\r\n' +
      '\r\n--X-\r\n--X-2\r\n\r\n--X-1--\r\n',
  );
  for (let size = 1; size <= body.length; size++) {
    const parts: string[] = [];
    const reader = multipartReader('X-1', (head) => {
      const bytes: Buffer[] = [];
      return {
        data: (chunk) => void bytes.push(Buffer.from(chunk)),
        end: () => void parts.push(`${head.name}|${head.fileName}|${head.mimeType}|${Buffer.concat(bytes)}`),
      };
    });
    for (let at = 0; at < body.length; at += size) reader.write(body.subarray(at, at + size));
    expect(reader.finished()).toBe(true);
    expect(parts).toEqual([
      'a|undefined|application/octet-stream|one',
      'file|f.bin|image/png|\r\n--X-\r\n--X-2\r\n',
    ]);
  }
});

// POST /v1/templates/media and /v1/media: what may come in, what is kept and how, what callers get back.
import { createHash, randomBytes } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type MediaGateway, openMediaGateway } from '../harness/media-gateway.ts';
import { padded, samples } from '../harness/sample-files.ts';

let gateway: MediaGateway;
let account = '';
beforeAll(async () => {
  gateway = await openMediaGateway();
  account = await gateway.account();
  await gateway.sender(account);
});
afterAll(() => gateway.close());

const MiB = 1024 * 1024;
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const pngPart = { name: 'file', fileName: 'dot.png', type: 'image/png', bytes: samples.png };
const nothingLeft = async (accountId: string) => {
  expect(await gateway.rows(accountId)).toEqual([]);
  expect((await gateway.filesOnDisk()).filter((path) => path.includes(accountId))).toEqual([]);
};
const fresh = async () => {
  const id = await gateway.account();
  await gateway.sender(id);
  return id;
};

describe('an upload', () => {
  test('answers the record, and the platform has the file under its mediaId', async () => {
    const { status, json } = await gateway.upload(account, pngPart);
    expect(json).toMatchObject({ success: true, message: expect.any(String) });
    expect(status).toBe(200);
    expect(json.data).toEqual({
      mediaId: expect.stringMatching(/^\d+$/),
      kind: 'image',
      fileName: 'dot.png',
      mimeType: 'image/png',
      size: samples.png.length,
      sha256: sha256(samples.png),
      createdAt: expect.stringMatching(/Z$/),
    });
    const atPlatform = (await gateway.control.media()).find(({ id }) => id === json.data.mediaId);
    expect(atPlatform).toMatchObject({ sha256: sha256(samples.png), mimeType: 'image/png' });
  });

  test.each([
    ['a JPEG', samples.jpeg, 'image/jpeg', 'image'],
    ['an MP4', samples.mp4, 'video/mp4', 'video'],
    ['a 3GPP video', samples.threeGpp, 'video/3gpp', 'video'],
    ['a PDF', samples.pdf, 'application/pdf', 'document'],
    ['a Word document', samples.ole, 'application/msword', 'document'],
    [
      'a newer Word document',
      samples.docx,
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      'document',
    ],
    ['plain text', samples.text, 'text/plain', 'document'],
  ])('of %s is taken as what it is', async (_what, bytes, type, kind) => {
    const { status, json } = await gateway.upload(account, { name: 'file', fileName: 'f', type, bytes });
    expect([status, json.data?.kind, json.data?.mimeType]).toEqual([200, kind, type]);
  });

  test('by an ordinary client’s FormData works, with any name', async () => {
    const form = new FormData();
    form.set(
      'file',
      new File([new Uint8Array(samples.pdf)], 'Angebot für Zoë "2026".pdf', { type: 'application/pdf' }),
    );
    const { json } = await gateway.call(account, 'POST', '/v1/templates/media', { body: form });
    expect(json.data.fileName).toBe('Angebot für Zoë "2026".pdf');
    const untyped = new FormData();
    untyped.set('file', new Blob([new Uint8Array(samples.pdf)]), 'offer.pdf');
    expect(
      (await gateway.call(account, 'POST', '/v1/templates/media', { body: untyped })).json.data.mimeType,
    ).toBe('application/pdf');
  });

  test('is never on disk in the clear', async () => {
    const marker = 'a sentence that must not be found on the disk\n';
    const bytes = Buffer.from(marker.repeat(40_000));
    const { json } = await gateway.upload(account, {
      name: 'file',
      fileName: 'n.txt',
      type: 'text/plain',
      bytes,
    });
    expect(json.success).toBe(true);
    for (const path of await gateway.filesOnDisk())
      expect((await readFile(path)).includes(marker)).toBe(false);
  });

  test('of the largest file allowed is taken, and memory does not grow with it', async () => {
    const size = 100 * MiB;
    const { request, answer, partHead } = gateway.begin(account);
    request.write(partHead('application/pdf'));
    request.write(samples.pdf);
    const block = randomBytes(MiB);
    let peak = 0;
    const before = process.memoryUsage().rss;
    for (let left = size - samples.pdf.length; left > 0; left -= block.length) {
      if (!request.write(left < block.length ? block.subarray(0, left) : block)) {
        await new Promise((resolve) => request.once('drain', resolve));
      }
      peak = Math.max(peak, process.memoryUsage().rss);
    }
    request.end('\r\n--form-boundary--\r\n');
    const { status, body } = (await answer) as { status: number; body: string };
    expect([status, JSON.parse(body).data?.size]).toEqual([200, size]);
    expect(peak - before).toBeLessThan(size * 0.8);
  }, 60_000);
});

describe('refused, and nothing remains', () => {
  const file = (bytes: Buffer, type: string, fileName: string | undefined = 'f.bin') => ({
    ...{ name: 'file', type, bytes, fileName },
  });

  test.each([
    ['an empty file', [file(Buffer.alloc(0), 'image/png')], 400, 'media_empty'],
    ['bytes that contradict the type', [file(samples.png, 'image/jpeg')], 415, 'unsupported_media_type'],
    ['an unlisted type', [file(Buffer.from('<svg/>'), 'image/svg+xml')], 415, 'unsupported_media_type'],
    [
      'text that stops being text',
      [file(Buffer.concat([Buffer.alloc(9000, 97), Buffer.from([0])]), 'text/plain')],
      415,
      'unsupported_media_type',
    ],
    [
      'text cut within a character',
      [file(Buffer.from('ab€').subarray(0, 4), 'text/plain')],
      415,
      'unsupported_media_type',
    ],
    ['an image over 5 MB', [file(padded(samples.png, 5 * MiB + 1), 'image/png')], 413, 'media_too_large'],
    ['a video over 16 MB', [file(padded(samples.mp4, 16 * MiB + 1), 'video/mp4')], 413, 'media_too_large'],
    ['no part at all', [], 400, 'invalid_request'],
    [
      'another part',
      [{ name: 'upload', fileName: 'f', type: 'image/png', bytes: samples.png }],
      400,
      'invalid_request',
    ],
    ['a field instead of a file', [{ name: 'file', bytes: 'text' }], 400, 'invalid_request'],
    [
      'a file without a name',
      [{ name: 'file', type: 'image/png', bytes: samples.png }],
      400,
      'invalid_request',
    ],
    ['a name of dots', [file(samples.png, 'image/png', '..')], 400, 'invalid_request'],
    ['a field before the file', [{ name: 'kind', bytes: 'image' }, pngPart], 400, 'invalid_request'],
    ['a field after the file', [pngPart, { name: 'kind', bytes: 'image' }], 400, 'invalid_request'],
    ['two files', [pngPart, pngPart], 400, 'invalid_request'],
  ] as const)('%s', async (_what, parts, status, code) => {
    const own = await fresh();
    const answer = await gateway.upload(own, ...parts);
    expect(answer.json).toMatchObject({ success: false, code, message: expect.any(String) });
    expect(answer.status).toBe(status);
    await nothingLeft(own);
  });

  test('exactly the limit is taken', async () => {
    const { status } = await gateway.upload(account, file(padded(samples.png, 5 * MiB), 'image/png'));
    expect(status).toBe(200);
  });

  test('a body that is no form, or a broken one', async () => {
    const own = await fresh();
    const send = (type: string, body: string) =>
      gateway.call(own, 'POST', '/v1/templates/media', { body, headers: { 'content-type': type } });
    expect((await send('application/json', '{}')).status).toBe(415);
    expect((await send('image/png', 'x')).status).toBe(415);
    expect((await send('multipart/form-data', 'x')).status).toBe(400);
    const whole = `--b\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\nContent-Type: application/pdf\r\n\r\n${samples.pdf}`;
    expect((await send('multipart/form-data; boundary=b', whole)).json.code).toBe('invalid_request');
    await nothingLeft(own);
  });

  test('an unknown query parameter', async () => {
    const { type, body } = { type: 'multipart/form-data; boundary=b', body: '--b--' };
    const init = { body, headers: { 'content-type': type } };
    const { status, json } = await gateway.call(account, 'POST', '/v1/templates/media?kind=image', init);
    expect([status, json.errors?.[0]?.path]).toEqual([400, 'kind']);
  });

  test('without a sender: 409', async () => {
    const own = await gateway.account();
    const { status, json } = await gateway.upload(own, pngPart);
    expect([status, json.code]).toEqual([409, 'sender_not_configured']);
    await nothingLeft(own);
  });

  test('too large is noticed while it streams, before the rest has come', async () => {
    const own = await fresh();
    const { request, answer, partHead } = gateway.begin(own);
    request.write(partHead('image/png'));
    request.write(padded(samples.png, 6 * MiB));
    expect(await answer).toMatchObject({ status: 413 });
    request.destroy();
    await vi.waitFor(() => nothingLeft(own));
  });

  test('a length over every limit is refused before a byte of it is read', async () => {
    const { request, answer } = gateway.begin(account, { 'content-length': String(200 * MiB) });
    request.flushHeaders();
    expect(await answer).toMatchObject({ status: 413 });
    request.destroy();
  });

  test('an upload that is cut off leaves nothing', async () => {
    const own = await fresh();
    const { request, answer, partHead } = gateway.begin(own);
    request.write(partHead('video/mp4'));
    request.write(padded(samples.mp4, 3 * MiB));
    await vi.waitFor(async () => expect(await gateway.rows(own)).toMatchObject([{ state: 'receiving' }]));
    request.destroy();
    expect(await answer).toBe('ECONNRESET');
    await vi.waitFor(() => nothingLeft(own));
    expect((await gateway.filesOnDisk()).filter((path) => path.includes('incoming'))).toEqual([]);
  });
});

describe('the platform', () => {
  test('that refuses: 502 with its words, and the file is gone', async () => {
    const own = await fresh();
    await gateway.control.addFault({ on: 'media', times: 1, code: 131053 });
    const { status, json } = await gateway.upload(own, pngPart);
    expect([status, json.code, json.provider.code]).toEqual([502, 'provider_rejected', 131053]);
    await nothingLeft(own);
  });

  test.each(['reset', 'close'] as const)(
    'that gives no answer (%s): 503, and the worker removes the file',
    async (does) => {
      const own = await fresh();
      await gateway.control.addFault({ on: 'media', times: 1, does });
      const { status, json, headers } = await gateway.upload(own, pngPart);
      expect([status, json.code]).toEqual([503, 'provider_unavailable']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await gateway.rows(own)).toMatchObject([{ state: 'removing' }]);
      expect((await gateway.call(own, 'GET', '/v1/media')).json.data.items).toEqual([]);
      await gateway.removeLeftovers();
      await nothingLeft(own);
    },
  );
});

describe('stored media', () => {
  test('are listed newest first, by cursor, and only to their account', async () => {
    const own = await fresh();
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1)
      ids.unshift((await gateway.upload(own, pngPart)).json.data.mediaId);
    const first = (await gateway.call(own, 'GET', '/v1/media?limit=3')).json.data;
    expect(first.items.map((item: { mediaId: string }) => item.mediaId)).toEqual(ids.slice(0, 3));
    const cursor = encodeURIComponent(first.pagination.nextCursor);
    const second = (await gateway.call(own, 'GET', `/v1/media?limit=3&cursor=${cursor}`)).json.data;
    expect(second.items.map((item: { mediaId: string }) => item.mediaId)).toEqual(ids.slice(3));
    expect(second.pagination).toEqual({ limit: 3, nextCursor: null });
    expect((await gateway.call(own, 'GET', '/v1/media?cursor=nonsense')).status).toBe(400);
    expect((await gateway.call(own, 'GET', '/v1/media?kind=image')).status).toBe(400);
    const other = await fresh();
    expect((await gateway.call(other, 'GET', '/v1/media')).json.data.items).toEqual([]);
  });

  test('come back as they went in, as an attachment that nothing runs', async () => {
    const bytes = padded(samples.pdf, 300_000);
    const part = { name: 'file', fileName: 'Grüße.pdf', type: 'application/pdf', bytes };
    const { mediaId } = (await gateway.upload(account, part)).json.data;
    const record = (await gateway.call(account, 'GET', `/v1/media/${mediaId}`)).json.data;
    expect(record).toMatchObject({ mediaId, size: bytes.length, fileName: 'Grüße.pdf' });
    const answer = await gateway.call(account, 'GET', `/v1/media/${mediaId}/content`);
    expect([answer.status, answer.bytes.equals(bytes)]).toEqual([200, true]);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': String(bytes.length),
      'content-disposition': `attachment; filename="Gr__e.pdf"; filename*=UTF-8''Gr%C3%BC%C3%9Fe.pdf`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
    });
  });

  test('of another account, or of no one, are 404', async () => {
    const { mediaId } = (await gateway.upload(account, pngPart)).json.data;
    const other = await fresh();
    for (const id of [mediaId, '1', 'no-such-id', '%00']) {
      for (const [method, path] of [
        ['GET', `/v1/media/${id}`],
        ['GET', `/v1/media/${id}/content`],
        ['DELETE', `/v1/media/${id}`],
      ] as const) {
        const { status, json } = await gateway.call(other, method, path);
        expect([path, status, json.code]).toEqual([path, 404, 'media_not_found']);
      }
    }
    expect((await gateway.call(account, 'GET', `/v1/media/${mediaId}`)).status).toBe(200);
  });

  test('that were altered on the disk are never delivered, not even in part', async () => {
    const own = await fresh();
    const part = {
      name: 'file',
      fileName: 'a.pdf',
      type: 'application/pdf',
      bytes: padded(samples.pdf, 500_000),
    };
    const { mediaId } = (await gateway.upload(own, part)).json.data;
    const [path] = (await gateway.filesOnDisk()).filter((one) => one.includes(own));
    if (!path) throw new Error('the object is on the disk');
    const sealed = await readFile(path);
    const last = sealed.length - 30;
    sealed[last] = (sealed[last] ?? 0) ^ 1;
    await writeFile(path, sealed);
    const answer = await gateway.call(own, 'GET', `/v1/media/${mediaId}/content`);
    expect([answer.status, answer.json?.code]).toEqual([500, 'media_damaged']);
    await rm(path);
    expect((await gateway.call(own, 'GET', `/v1/media/${mediaId}/content`)).json.code).toBe('media_damaged');
  });

  test('swapped on the disk between two records do not open', async () => {
    const own = await fresh();
    const bytes = [padded(samples.pdf, 1000), padded(samples.pdf, 1001)];
    const ids: string[] = [];
    for (const one of bytes) {
      const part = { name: 'file', fileName: 'a.pdf', type: 'application/pdf', bytes: one };
      ids.push((await gateway.upload(own, part)).json.data.mediaId);
    }
    const [first, second] = await gateway.rows(own);
    const pathOf = (key = '') => join(gateway.directory, 'objects', key);
    await writeFile(pathOf(first?.object_key), await readFile(pathOf(second?.object_key)));
    expect((await gateway.call(own, 'GET', `/v1/media/${ids[0]}/content`)).json.code).toBe('media_damaged');
    expect((await gateway.call(own, 'GET', `/v1/media/${ids[1]}/content`)).status).toBe(200);
  });
});

describe('removal', () => {
  test('takes the file from callers, the disk and the platform', async () => {
    const own = await fresh();
    const { mediaId } = (await gateway.upload(own, pngPart)).json.data;
    const { status, json } = await gateway.call(own, 'DELETE', `/v1/media/${mediaId}`);
    expect([status, json.data]).toEqual([200, { mediaId }]);
    await nothingLeft(own);
    expect((await gateway.control.media()).some(({ id }) => id === mediaId)).toBe(false);
    expect((await gateway.call(own, 'DELETE', `/v1/media/${mediaId}`)).status).toBe(404);
  });

  test('is refused while queued or dispatching messages need it: 409 media_in_use', async () => {
    const own = await fresh();
    const { mediaId } = (await gateway.upload(own, pngPart)).json.data;
    const [row] = await gateway.rows(own);
    const remove = () => gateway.call(own, 'DELETE', `/v1/media/${mediaId}`);
    const message = await gateway.insertMessage(own, row?.id ?? '', 0);
    expect((await remove()).json.code).toBe('media_in_use');
    await sql`update messages set state = 1 where id = ${message}`.execute(gateway.db);
    expect((await remove()).status).toBe(409);
    await sql`update messages set state = 3, due_at = null where id = ${message}`.execute(gateway.db);
    expect((await remove()).status).toBe(200);
  });
});

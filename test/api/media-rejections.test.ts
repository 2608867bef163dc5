// POST /v1/templates/media: rejected uploads, of which nothing remains.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readdir, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openFilesystemStore } from '../../src/adapters/filesystem/object-store.ts';
import { type MediaGateway, openMediaGateway } from '../harness/media-gateway.ts';
import { padded, pngPart, samples } from '../harness/sample-files.ts';
import { mountSmallDisk } from '../harness/small-disk.ts';
import { until } from '../harness/until.ts';

let gateway: MediaGateway;
let account = '';
beforeAll(async () => {
  gateway = await openMediaGateway();
  account = await gateway.accountWithSender();
});
afterAll(() => gateway.close());

const MiB = 1024 * 1024;
const nothingLeft = (accountId: string) => gateway.nothingLeft(accountId);
const fresh = () => gateway.accountWithSender();

describe('an invalid upload is rejected and leaves nothing', () => {
  const file = (bytes: Buffer, type: string, fileName: string | undefined = 'f.bin') => ({
    ...{ name: 'file', type, bytes, fileName },
  });

  test.each([
    ['an empty file', [file(Buffer.alloc(0), 'image/png')], 400, 'media_empty'],
    ['bytes that contradict the type', [file(samples.png, 'image/jpeg')], 415, 'unsupported_media_type'],
    ['an unlisted type', [file(Buffer.from('<svg/>'), 'image/svg+xml')], 415, 'unsupported_media_type'],
    [
      'text with binary content after the first bytes',
      [file(Buffer.concat([Buffer.alloc(9000, 97), Buffer.from([0])]), 'text/plain')],
      415,
      'unsupported_media_type',
    ],
    [
      'text that ends within a character',
      [file(Buffer.from('ab€').subarray(0, 4), 'text/plain')],
      415,
      'unsupported_media_type',
    ],
    ['an image over 5 MB', [file(padded(samples.png, 5 * MiB + 1), 'image/png')], 413, 'media_too_large'],
    ['a video over 16 MB', [file(padded(samples.mp4, 16 * MiB + 1), 'video/mp4')], 413, 'media_too_large'],
    ['a form without parts', [], 400, 'invalid_request'],
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
    ['a file name of dots', [file(samples.png, 'image/png', '..')], 400, 'invalid_request'],
    ['a field before the file', [{ name: 'kind', bytes: 'image' }, pngPart], 400, 'invalid_request'],
    ['a field after the file', [pngPart, { name: 'kind', bytes: 'image' }], 400, 'invalid_request'],
    ['two files', [pngPart, pngPart], 400, 'invalid_request'],
  ] as const)('%s', async (_what, parts, status, code) => {
    const own = await fresh();
    const response = await gateway.upload(own, ...parts);
    expect(response.json).toMatchObject({ success: false, code, message: expect.any(String) });
    expect(response.status).toBe(status);
    await nothingLeft(own);
  });

  test('accepts a file of exactly the limit', async () => {
    const { status } = await gateway.upload(account, file(padded(samples.png, 5 * MiB), 'image/png'));
    expect(status).toBe(200);
  });

  test('returns 415 for a body that is not a form, and 400 for an incomplete form', async () => {
    const own = await fresh();
    const types =
      /image\/png.*video\/mp4.*application\/pdf.*application\/vnd\.ms-excel.*header.*only application\/pdf/;
    const send = (type: string, body: string) =>
      gateway.call(own, 'POST', '/v1/templates/media', { body, headers: { 'content-type': type } });
    for (const type of ['application/json', 'image/png', 'application/vnd.ms-excel']) {
      const { status, json } = await send(type, '{}');
      expect([status, json.code, json.message]).toEqual([
        415,
        'unsupported_media_type',
        expect.stringMatching(types),
      ]);
    }
    const sheet = file(Buffer.from('phone,1\n'), 'application/vnd.ms-excel', 'list.csv');
    const { json } = await gateway.upload(own, sheet);
    expect([json.code, json.message]).toEqual(['unsupported_media_type', expect.stringMatching(types)]);
    expect((await send('multipart/form-data', 'x')).status).toBe(400);
    const whole = `--b\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\nContent-Type: application/pdf\r\n\r\n${samples.pdf}`;
    expect((await send('multipart/form-data; boundary=b', whole)).json.code).toBe('invalid_request');
    await nothingLeft(own);
  });

  test('returns 400 for an unknown query parameter', async () => {
    const { type, body } = { type: 'multipart/form-data; boundary=b', body: '--b--' };
    const init = { body, headers: { 'content-type': type } };
    const { status, json } = await gateway.call(account, 'POST', '/v1/templates/media?kind=image', init);
    expect([status, json.errors?.[0]?.path]).toEqual([400, 'kind']);
  });

  test('returns 409 for an account without a sender', async () => {
    const own = await gateway.account();
    const { status, json } = await gateway.upload(own, pngPart);
    expect([status, json.code]).toEqual([409, 'sender_not_configured']);
    await nothingLeft(own);
  });

  test('returns 413 for a file that is too large before all of it has arrived', async () => {
    const own = await fresh();
    const { request, answer, partHead } = gateway.begin(own);
    request.write(partHead('image/png'));
    request.write(padded(samples.png, 6 * MiB));
    expect(await answer).toMatchObject({ status: 413 });
    request.destroy();
    await until(() => nothingLeft(own));
  });

  test('returns 413 for a Content-Length over every limit without reading the body', async () => {
    const { request, answer } = gateway.begin(account, { 'content-length': String(200 * MiB) });
    request.flushHeaders();
    expect(await answer).toMatchObject({ status: 413 });
    request.destroy();
  });

  test('stops parsing a rejected upload while it discards the rest', async () => {
    let consumers = () => -1;
    const seen = (message: unknown) => {
      const { request } = message as { request: IncomingMessage };
      consumers = () => request.listenerCount('data');
    };
    subscribe('http.server.request.start', seen);
    const { request, answer } = gateway.begin(account);
    const field = '--form-boundary\r\nContent-Disposition: form-data; name="kind"\r\n\r\nimage\r\n';
    request.write(field.repeat(2));
    expect(await answer).toMatchObject({ status: 400 });
    unsubscribe('http.server.request.start', seen);
    expect(consumers()).toBe(1);
    request.destroy();
  });

  test('leaves nothing of an interrupted upload', async () => {
    const own = await fresh();
    const { request, answer, partHead } = gateway.begin(own);
    request.write(partHead('video/mp4'));
    request.write(padded(samples.mp4, 3 * MiB));
    await until(async () => expect(await gateway.rows(own)).toMatchObject([{ state: 'receiving' }]));
    request.destroy();
    expect(await answer).toBe('ECONNRESET');
    await until(() => nothingLeft(own));
    await until(async () => expect((await gateway.filesOnDisk()).join()).not.toContain('incoming'));
  });
});

const disk = mountSmallDisk(3);
afterAll(() => disk?.close());
if (!disk) test('a full disk NOT TESTED: this user may not mount one', () => expect(disk).toBeUndefined());
else
  test('a full disk returns 507 with advice and leaves nothing; the upload succeeds when there is space again', async () => {
    const { deps } = gateway;
    const kept = deps.objects;
    deps.objects = await openFilesystemStore({ directory: disk.folder, clock: deps.clock });
    try {
      const [first, second] = [await fresh(), await fresh()];
      const large = { ...pngPart, bytes: padded(samples.png, 2 * MiB) };
      const accepted = await gateway.upload(first, large);
      const rejected = await gateway.upload(second, large);
      expect([accepted.status, rejected.status, rejected.json.code]).toEqual([200, 507, 'storage_full']);
      expect(rejected.headers.get('retry-after')).toBe('30');
      expect(rejected.json.message).toMatch(/Free or add space/);
      await nothingLeft(second);
      expect(await readdir(join(disk.folder, 'incoming'))).toEqual([]);
      // the operator frees space: the file of a deleted record stays for a day
      await rm(join(disk.folder, 'objects'), { recursive: true, force: true });
      expect((await gateway.upload(second, large)).status).toBe(200);
    } finally {
      deps.objects = kept;
    }
  });

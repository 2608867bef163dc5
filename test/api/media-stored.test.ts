// /v1/media: listing, downloading and removing stored files.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type MediaGateway, openMediaGateway } from '../harness/media-gateway.ts';
import { anotherPng, padded, samples } from '../harness/sample-files.ts';

let gateway: MediaGateway;
let account = '';
beforeAll(async () => {
  gateway = await openMediaGateway();
  account = await gateway.accountWithSender();
});
afterAll(() => gateway.close());

const nothingLeft = (accountId: string) => gateway.nothingLeft(accountId);
const fresh = () => gateway.accountWithSender();

describe('stored media', () => {
  test('are listed newest first, in pages, and only in their account', async () => {
    const own = await fresh();
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1)
      ids.unshift((await gateway.upload(own, anotherPng())).json.data.mediaId);
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

  test('are returned unchanged, as an attachment that browsers do not execute', async () => {
    const bytes = padded(samples.pdf, 300_000);
    const part = { name: 'file', fileName: 'Grüße.pdf', type: 'application/pdf', bytes };
    const { mediaId } = (await gateway.upload(account, part)).json.data;
    const record = (await gateway.call(account, 'GET', `/v1/media/${mediaId}`)).json.data;
    expect(record).toMatchObject({ mediaId, size: bytes.length, fileName: 'Grüße.pdf' });
    const response = await gateway.call(account, 'GET', `/v1/media/${mediaId}/content`);
    expect([response.status, response.bytes.equals(bytes)]).toEqual([200, true]);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': String(bytes.length),
      'content-disposition': `attachment; filename="Gr__e.pdf"; filename*=UTF-8''Gr%C3%BC%C3%9Fe.pdf`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
    });
  });

  test('of another account, and unknown ones, are 404', async () => {
    const { mediaId } = (await gateway.upload(account, anotherPng())).json.data;
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

  test('that were altered on disk return 500 media_damaged and no content', async () => {
    const own = await fresh();
    const part = {
      name: 'file',
      fileName: 'a.pdf',
      type: 'application/pdf',
      bytes: padded(samples.pdf, 500_000),
    };
    const { mediaId } = (await gateway.upload(own, part)).json.data;
    const [path] = (await gateway.filesOnDisk()).filter((one) => one.includes(own));
    if (!path) throw new Error('The object is not on disk.');
    const encrypted = await readFile(path);
    const last = encrypted.length - 30;
    encrypted[last] = (encrypted[last] ?? 0) ^ 1;
    await writeFile(path, encrypted);
    const response = await gateway.call(own, 'GET', `/v1/media/${mediaId}/content`);
    expect([response.status, response.json?.code]).toEqual([500, 'media_damaged']);
    await rm(path);
    expect((await gateway.call(own, 'GET', `/v1/media/${mediaId}/content`)).json.code).toBe('media_damaged');
  });

  test('that were swapped on disk return media_damaged', async () => {
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

describe('removing a file', () => {
  test('removes it from lists and the platform immediately, and from the disk a day later', async () => {
    const own = await fresh();
    const { mediaId } = (await gateway.upload(own, anotherPng())).json.data;
    const { status, json } = await gateway.call(own, 'DELETE', `/v1/media/${mediaId}`);
    expect([status, json.data]).toEqual([200, { mediaId }]);
    expect((await gateway.call(own, 'GET', '/v1/media')).json.data.items).toEqual([]);
    expect((await gateway.control.media()).some(({ id }) => id === mediaId)).toBe(false);
    expect((await gateway.call(own, 'DELETE', `/v1/media/${mediaId}`)).status).toBe(404);
    // a backup that began before may still name it
    await sql`
      update media set due_at = due_at - interval '86395 seconds' where account_id = ${own}`.execute(
      gateway.db,
    );
    await gateway.removeLeftovers();
    const ownFiles = (await gateway.filesOnDisk()).filter((path) => path.includes(own));
    expect(ownFiles).toHaveLength(1);
    await gateway.removeDayLater();
    await nothingLeft(own);
  });

  test('returns 409 media_in_use while queued or dispatching messages need it', async () => {
    const own = await fresh();
    const { mediaId } = (await gateway.upload(own, anotherPng())).json.data;
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

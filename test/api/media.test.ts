// POST /v1/templates/media: accepted uploads, their storage, and their registration at the platform.
import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formOf, type MediaGateway, openMediaGateway } from '../harness/media-gateway.ts';
import { anotherPng, pngPart, samples } from '../harness/sample-files.ts';

let gateway: MediaGateway;
let account = '';
beforeAll(async () => {
  gateway = await openMediaGateway();
  account = await gateway.accountWithSender();
});
afterAll(() => gateway.close());

const MiB = 1024 * 1024;
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const nothingLeft = (accountId: string) => gateway.nothingLeft(accountId);
const fresh = () => gateway.accountWithSender();

describe('the sender that registers an upload', () => {
  const registeredBy = async (accountId: string, mediaId: string) => {
    const { rows } = await sql<{ sender_id: string }>`
      select r.sender_id from media_registrations r join media m on m.id = r.media_id
      where m.account_id = ${accountId} and m.public_id = ${mediaId}`.execute(gateway.db);
    return rows.map((row) => row.sender_id);
  };
  const named = (senderId: string) => ({ name: 'senderId', bytes: senderId });
  const uploadBy = (accountId: string, senderId: string) => {
    const { type, body } = formOf([anotherPng()]);
    const init = { body: new Uint8Array(body), headers: { 'content-type': type } };
    return gateway.call(accountId, 'POST', `/v1/templates/media?senderId=${senderId}`, init);
  };
  const makeUnreachable = async (senderId: string) =>
    sql`update senders set api_url = 'http://127.0.0.1:1' where id = ${senderId}`.execute(gateway.db);

  test('is the default sender, or the one given in the query or the form', async () => {
    const own = await gateway.account();
    const { id: first } = await gateway.sender(own);
    const { id: second } = await gateway.sender(own);
    const responses = [
      await gateway.upload(own, anotherPng()),
      await uploadBy(own, second),
      await gateway.upload(own, named(second), anotherPng()),
    ];
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    const used = await Promise.all(responses.map(({ json }) => registeredBy(own, json.data.mediaId)));
    expect(used).toEqual([[first], [second], [second]]);
  });

  test('must belong to the account and come before the file in the form', async () => {
    const own = await fresh();
    const { id: foreign } = await gateway.sender(account);
    expect((await uploadBy(own, foreign)).json.code).toBe('sender_not_found');
    expect((await gateway.upload(own, named('x'), anotherPng())).json.code).toBe('sender_not_found');
    const late = await gateway.upload(own, anotherPng(), named(foreign));
    expect([late.status, late.json.errors[0].path]).toEqual([400, 'senderId']);
    await nothingLeft(own);
  });

  test('is another sender of the account while the chosen one is unreachable, halted or without a valid token', async () => {
    const own = await gateway.account();
    const { id: first } = await gateway.sender(own);
    const { id: second } = await gateway.sender(own);
    const upload = async () =>
      registeredBy(own, (await gateway.upload(own, anotherPng())).json.data?.mediaId ?? '');
    await makeUnreachable(first);
    expect(await upload()).toEqual([second]);
    const named = await uploadBy(own, first);
    expect(await registeredBy(own, named.json.data.mediaId)).toEqual([second]);
    await sql`update senders set api_url = null, halted_at = now() where id = ${first}`.execute(gateway.db);
    expect(await upload()).toEqual([second]);
    await sql`update senders set halted_at = null where id = ${first}`.execute(gateway.db);
    await gateway.control.addFault({ on: 'media', code: 190, times: 1 });
    expect(await upload()).toEqual([second]);
    expect(await upload()).toEqual([first]);
  });

  test('is not replaced when the file is rejected; with all senders unreachable returns 503', async () => {
    const own = await gateway.account();
    const { id: first } = await gateway.sender(own);
    const { id: second } = await gateway.sender(own);
    await gateway.control.addFault({ on: 'media', code: 131053, times: 1 });
    const rejected = await gateway.upload(own, anotherPng());
    expect([rejected.status, rejected.json.provider.code]).toEqual([502, 131053]);
    await makeUnreachable(first);
    await makeUnreachable(second);
    const unavailable = await gateway.upload(own, anotherPng());
    expect([unavailable.status, unavailable.json.code]).toEqual([503, 'provider_unavailable']);
    await gateway.removeLeftovers();
    await nothingLeft(own);
  });
});

describe('an upload', () => {
  test('returns the record, and the platform has the file under its mediaId', async () => {
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
      'a .docx document',
      samples.docx,
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      'document',
    ],
    ['plain text', samples.text, 'text/plain', 'document'],
  ])('of %s is stored with its kind and type', async (_what, bytes, type, kind) => {
    const { status, json } = await gateway.upload(account, { name: 'file', fileName: 'f', type, bytes });
    expect([status, json.data?.kind, json.data?.mimeType]).toEqual([200, kind, type]);
  });

  test('with FormData of a standard client keeps any file name', async () => {
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

  test('without a Content-Type has the type that its bytes and its name show', async () => {
    const upload = async (fileName: string) =>
      (await gateway.upload(account, { name: 'file', fileName, bytes: samples.pdf })).json;
    expect((await upload('untyped.pdf')).data?.mimeType).toBe('application/pdf');
    expect((await upload('untyped.txt')).code).toBe('unsupported_media_type');
  });

  test('is never stored unencrypted on disk', async () => {
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

  test('of the largest allowed file succeeds without memory growing with it', async () => {
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

describe('an upload that the platform', () => {
  test('rejects returns 502 with its explanation, and removes the file', async () => {
    const own = await fresh();
    await gateway.control.addFault({ on: 'media', times: 1, code: 131053 });
    const { status, json } = await gateway.upload(own, pngPart);
    expect([status, json.code, json.provider.code]).toEqual([502, 'provider_rejected', 131053]);
    await nothingLeft(own);
  });

  test.each(['reset', 'close'] as const)(
    'does not respond to (%s) returns 503, and the worker removes the file',
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

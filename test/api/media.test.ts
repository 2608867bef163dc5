// POST /v1/templates/media: what is taken, how it is kept, and what the platform makes of it.
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

describe('the number that registers an upload', () => {
  const hosts = async (accountId: string, mediaId: string) => {
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
  const closed = async (senderId: string) =>
    sql`update senders set api_url = 'http://127.0.0.1:1' where id = ${senderId}`.execute(gateway.db);

  test('is the default one, or the one that the query or the form names', async () => {
    const own = await gateway.account();
    const { id: first } = await gateway.sender(own);
    const { id: second } = await gateway.sender(own);
    const answers = [
      await gateway.upload(own, anotherPng()),
      await uploadBy(own, second),
      await gateway.upload(own, named(second), anotherPng()),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const used = await Promise.all(answers.map(({ json }) => hosts(own, json.data.mediaId)));
    expect(used).toEqual([[first], [second], [second]]);
  });

  test('must be the account’s own, named once, before the file', async () => {
    const own = await fresh();
    const { id: foreign } = await gateway.sender(account);
    expect((await uploadBy(own, foreign)).json.code).toBe('sender_not_found');
    expect((await gateway.upload(own, named('x'), anotherPng())).json.code).toBe('sender_not_found');
    const late = await gateway.upload(own, anotherPng(), named(foreign));
    expect([late.status, late.json.errors[0].path]).toEqual([400, 'senderId']);
    await nothingLeft(own);
  });

  test('is another one of the account while it is unreachable, halted or without a valid token', async () => {
    const own = await gateway.account();
    const { id: first } = await gateway.sender(own);
    const { id: second } = await gateway.sender(own);
    const upload = async () => hosts(own, (await gateway.upload(own, anotherPng())).json.data?.mediaId ?? '');
    await closed(first);
    expect(await upload()).toEqual([second]);
    const named = await uploadBy(own, first);
    expect(await hosts(own, named.json.data.mediaId)).toEqual([second]);
    await sql`update senders set api_url = null, halted_at = now() where id = ${first}`.execute(gateway.db);
    expect(await upload()).toEqual([second]);
    await sql`update senders set halted_at = null where id = ${first}`.execute(gateway.db);
    await gateway.control.addFault({ on: 'media', code: 190, times: 1 });
    expect(await upload()).toEqual([second]);
    expect(await upload()).toEqual([first]);
  });

  test('is not replaced where the file itself is rejected, nor is a dead address tried twice', async () => {
    const own = await gateway.account();
    const { id: first } = await gateway.sender(own);
    const { id: second } = await gateway.sender(own);
    await gateway.control.addFault({ on: 'media', code: 131053, times: 1 });
    const refused = await gateway.upload(own, anotherPng());
    expect([refused.status, refused.json.provider.code]).toEqual([502, 131053]);
    await closed(first);
    await closed(second);
    const away = await gateway.upload(own, anotherPng());
    expect([away.status, away.json.code]).toEqual([503, 'provider_unavailable']);
    await gateway.removeLeftovers();
    await nothingLeft(own);
  });
});

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

describe('the platform', () => {
  test('returns 502 with the platform’s explanation when it rejects the file, and removes the file', async () => {
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

// Repeated uploads, with the same Idempotency-Key or the same file within a day, and the removal of interrupted uploads.
import { createHash, randomUUID } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { VendorError } from '../../src/base/errors.ts';
import { lockFileIdentity } from '../../src/messaging/media/duplicates-store.ts';
import { registerLeaseSeconds } from '../../src/messaging/media/register.ts';
import { deleteMedia, removeLeftovers } from '../../src/messaging/media/remove.ts';
import { formOf, type MediaGateway, openMediaGateway, type Part } from '../harness/media-gateway.ts';
import { padded, pngPart, samples } from '../harness/sample-files.ts';

let gateway: MediaGateway;
beforeAll(async () => {
  gateway = await openMediaGateway();
});
afterAll(() => gateway.close());

const fresh = () => gateway.accountWithSender();
const pdf = (bytes: Buffer = samples.pdf) => ({
  name: 'file',
  fileName: 'a.pdf',
  type: 'application/pdf',
  bytes,
});

function uploadWith(account: string, key: string | undefined, part: Part, query = '') {
  const { type, body } = formOf([part]);
  return gateway.call(account, 'POST', `/v1/templates/media${query}`, {
    body: new Uint8Array(body),
    headers: { 'content-type': type, ...(key === undefined ? {} : { 'Idempotency-Key': key }) },
  });
}

/** Begins uploads of the picture and keeps them in state `registering` until `act` has ended; returns their responses. */
async function whileRegistering<T>(
  account: string,
  begin: () => Promise<T>,
  act: () => Promise<void>,
): Promise<T> {
  const sha256 = createHash('sha256').update(samples.png).digest();
  const begun = await gateway.db.transaction().execute(async (tx) => {
    await lockFileIdentity(tx, { accountId: account, sha256, fileName: '', mimeType: '' });
    const responses = begin();
    await expect
      .poll(async () => (await gateway.rows(account)).map(({ state }) => state))
      .toEqual(['registering']);
    await act();
    return { responses };
  });
  return begun.responses;
}

/** Leaves the rows as if the process had died after it stored the file and before the platform responded. */
async function simulateCrash(account: string): Promise<void> {
  await sql`
    update media set state = 'registering', public_id = null, due_at = now() where account_id = ${account}`.execute(
    gateway.db,
  );
  await sql`
    update idempotency_keys set status = null, body = null, leased_until = now() where account_id = ${account}`.execute(
    gateway.db,
  );
}

describe('an upload with an Idempotency-Key', () => {
  test('returns the stored response to a repeat, also after its file and its sender were removed', async () => {
    const [account, key] = [await fresh(), randomUUID()];
    const first = await uploadWith(account, key, pngPart);
    expect([first.status, first.headers.get('idempotency-replayed')]).toEqual([200, null]);
    const again = async () => {
      const repeat = await uploadWith(account, key, pngPart);
      expect([repeat.status, repeat.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
      expect(`${repeat.bytes}`).toBe(`${first.bytes}`);
    };
    await again();
    expect(await gateway.rows(account)).toHaveLength(1);
    await gateway.call(account, 'DELETE', `/v1/media/${first.json.data.mediaId}`);
    await sql`delete from senders where account_id = ${account}`.execute(gateway.db);
    await again();
    await gateway.removeDayLater();
    await again();
    await gateway.nothingLeft(account);
  });

  test('returns 422 for other or more bytes, another name, type or sender', async () => {
    const [account, key] = [await fresh(), randomUUID()];
    const { id: senderId } = await gateway.sender(account);
    const part = { ...pdf(), type: 'application/pdf' };
    expect((await uploadWith(account, key, part)).status).toBe(200);
    const other = Buffer.from(samples.pdf);
    other.writeUInt8(1, other.length - 1);
    for (const [changed, query] of [
      [pdf(other), ''],
      [pdf(padded(samples.pdf, 3_000_000)), ''],
      [{ ...part, fileName: 'b.pdf' }, ''],
      [{ ...part, type: 'application/octet-stream' }, ''],
      [part, `?senderId=${senderId}`],
    ] as const) {
      const { status, json } = await uploadWith(account, key, changed, query);
      expect([status, json.code]).toEqual([422, 'idempotency_key_reused']);
    }
    expect(await gateway.rows(account)).toHaveLength(1);
  });

  test('returns 409 while the first one is being registered, without reading the file', async () => {
    const [account, key] = [await fresh(), randomUUID()];
    const begin = () => uploadWith(account, key, pngPart);
    const first = await whileRegistering(account, begin, async () => {
      const { request, answer } = gateway.begin(account, { 'Idempotency-Key': key });
      request.flushHeaders();
      expect(await answer).toMatchObject({
        status: 409,
        body: expect.stringContaining('idempotency_in_progress'),
      });
      request.destroy();
    });
    expect(first.status).toBe(200);
    expect(await gateway.rows(account)).toHaveLength(1);
  });

  test('creates one record for concurrent uploads of the same file', async () => {
    const [account, key] = [await fresh(), randomUUID()];
    const responses = await Promise.all(Array.from({ length: 4 }, () => uploadWith(account, key, pngPart)));
    const statuses = responses.map(({ status }) => status);
    expect(statuses).toContain(200);
    expect(new Set(statuses).difference(new Set([200, 409])).size).toBe(0);
    expect(await gateway.rows(account)).toHaveLength(1);
    expect((await gateway.filesOnDisk()).filter((path) => path.includes(account))).toHaveLength(1);
  });

  test('is compared with a later one that finished first', async () => {
    const [account, key] = [await fresh(), randomUUID()];
    const bytes = padded(samples.png, 100_000);
    const slow = [bytes, padded(samples.png, 100_001)].map((content) => {
      const { request, answer, partHead } = gateway.begin(account, { 'Idempotency-Key': key });
      request.write(partHead('image/png'));
      request.write(content.subarray(0, 50_000));
      const rest = Buffer.concat([content.subarray(50_000), Buffer.from('\r\n--form-boundary--\r\n')]);
      return { answer, end: () => request.end(rest) };
    });
    await expect.poll(() => gateway.rows(account)).toHaveLength(2);
    const quick = await uploadWith(account, key, { ...pngPart, fileName: 'a.bin', bytes });
    for (const { end } of slow) end();
    const [same, other] = await Promise.all(slow.map(({ answer }) => answer));
    expect(same).toEqual({ status: 200, body: `${quick.bytes}` });
    expect(other).toMatchObject({ status: 422, body: expect.stringContaining('idempotency_key_reused') });
    expect(await gateway.rows(account)).toHaveLength(1);
  });

  test('frees the key when it fails', async () => {
    const [account, key] = [await fresh(), randomUUID()];
    await gateway.control.addFault({ on: 'media', code: 131053, times: 1 });
    expect((await uploadWith(account, key, pngPart)).status).toBe(502);
    expect((await uploadWith(account, key, { ...pngPart, bytes: '' })).status).toBe(400);
    const other = await uploadWith(account, key, pdf());
    expect([other.status, other.headers.get('idempotency-replayed')]).toEqual([200, null]);
  });

  test('continues after a crash, with the same file only; the worker frees the keys of abandoned uploads', async () => {
    const [account, key] = [await fresh(), randomUUID()];
    await uploadWith(account, key, pngPart);
    await simulateCrash(account);
    expect((await uploadWith(account, key, pdf())).json.code).toBe('idempotency_key_reused');
    const repeat = await uploadWith(account, key, pngPart);
    expect([repeat.status, repeat.headers.get('idempotency-replayed')]).toEqual([200, null]);
    expect(`${(await uploadWith(account, key, pngPart)).bytes}`).toBe(`${repeat.bytes}`);
    await gateway.call(account, 'DELETE', `/v1/media/${repeat.json.data.mediaId}`);
    await gateway.removeDayLater();
    await simulateCrash(account);
    await gateway.removeLeftovers();
    expect((await uploadWith(account, key, pdf())).status).toBe(422);
    const second = randomUUID();
    await uploadWith(account, second, pngPart);
    await simulateCrash(account);
    await gateway.removeLeftovers();
    expect((await uploadWith(account, second, pdf())).status).toBe(200);
  });
});

describe('the same file within a day', () => {
  const idOf = async (account: string, part: Part = pngPart, query = '') => {
    const { status, json } = await uploadWith(account, undefined, part, query);
    expect(status).toBe(200);
    return json.data.mediaId as string;
  };

  test('is the same record, stored and registered once, also while the platform is unreachable', async () => {
    const account = await fresh();
    const first = await idOf(account);
    await sql`update senders set api_url = 'http://127.0.0.1:1' where account_id = ${account}`.execute(
      gateway.db,
    );
    expect(await idOf(account)).toBe(first);
    expect(await gateway.rows(account)).toHaveLength(1);
    expect((await gateway.filesOnDisk()).filter((path) => path.includes(account))).toHaveLength(1);
  });

  test('is the same record for concurrent uploads', async () => {
    const account = await fresh();
    const ids = await Promise.all(Array.from({ length: 4 }, () => idOf(account)));
    expect(new Set(ids).size).toBe(1);
    expect((await gateway.rows(account)).map(({ state }) => state)).toEqual(['ready']);
    expect((await gateway.filesOnDisk()).filter((path) => path.includes(account))).toHaveLength(1);
    const atPlatform = (await gateway.control.media()).map(({ id }) => id);
    expect(atPlatform).toContain(ids[0]);
  });

  test('is another record with another name or type, for another sender, or in another account', async () => {
    const account = await fresh();
    const { id: senderId } = await gateway.sender(account);
    const office = (type: string) => ({ name: 'file', fileName: 'a', type, bytes: samples.ole });
    const ids = [
      await idOf(account),
      await idOf(account, { ...pngPart, fileName: 'other.png' }),
      await idOf(account, pngPart, `?senderId=${senderId}`),
      await idOf(await fresh()),
      await idOf(account, office('application/msword')),
      await idOf(account, office('application/vnd.ms-excel')),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    expect(await idOf(account, pngPart, `?senderId=${senderId.toUpperCase()}`)).toBe(ids[2]);
  });

  test('is another record when the first was removed, is a day old, or was altered in the store', async () => {
    const account = await fresh();
    const removed = await idOf(account);
    await gateway.call(account, 'DELETE', `/v1/media/${removed}`);
    const old = await idOf(account);
    await sql`
      update media set created_at = now() - interval '25 hours' where account_id = ${account}`.execute(
      gateway.db,
    );
    const altered = await idOf(account);
    const [row] = (await gateway.rows(account)).filter(({ public_id }) => public_id === altered);
    const path = (await gateway.filesOnDisk()).find((one) => one.endsWith(row?.id ?? '?'));
    await writeFile(path ?? '', 'altered');
    const last = await idOf(account);
    expect(new Set([removed, old, altered, last]).size).toBe(4);
    expect(await idOf(account)).toBe(last);
  });
});

describe('an upload interrupted by a crash', () => {
  async function stored() {
    const account = await fresh();
    const { json } = await uploadWith(account, undefined, pngPart);
    const [row] = await gateway.rows(account);
    if (!row) throw new Error('The upload has no row.');
    return { account, publicId: json.data.mediaId as string, ...row };
  }

  test('is removed from the store and the database within ten minutes', async () => {
    const of = await stored();
    const incomplete = new Readable({ read() {} });
    incomplete.push(Buffer.alloc(100_000));
    const put = gateway.deps.objects.put(of.object_key, incomplete).catch(() => 'failed');
    const incoming = () => readdir(join(gateway.directory, 'incoming'));
    await expect.poll(incoming).toHaveLength(1);
    await sql`
      update media set state = 'receiving', public_id = null, due_at = now() where id = ${of.id}`.execute(
      gateway.db,
    );
    expect(await gateway.removeLeftovers()).toBe(1);
    expect(await incoming()).toEqual([]);
    const { rows } = await sql<{ seconds: number }>`
      select extract(epoch from due_at - now())::float8 seconds from media where id = ${of.id}`.execute(
      gateway.db,
    );
    // the longest lease of an upload, the worker's interval, and the time until the second check
    const seconds =
      registerLeaseSeconds(100 * 1024 * 1024) + 5 + (rows[0]?.seconds ?? Number.POSITIVE_INFINITY);
    expect(seconds).toBeLessThan(600);
    incomplete.push(null);
    expect(await put).toBe('failed');
    await gateway.lapse();
    await gateway.removeLeftovers();
    await gateway.nothingLeft(of.account);
  });

  test('is removed even if the store forbids listing unfinished uploads', async () => {
    const of = await stored();
    const abandon = () => Promise.reject(new VendorError('rejected', 'AccessDenied'));
    const deps = { ...gateway.deps, objects: { ...gateway.deps.objects, abandon } };
    await deleteMedia(deps, { accountId: of.account, mediaId: of.publicId });
    await gateway.lapse();
    await removeLeftovers(deps);
    await gateway.nothingLeft(of.account);
  });
});

// Registration of files at the platform, removal of interrupted uploads, and rotation of encryption keys.
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { makeKey, openCipher, parseKeyRing } from '../../src/base/cipher.ts';
import { AppError, VendorError } from '../../src/base/errors.ts';
import type { UndecryptableSecret } from '../../src/base/reencrypt.ts';
import { reencryptMedia } from '../../src/messaging/media/reencrypt.ts';
import { ensureRegistered } from '../../src/messaging/media/register.ts';
import { deleteMedia, removeLeftovers } from '../../src/messaging/media/remove.ts';
import {
  deleteRegistration,
  findMedia,
  findRegistrations,
  lockMediaShared,
} from '../../src/messaging/media/store.ts';
import { downloadMedia } from '../../src/messaging/media/stored-file.ts';
import { type MediaGateway, openMediaGateway } from '../harness/media-gateway.ts';
import { padded, samples } from '../harness/sample-files.ts';

let gateway: MediaGateway;
beforeAll(async () => {
  gateway = await openMediaGateway();
});
afterEach(() => gateway.control.clearFaults());
afterAll(() => gateway.close());

const dayMs = 86_400_000;

/** An account with a number and one stored PDF. */
async function stored(bytes = padded(samples.pdf, 200_000)) {
  const accountId = await gateway.account();
  const { id: senderId } = await gateway.sender(accountId);
  const part = { name: 'file', fileName: 'offer.pdf', type: 'application/pdf', bytes };
  const { json } = await gateway.upload(accountId, part);
  const [row] = await gateway.rows(accountId);
  if (!row) throw new Error('The upload has no row.');
  return { accountId, senderId, mediaId: row.id, publicId: json.data.mediaId as string, row, bytes };
}

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'none',
    (error: unknown) =>
      error instanceof VendorError ? error.outcome : error instanceof AppError ? error.code : String(error),
  );
const uploadsAtPlatform = async () => (await gateway.control.media()).length;

describe('a registration', () => {
  test('is used without a call until it expires', async () => {
    const of = await stored();
    const before = await uploadsAtPlatform();
    expect(await ensureRegistered(gateway.deps, of)).toBe(of.publicId);
    expect(await uploadsAtPlatform()).toBe(before);
  });

  test('is renewed after the platform’s 30 days, under the same mediaId', async () => {
    const of = await stored();
    gateway.clock.aheadMs += 30 * dayMs;
    try {
      const again = await ensureRegistered(gateway.deps, of);
      expect(again).not.toBe(of.publicId);
      expect(await ensureRegistered(gateway.deps, of)).toBe(again);
      const record = await gateway.call(of.accountId, 'GET', `/v1/media/${of.publicId}`);
      expect(record.json.data.mediaId).toBe(of.publicId);
      const { sizeBytes } = (await gateway.control.media()).find(({ id }) => id === again) ?? {};
      expect(sizeBytes).toBe(of.bytes.length);
    } finally {
      gateway.clock.aheadMs = 0;
    }
  });

  test('is made for each sender', async () => {
    const of = await stored();
    const other = await gateway.sender(of.accountId);
    const forOther = await ensureRegistered(gateway.deps, { ...of, senderId: other.id });
    expect(forOther).not.toBe(of.publicId);
    const atPlatform = (await gateway.control.media()).find(({ id }) => id === forOther);
    expect(atPlatform?.phoneNumberId).toBe(other.phone_number_id);
  });

  test('is shared by concurrent callers, as is its failure', async () => {
    const of = await stored();
    const other = await gateway.sender(of.accountId);
    const before = await uploadsAtPlatform();
    const register = () => ensureRegistered(gateway.deps, { ...of, senderId: other.id });
    await gateway.control.addFault({ on: 'media', times: 1, code: 131000 });
    expect(new Set(await Promise.all(Array.from({ length: 20 }, () => failureOf(register()))))).toEqual(
      new Set(['rejected']),
    );
    const ids = await Promise.all(Array.from({ length: 20 }, register));
    expect(new Set(ids).size).toBe(1);
    expect(await uploadsAtPlatform()).toBe(before + 1);
  });

  test('that the platform lost is deleted only if no newer one replaced it', async () => {
    const of = await stored();
    const beyond = new Date();
    const expiresBefore = new Date(gateway.clock.now() + 31 * 86_400_000);
    const deleteOf = (platformMediaId: string, before = expiresBefore) =>
      deleteRegistration(gateway.db, { ...of, platformMediaId, expiresBefore: before });
    expect(await deleteOf('1')).toBe(true);
    expect(await deleteOf(of.publicId, new Date())).toBe(false);
    expect(await findRegistrations(gateway.db, [{ ...of, beyond }])).toEqual([of.publicId]);
    expect(await deleteOf(of.publicId)).toBe(true);
    expect(await ensureRegistered(gateway.deps, of)).not.toBe(of.publicId);
  });
});

describe('registration for a queued message', () => {
  test('is not_sent when the platform does not respond or the store fails, so that it is retried', async () => {
    const of = await stored();
    const sender = await gateway.sender(of.accountId);
    const register = () => failureOf(ensureRegistered(gateway.deps, { ...of, senderId: sender.id }));
    await gateway.control.addFault({ on: 'media', times: 1, does: 'reset' });
    expect(await register()).toBe('not_sent');
    await gateway.control.addFault({ on: 'media', times: 1, when: 'after', does: 'close' });
    expect(await register()).toBe('not_sent');
    const failing = {
      ...gateway.deps.objects,
      get: () => Promise.reject(new VendorError('rejected', 'forbidden', { code: 'EACCES' })),
    };
    const deps = { ...gateway.deps, objects: failing };
    expect(await failureOf(ensureRegistered(deps, { ...of, senderId: sender.id }))).toBe('not_sent');
    expect(await register()).toBe('none');
  });

  test('fails for good when the file is damaged, missing or another account’s', async () => {
    const of = await stored();
    const sender = await gateway.sender(of.accountId);
    const otherAccount = await gateway.account();
    const request = { ...of, senderId: sender.id };
    expect(await failureOf(ensureRegistered(gateway.deps, { ...request, accountId: otherAccount }))).toBe(
      'media_not_found',
    );
    const path = join(gateway.directory, 'objects', of.row.object_key);
    const encrypted = await readFile(path);
    encrypted[encrypted.length - 100] = (encrypted[encrypted.length - 100] ?? 0) ^ 1;
    await writeFile(path, encrypted);
    expect(await failureOf(ensureRegistered(gateway.deps, request))).toBe('media_damaged');
    await rm(path);
    expect(await failureOf(ensureRegistered(gateway.deps, request))).toBe('media_damaged');
  });
});

describe('an interrupted upload or removal', () => {
  test.each(['receiving', 'registering'])(
    'in state %s is removed by the worker, and checked a second time',
    async (state) => {
      const of = await stored();
      await sql`
      update media set state = ${state}, public_id = null, due_at = now() + interval '1 hour'
      where id = ${of.mediaId}`.execute(gateway.db);
      expect(await removeLeftovers(gateway.deps)).toBe(0);
      await gateway.lapse();
      expect(await removeLeftovers(gateway.deps)).toBe(1);
      const folder = join(gateway.directory, 'objects', 'media', of.accountId);
      expect(await readdir(folder)).toEqual([]);
      // a process that was only suspended stores its object late
      await writeFile(join(gateway.directory, 'objects', of.row.object_key), 'late');
      expect(await gateway.rows(of.accountId)).toMatchObject([{ state: 'removing' }]);
      expect(await removeLeftovers(gateway.deps)).toBe(0);
      await gateway.lapse();
      expect(await removeLeftovers(gateway.deps)).toBe(1);
      expect(await readdir(folder)).toEqual([]);
      expect(await gateway.rows(of.accountId)).toEqual([]);
    },
  );

  test('is retried with increasing delays while the store fails', async () => {
    const of = await stored();
    const broken = {
      ...gateway.deps.objects,
      delete: () => Promise.reject(new VendorError('not_sent', 'no route')),
    };
    await deleteMedia(
      { ...gateway.deps, objects: broken },
      { accountId: of.accountId, mediaId: of.publicId },
    );
    expect((await gateway.call(of.accountId, 'GET', `/v1/media/${of.publicId}`)).status).toBe(404);
    expect(await gateway.rows(of.accountId)).toMatchObject([{ state: 'removing' }]);
    await gateway.lapse();
    expect(await removeLeftovers({ ...gateway.deps, objects: broken })).toBe(1);
    expect(await removeLeftovers({ ...gateway.deps, objects: broken })).toBe(0);
    await gateway.lapse();
    await removeLeftovers(gateway.deps);
    expect(await gateway.rows(of.accountId)).toEqual([]);
  });

  test('a removal waits for the transaction of a send that uses the file', async () => {
    const of = await stored();
    const order: string[] = [];
    let removal: Promise<string> | undefined;
    await gateway.db.transaction().execute(async (tx) => {
      expect(await lockMediaShared(tx, of.accountId, [of.publicId, 'unknown', '\0'])).toMatchObject([
        { id: of.mediaId },
      ]);
      removal = failureOf(deleteMedia(gateway.deps, { accountId: of.accountId, mediaId: of.publicId })).then(
        (code) => {
          order.push('removal');
          return code;
        },
      );
      await sql`select 1`.execute(gateway.db);
      await sql`
        insert into messages (account_id, id, send_id, sender_id, template_id, phone, content, media_id, due_at, expires_at)
        values (${of.accountId}, gen_random_uuid(), gen_random_uuid(), ${of.senderId}, gen_random_uuid(), '919811112222',
          '{}', ${of.mediaId}, now(), now() + interval '1 day')`.execute(tx);
      order.push('send');
    });
    expect(await removal).toBe('media_in_use');
    expect(order).toEqual(['send', 'removal']);
  });
});

describe('after a rotation of keys', () => {
  const [newKey, unknownKey] = [makeKey(), makeKey()];
  const withRing = (keys: string) => ({ ...gateway.deps, cipher: openCipher(parseKeyRing(keys)) });
  /** Runs all rounds of the re-encryption. */
  async function reencrypt(deps: ReturnType<typeof withRing>) {
    const total = { reencrypted: 0, failed: [] as UndecryptableSecret[] };
    let afterId: string | undefined;
    do {
      const round = await reencryptMedia(deps, { afterId, limit: 3 });
      total.reencrypted += round.reencrypted;
      total.failed.push(...round.failed);
      afterId = round.afterId;
    } while (afterId !== undefined);
    return total;
  }

  test('files can be decrypted with the newest key alone, and their content was not rewritten', async () => {
    const of = await stored();
    const path = join(gateway.directory, 'objects', of.row.object_key);
    const [before, { mtimeMs, ino }] = [await readFile(path), await stat(path)];
    const total = await reencrypt(withRing(`${newKey},${gateway.keys}`));
    expect(total.reencrypted).toBeGreaterThan(0);
    expect(total.failed).toEqual([]);
    expect((await readFile(path)).equals(before)).toBe(true);
    expect(await stat(path)).toMatchObject({ mtimeMs, ino });
    // the sender's own secrets are not re-encrypted here
    const row = await findMedia(gateway.db, of.accountId, of.publicId);
    const { content } = await downloadMedia(withRing(newKey), {
      accountId: of.accountId,
      mediaId: of.publicId,
    });
    expect((await buffer(content)).equals(of.bytes)).toBe(true);
    expect(row?.object_key).toBe(of.row.object_key);
    // a second run has nothing to do
    expect(await reencrypt(withRing(`${newKey},${gateway.keys}`))).toEqual({ reencrypted: 0, failed: [] });
  });

  test('a file with a missing or altered key is reported and kept, and never returned', async () => {
    const of = await stored();
    const deps = withRing(unknownKey);
    const { failed } = await reencrypt(deps);
    expect(failed.map(({ location }) => location.row)).toContain(of.mediaId);
    const file = { accountId: of.accountId, mediaId: of.publicId };
    expect(await failureOf(downloadMedia(deps, file))).toBe('media_damaged');
    const other = await stored();
    await sql`update media set file_key = (select file_key from media where id = ${other.mediaId}) where id = ${of.mediaId}`.execute(
      gateway.db,
    );
    const own = withRing(`${newKey},${gateway.keys}`);
    expect(await failureOf(downloadMedia(own, file))).toBe('media_damaged');
    expect(await failureOf(downloadMedia(own, { accountId: other.accountId, mediaId: other.publicId }))).toBe(
      'none',
    );
  });
});

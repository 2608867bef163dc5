// State changes of media files and templates: late writes change nothing, and two processes never process the same row.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import { claimLeftovers, isMediaInUse, lockMedia } from '../../src/messaging/media/removal-store.ts';
import {
  deleteRegistration,
  extendReceiving,
  extendRegistering,
  findMedia,
  findRegistrations,
  lockMediaShared,
  markReady,
  markStored,
  saveRegistration,
} from '../../src/messaging/media/store.ts';
import {
  type DraftLease,
  endDraftLease,
  insertDraft,
  leaseDraft,
  markSubmitted,
  renewDraftLease,
} from '../../src/messaging/template-editing/drafts-store.ts';
import { claimTemplatesToRead, recordSingleRead } from '../../src/messaging/templates/readings-store.ts';
import type { TemplateRow } from '../../src/messaging/templates/store.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { insertAccount, insertSender } from '../harness/rows.ts';

let database: TestDatabase;
let accountId: string;
let senderId: string;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await sql`delete from media`.execute(database.db);
  await sql`delete from templates`.execute(database.db);
  accountId = await insertAccount(database.db);
  senderId = await insertSender(database.db, accountId);
});

type State = 'receiving' | 'registering' | 'ready' | 'removing';

/** Inserts a file in that state, due in so many seconds; null: not due. */
async function file(state: State, dueInSeconds: number | null = null) {
  const id = uuidv7();
  await sql`
    insert into media (id, account_id, state, kind, mime_type, file_name, object_key, file_key, size, sha256, public_id, due_at)
    values (${id}, ${accountId}, ${state}, 'image', 'image/png', 'a.png', ${id}, '', 1, '\\x00', ${id},
      now() + ${dueInSeconds}::int * interval '1 second')`.execute(database.db);
  return id;
}
const stateOf = async (id: string) => {
  const { rows } = await sql<{ state: State }>`select state from media where id = ${id}`.execute(database.db);
  return rows[0]?.state;
};
const inTransaction = <T>(run: Parameters<ReturnType<TestDatabase['db']['transaction']>['execute']>[0]) =>
  database.db.transaction().execute(run) as Promise<T>;

describe('an upload', () => {
  it('changes nothing after the worker has begun to remove its file', async () => {
    const id = await file('removing', 60);
    const { db } = database;
    expect(await extendReceiving(db, id, 60)).toBe(false);
    expect(await extendRegistering(db, id, 60)).toBe(false);
    const stored = { id, size: 2, sha256: Buffer.alloc(32), leaseSeconds: 60 };
    expect(await markStored(db, stored)).toBeUndefined();
    expect(await inTransaction((tx) => markReady(tx, id, 'late'))).toBeUndefined();
    expect(await stateOf(id)).toBe('removing');
  });

  it('passes from receiving to registering to ready, each once', async () => {
    const id = await file('receiving', 60);
    const { db } = database;
    const stored = { id, size: 2, sha256: Buffer.alloc(32), leaseSeconds: 60 };
    expect(await extendReceiving(db, id, 60)).toBe(true);
    expect(await markStored(db, stored)).toMatchObject({ state: 'registering' });
    expect(await markStored(db, stored)).toBeUndefined();
    expect(await extendRegistering(db, id, 60)).toBe(true);
    expect(await inTransaction((tx) => markReady(tx, id, 'public'))).toMatchObject({ state: 'ready' });
    expect(await inTransaction((tx) => markReady(tx, id, 'other'))).toBeUndefined();
  });
});

describe('a registration', () => {
  const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000);

  it('is used while it is valid for long enough', async () => {
    const mediaId = await file('ready');
    await saveRegistration(database.db, {
      ...{ mediaId, senderId, platformMediaId: 'first', expiresAt: inSeconds(60) },
    });
    const find = (beyond: Date) => findRegistrations(database.db, [{ mediaId, senderId, beyond }]);
    expect(await find(inSeconds(30))).toEqual(['first']);
    expect(await find(inSeconds(90))).toEqual([undefined]);
  });

  it('is not deleted if it is newer than the one that the platform lost', async () => {
    const mediaId = await file('ready');
    await saveRegistration(database.db, {
      ...{ mediaId, senderId, platformMediaId: 'second', expiresAt: inSeconds(60) },
    });
    const lost = { mediaId, senderId, expiresBefore: inSeconds(120) };
    // the first is gone already: the file can be sent with the second
    expect(await deleteRegistration(database.db, { ...lost, platformMediaId: 'first' })).toBe(true);
    const find = () => findRegistrations(database.db, [{ mediaId, senderId, beyond: new Date() }]);
    expect(await find()).toEqual(['second']);
    const fresh = { ...lost, platformMediaId: 'second', expiresBefore: inSeconds(30) };
    expect(await deleteRegistration(database.db, fresh)).toBe(false);
    expect(await deleteRegistration(database.db, { ...lost, platformMediaId: 'second' })).toBe(true);
    expect(await find()).toEqual([undefined]);
  });
});

describe('a removal', () => {
  it('hides the file', async () => {
    const [ready, removing] = [await file('ready'), await file('removing', 60)];
    expect(await findMedia(database.db, accountId, ready)).toMatchObject({ id: ready });
    expect(await findMedia(database.db, accountId, removing)).toBeUndefined();
  });

  it('waits for sends that are being stored with the file', async () => {
    const id = await file('ready');
    const send = await database.db.startTransaction().execute();
    expect(await lockMediaShared(send, accountId, [id])).toHaveLength(1);
    const remove = inTransaction(async (tx) => {
      await sql`set local lock_timeout = '200ms'`.execute(tx);
      return lockMedia(tx, accountId, id);
    });
    await expect(remove).rejects.toMatchObject({ code: '55P03' });
    await send.commit().execute();
    expect(await inTransaction((tx) => lockMedia(tx, accountId, id))).toMatchObject({ id });
  });

  it('is rejected while queued messages need the file', async () => {
    const id = await file('ready');
    const inUse = () => inTransaction<boolean>((tx) => isMediaInUse(tx, accountId, id));
    expect(await inUse()).toBe(false);
    await sql`
      insert into messages (account_id, id, send_id, sender_id, template_id, phone, content, state, media_id, due_at, expires_at)
      values (${accountId}, ${uuidv7()}, ${uuidv7()}, ${senderId}, ${uuidv7()}, '15550100', '{}', 0, ${id}, now(),
        now() + interval '1 day')`.execute(database.db);
    expect(await inUse()).toBe(true);
    await sql`update messages set due_at = null, state = 2 where media_id = ${id}`.execute(database.db);
    expect(await inUse()).toBe(false);
  });

  it('of leftovers takes expired leases only, each by one process', async () => {
    const [orphan, locked] = [await file('registering', -2), await file('removing', -1)];
    await file('receiving', 60);
    const ids = async () => (await claimLeftovers(database.db, 10)).map(({ id, orphaned }) => [id, orphaned]);
    await inTransaction<void>(async (tx) => {
      await sql`select from media where id = ${locked} for update`.execute(tx);
      expect(await ids()).toEqual([[orphan, true]]);
    });
    expect(await ids()).toEqual([[locked, false]]);
    expect(await ids()).toEqual([]);
  });
});

describe('a template', () => {
  const draft = async () => {
    const id = uuidv7();
    const row = await insertDraft(database.db, {
      ...{ id, accountId, businessAccountId: null, name: id, language: 'en', category: 'UTILITY' },
      ...{ parameterFormat: 'positional', components: [], messageTtlSeconds: null },
    });
    expect(row).toMatchObject({ status: 'draft' });
    return id;
  };
  const response = () => ({
    ...{ businessAccountId: '2', providerTemplateId: randomUUID(), providerStatus: 'PENDING' },
    ...{ status: 'submitted', category: 'UTILITY' },
  });
  const setReadDue = (id: string, seconds: number) =>
    sql`update templates set read_due_at = date_trunc('milliseconds', now()) + ${seconds}::int * interval '1 second'
      where id = ${id}`.execute(database.db);
  const readDue = async (id: string) => {
    const { rows } = await sql<{ due: Date | null }>`
      select read_due_at as due from templates where id = ${id}`.execute(database.db);
    return rows[0]?.due;
  };

  const lease = async (id: string, businessAccountId = '2'): Promise<DraftLease> => {
    const { deleting_until } = await inTransaction<TemplateRow>((tx) =>
      leaseDraft(tx, id, businessAccountId),
    );
    return { id, until: deleting_until };
  };

  it('keeps the response to its first submission, and its business account', async () => {
    const id = await draft();
    const first = response();
    await lease(id);
    const last = await lease(id, '3');
    const { rows } = await sql`select business_account_id as b from templates where id = ${id}`.execute(
      database.db,
    );
    expect(rows).toEqual([{ b: '2' }]);
    expect(await markSubmitted(database.db, last, first)).toMatchObject({ status: 'submitted' });
    expect(await markSubmitted(database.db, last, response())).toBeUndefined();
    expect(await renewDraftLease(database.db, last)).toBeUndefined();
  });

  it('is not changed by a submission whose lease another one took', async () => {
    const id = await draft();
    await lease(id);
    const { rows } = await sql<{ deleting_until: Date }>`
      update templates set deleting_until = deleting_until - interval '1 hour' where id = ${id} returning deleting_until`.execute(
      database.db,
    );
    const first = { id, until: rows[0]?.deleting_until ?? null };
    const second = await lease(id);
    expect(await renewDraftLease(database.db, first)).toBeUndefined();
    await inTransaction((tx) => endDraftLease(tx, first, { isUnknown: false }));
    expect(await markSubmitted(database.db, first, response())).toBeUndefined();
    const renewed = await renewDraftLease(database.db, second);
    expect(renewed).toBeInstanceOf(Date);
    expect(await markSubmitted(database.db, { id, until: renewed ?? null }, response())).toMatchObject({
      status: 'submitted',
      deleting_until: null,
    });
  });

  it('is claimed for reading by one process at a time', async () => {
    const id = await draft();
    await markSubmitted(database.db, await lease(id), response());
    expect((await claimTemplatesToRead(database.db, 10)).map((row) => row.id)).toEqual([id]);
    expect(await claimTemplatesToRead(database.db, 10)).toEqual([]);
  });

  it('that becomes due again while it is read stays due', async () => {
    const id = await draft();
    await markSubmitted(database.db, await lease(id), response());
    const [claimed] = await claimTemplatesToRead(database.db, 10);
    if (!claimed) throw new Error('not claimed');
    await setReadDue(id, -5);
    await inTransaction<void>((tx) => recordSingleRead(tx, claimed));
    expect(await readDue(id)).not.toBeNull();
    const [again] = await claimTemplatesToRead(database.db, 10);
    if (!again) throw new Error('not claimed');
    await inTransaction<void>((tx) => recordSingleRead(tx, again));
    expect(await readDue(id)).toBeNull();
  });
});

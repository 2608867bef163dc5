// Statements on messages: acceptances, retries, reports, claims, and the sender of a send.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import { beginCancel } from '../../src/messaging/dispatch/cancel-store.ts';
import { claimDue, releaseLeases } from '../../src/messaging/dispatch/claims-store.ts';
import { foldReports, state } from '../../src/messaging/messages/message.ts';
import {
  applyMoves,
  failMessages,
  recordAccepted,
  recordRetry,
} from '../../src/messaging/messages/moves-store.ts';
import { findTemplateWithSender } from '../../src/messaging/sending/resolve-template-store.ts';
import type { StatusReport } from '../../src/ports/platform.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { beginNow, leaseKeys } from '../harness/dispatch.ts';
import { insertAccount, insertSender } from '../harness/rows.ts';

let database: TestDatabase;
let accountId: string;
let senderId: string;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const sender = (isDefault = false, businessAccountId = '2'): Promise<string> =>
  insertSender(database.db, accountId, { businessAccountId, isDefault });

beforeEach(async () => {
  await sql`truncate messages`.execute(database.db);
  accountId = await insertAccount(database.db);
  senderId = await sender();
});

interface Given {
  state?: number;
  dueInSeconds?: number;
  expiresInSeconds?: number;
  priority?: number;
  attempts?: number;
  error?: object;
}

/** Inserts a message with its own send; queued and due now by default. */
async function message(given: Given = {}) {
  const [id, sendId] = [uuidv7(), uuidv7()];
  const { dueInSeconds = 0, expiresInSeconds = 600, priority = 1, attempts = 0 } = given;
  await sql`insert into sends (account_id, id, sender_id, template_id, template_name, language, total)
    values (${accountId}, ${sendId}, ${senderId}, ${uuidv7()}, 't', 'en', 1)`.execute(database.db);
  await sql`
    insert into messages (account_id, id, send_id, sender_id, template_id, phone, content, state, priority, attempts, error,
      due_at, expires_at)
    values (${accountId}, ${id}, ${sendId}, ${senderId}, ${uuidv7()}, '15550100', '{}', ${given.state ?? state.queued},
      ${priority}, ${attempts}, ${given.error ? JSON.stringify(given.error) : null}::jsonb,
      now() + ${dueInSeconds}::float8 * interval '1 second',
      now() + ${expiresInSeconds}::float8 * interval '1 second')`.execute(database.db);
  return { accountId, id, sendId };
}

interface Row {
  state: number;
  attempts: number;
  wamid: string | null;
  error: { code: number } | null;
  dueIn: number | null;
  lease: string;
  sentAt: number | null;
}
async function rowOf({ id }: { id: string }): Promise<Row> {
  const { rows } = await sql<Row>`
    select state, attempts, wamid, error, extract(epoch from due_at - now())::float8 as "dueIn", due_at::text as lease,
      extract(epoch from sent_at)::float8 as "sentAt" from messages where id = ${id}`.execute(database.db);
  return rows[0] as Row;
}

const rejection = { code: 131056, title: 'rate', message: 'too many' };

async function report(
  id: string,
  status: StatusReport['status'],
  timestamp: number,
  price: Partial<StatusReport> = {},
) {
  const one: StatusReport = {
    ...{ phoneNumberId: '1', messageRef: 'wamid.REPORT', correlationId: null, status, timestamp },
    ...{ priceCategory: null, billable: null, error: status === 'failed' ? rejection : null },
    ...price,
  };
  const move = foldReports(accountId, id, [one]);
  await database.hot.transaction().execute((tx) => applyMoves(tx, move ? [move] : []));
}

it('a price that was reported stays when a later report has none, or another one', async () => {
  const { id } = await message({ state: state.accepted });
  await report(id, 'sent', 1_000, { priceCategory: 'utility', billable: false });
  await report(id, 'delivered', 1_001);
  await report(id, 'read', 1_002, { priceCategory: 'marketing', billable: true });
  const { rows } = await sql`select price_category, billable from messages where id = ${id}`.execute(
    database.db,
  );
  expect(rows).toEqual([{ price_category: 'utility', billable: false }]);
});

describe('an acceptance', () => {
  const accept = ({ id }: { id: string }) =>
    recordAccepted(database.hot, [{ accountId, id, messageRef: 'wamid.ACCEPTED' }]);

  it('keeps the reference of a report that came first', async () => {
    const [reported, other] = [await message(), await message()];
    await report(reported.id, 'sent', 1_000);
    for (const one of [reported, other]) await accept(one);
    expect(await rowOf(reported)).toMatchObject({ wamid: 'wamid.REPORT', state: state.sent });
    expect(await rowOf(other)).toMatchObject({ wamid: 'wamid.ACCEPTED', state: state.accepted });
  });

  it('removes the error of an earlier attempt, but not of a failure that was reported first', async () => {
    const retried = await message({ state: state.dispatching, attempts: 2, error: rejection });
    const failed = await message({ state: state.dispatching });
    await report(failed.id, 'failed', 1_000);
    for (const one of [retried, failed]) await accept(one);
    expect(await rowOf(retried)).toMatchObject({ state: state.accepted, error: null });
    expect(await rowOf(failed)).toMatchObject({ state: state.failed, error: { code: rejection.code } });
  });
});

describe('a retry', () => {
  const retry = async (of: { id: string }, more: object = {}) => {
    const { lease } = await rowOf(of);
    const common = { delaySeconds: 5, error: null, countsAttempt: true };
    await recordRetry(database.hot, [{ accountId, id: of.id, lease, ...common, ...more }]);
    return rowOf(of);
  };
  const dispatching = async (more: Given = {}) => {
    const one = await message({ dueInSeconds: 60, ...more });
    expect(await beginNow(database, [one])).toEqual([true]);
    return one;
  };

  it('counts as an attempt only if it says so', async () => {
    expect(await retry(await dispatching())).toMatchObject({ attempts: 1, state: state.queued });
    expect(await retry(await dispatching(), { countsAttempt: false })).toMatchObject({ attempts: 0 });
  });

  it('is due when the message expires at the latest', async () => {
    const { dueIn } = await retry(await dispatching({ expiresInSeconds: 30 }), { delaySeconds: 3_600 });
    expect(dueIn).toBeLessThanOrEqual(30);
    expect(dueIn).toBeGreaterThan(10);
  });

  it('keeps the last rejection if it has none', async () => {
    const one = await dispatching({ error: rejection });
    expect(await retry(one)).toMatchObject({ error: { code: rejection.code } });
    expect(await retry(one, { error: { ...rejection, code: 130429 } })).toMatchObject({
      error: { code: 130429 },
    });
  });
});

describe('a report', () => {
  it('does not change the time of an earlier stage', async () => {
    const { id } = await message();
    await report(id, 'sent', 1_000);
    await report(id, 'delivered', 2_000);
    expect(await rowOf({ id })).toMatchObject({ state: state.delivered, sentAt: 1_000 });
  });

  it('changes a failed message only if it was delivered', async () => {
    const { id } = await message();
    const error = { code: 131026, title: 'x', message: 'x' };
    await database.hot
      .transaction()
      .execute((tx) => failMessages(tx, [{ accountId, id, error }], [state.queued]));
    await report(id, 'sent', 1_000);
    expect(await rowOf({ id })).toMatchObject({ state: state.failed });
    await report(id, 'delivered', 2_000);
    expect(await rowOf({ id })).toMatchObject({ state: state.delivered, error: null });
  });
});

describe('a claim', () => {
  const claim = async (busy: string[] = []) => (await claimDue(database.hot, 10, busy, 1)).claimed;

  it('takes only one-time codes of a busy sender', async () => {
    const [code, other] = [await message({ priority: 0 }), await message({ priority: 1 })];
    expect((await claim([senderId])).map(({ id }) => id)).toEqual([code.id]);
    expect((await claim()).map(({ id }) => id)).toEqual([other.id]);
  });

  it('returns which messages must not be called: those of cancelled sends, and expired ones', async () => {
    const [cancelled, expired, plain] = [
      await message(),
      await message({ expiresInSeconds: -1 }),
      await message(),
    ];
    await beginCancel(database.db, cancelled, 60);
    const claimed = new Map((await claim()).map((one) => [one.id, one]));
    expect(claimed.get(cancelled.id)).toMatchObject({ cancelled: true, expired: false });
    expect(claimed.get(expired.id)).toMatchObject({ cancelled: false, expired: true });
    expect(claimed.get(plain.id)).toMatchObject({ cancelled: false, expired: false });
  });

  it('does not release dispatching messages, which may have been called', async () => {
    const [leased, dispatching] = [
      await message({ dueInSeconds: 60 }),
      await message({ dueInSeconds: 60, state: state.dispatching }),
    ];
    await releaseLeases(database.hot, await leaseKeys(database.hot, [leased, dispatching]));
    expect((await rowOf(leased)).dueIn).toBeLessThanOrEqual(0);
    expect((await rowOf(dispatching)).dueIn).toBeGreaterThan(30);
  });
});

describe('a send without a sender', () => {
  const templateOf = async (businessAccountId: string | null) => {
    const id = uuidv7();
    await sql`insert into templates (id, account_id, business_account_id, name, language, category, status, components)
      values (${id}, ${accountId}, ${businessAccountId}, ${id}, 'en', 'UTILITY', 'approved', '[]')`.execute(
      database.db,
    );
    return id;
  };
  const senderOf = async (templateId: string) =>
    (await findTemplateWithSender(database.db, { accountId, templateId, senderId: undefined }))?.sender?.id;

  it('uses the default sender of the template’s business account, or its oldest one', async () => {
    const [, preferred] = [await sender(), await sender(true)];
    const [otherOldest] = [await sender(false, '3'), await sender(false, '3')];
    expect(await senderOf(await templateOf('2'))).toBe(preferred);
    expect(await senderOf(await templateOf('3'))).toBe(otherOldest);
    expect(await senderOf(await templateOf('4'))).toBeUndefined();
  });
});

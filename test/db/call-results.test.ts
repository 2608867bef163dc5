// Results of calls: which senders a limit slows down, and which messages fail or are retried without a call.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AppError } from '../../src/base/errors.ts';
import { openLog } from '../../src/base/log.ts';
import { recordUncalled } from '../../src/messaging/dispatch/call-platform.ts';
import { recordRejection } from '../../src/messaging/dispatch/record-rejection.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { message, sender } from '../harness/dispatch.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** What a call's result works with, and the writes that it makes. */
function open() {
  const writes: string[] = [];
  const note = (name: string) => async () => void writes.push(name);
  const deps = {
    db: database.db,
    log: openLog('silent'),
    completions: { recheckSoon: () => undefined },
    writes: { retry: note('retry'), failed: note('failed'), suspend: note('suspend') },
  };
  return { deps: deps as never, writes };
}

async function isSlowed(senderId: string): Promise<boolean> {
  const { rows } = await sql<{ slowed: boolean }>`
    select slowed_at is not null as slowed from sender_paces where sender_id = ${senderId}`.execute(
    database.db,
  );
  return rows[0]?.slowed === true;
}

test.each([
  ['a limit of the number', 'throttled', [true, false, false]],
  ['a limit of the business account', 'throttled_account', [true, true, false]],
] as const)('%s slows down the senders that it concerns', async (_what, kind, expected) => {
  await sql`delete from senders`.execute(database.db);
  const senders = [await sender(database), await sender(database), await sender(database)];
  await sql`update senders set business_account_id = 'other' where id = ${senders[2]}`.execute(database.db);
  const { deps, writes } = open();
  const error = { code: 80007, title: 'limit', message: 'limit' };
  const rejection = { kind, error, retryAfterSeconds: undefined, used: undefined };
  expect(await recordRejection(deps, message(senders[0] as string), rejection)).toBe('continue');
  expect(await Promise.all(senders.map(isSlowed))).toEqual(expected);
  expect(writes).toEqual(['retry']);
});

test.each([
  ['media_not_found', 'failed'],
  ['sender_not_found', 'failed'],
  ['media_damaged', 'failed'],
  ['object_store_unavailable', 'retry'],
] as const)('a message that is not called because of %s: %s', async (code, expected) => {
  const { deps, writes } = open();
  await recordUncalled(deps, message(await sender(database)), new AppError(code, 'x'));
  expect(writes).toEqual([expected]);
});

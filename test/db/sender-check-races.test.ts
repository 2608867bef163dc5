// Two runs of the checks of one number at the same time: the newer reading of the platform remains.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openLog } from '../../src/base/log.ts';
import { type CheckDeps, checkSender } from '../../src/messaging/senders/run-checks.ts';
import { insertState } from '../../src/messaging/senders/states-store.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { sender } from '../harness/dispatch.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const health = { canSend: 'available' as const, problems: [] };
const numberWith = (throughput: number) => ({
  ...{
    businessAccountId: '2',
    displayPhone: '1',
    verifiedName: 'x',
    isRegistered: true,
    status: 'CONNECTED',
  },
  ...{ qualityRating: 'GREEN', messagingLimit: 'TIER_2K', throughput, health },
});

/** What a run needs, with the time at which it begins. */
function depsAt(nowMs: number, readNumber: () => Promise<ReturnType<typeof numberWith>>): CheckDeps {
  const credential = { isValid: true, expiresAtMs: null, missingPermissions: [] };
  return {
    ...{ db: database.db, log: openLog('silent'), metrics: { senderChecks: { inc: () => {} } } },
    ...{
      clock: { now: () => nowMs },
      cipher: { decrypt: () => 'secret' },
      messagingApiUrl: 'http://platform',
    },
    ...{ publicUrl: () => 'https://g.example', deliveries: { processId: 0, offer: () => {} } },
    platform: {
      advice: { registrationOf: {} },
      readAppId: async () => 'app',
      inspectCredential: async () => ({ problem: null, credential }),
      readNumber,
      readSubscription: async () => ({ isSubscribed: true, overrideUrl: null }),
      readAppCallback: async () => ({ url: 'https://g.example/callbacks/messaging/1', missingKinds: [] }),
    },
  } as unknown as CheckDeps;
}

it.each([
  ['a moment before', 1, 1000],
  ['by a clock that is ahead by hours', 3 * 3_600_000, 80],
])('keeps the reading of a run that began later: %s', async (_when, laterMs, expected) => {
  const id = await sender(database, 80);
  await database.db.transaction().execute((tx) => insertState(tx, id));
  await sql`update senders set follows_throughput = true, messages_per_second = 80 where id = ${id}`.execute(
    database.db,
  );
  const begun = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const startMs = Date.now();
  const slow = checkSender(
    depsAt(startMs, async () => {
      begun.resolve();
      await answered.promise;
      return numberWith(80);
    }),
    id,
  );
  await begun.promise;
  await checkSender(
    depsAt(startMs + laterMs, async () => numberWith(1000)),
    id,
  );
  answered.resolve();
  await slow;
  const { rows } = await sql<{ throughput: number; rate: number }>`
    select x.throughput, s.messages_per_second as rate from sender_states x join senders s on s.id = x.sender_id
    where s.id = ${id}`.execute(database.db);
  expect(rows).toEqual([{ throughput: expected, rate: expected }]);
});

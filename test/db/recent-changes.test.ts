// Recent changes: gathered only while somebody listens, written after their commits, and never lost in silence.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { AppError } from '../../src/base/errors.ts';
import { uuidv7 } from '../../src/base/ids.ts';
import { openLog } from '../../src/base/log.ts';
import { openChanges } from '../../src/changes/changes.ts';
import { addChange, addFrame, type ChangedKinds, frameOf, kindsOfRoute } from '../../src/changes/kinds.ts';
import { deleteOldChanges, insertReload, recentChanges } from '../../src/changes/store.ts';
import { Listeners, type ListenersDeps } from '../../src/stream/listeners.ts';
import type { Sink } from '../../src/stream/stream.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => void (await sql`delete from recent_changes`.execute(database.db)));

const log = openLog('silent');
const accountId = uuidv7();
const rows = async () =>
  (await recentChanges(database.db, [accountId], { from: null, lateSeconds: 60 })).rows;

describe('changes', () => {
  it('are not gathered while nobody listens, and for 90 seconds after somebody did', async () => {
    let now = 0;
    const clock = { ...systemClock, steady: () => now };
    const changes = openChanges({ db: database.db, clock, log });
    changes.note(accountId, 'messages', 'a');
    changes.listen([accountId]);
    changes.note(accountId, 'messages', 'b');
    changes.note(uuidv7(), 'messages', 'c');
    now = 90_001;
    changes.note(accountId, 'messages', 'd');
    await changes.stop();
    expect(await rows()).toMatchObject([{ kinds: { messages: { ids: ['b'], more: false } } }]);
  });

  it('are written at least half a second after the next write began, not at once: their transaction may commit later', async () => {
    const changes = openChanges({ db: database.db, clock: systemClock, log });
    changes.listen([accountId]);
    const noted = performance.now();
    changes.note(accountId, 'templates');
    await vi.waitUntil(async () => (await rows()).length > 0, { timeout: 10_000, interval: 20 });
    expect(performance.now() - noted).toBeGreaterThan(900);
    await changes.stop();
  });

  it('ask for a reload if they cannot be written', async () => {
    const changes = openChanges({ db: database.db, clock: systemClock, log });
    changes.listen([accountId]);
    changes.noteDeliveries(['not a uuid']);
    await changes.stop();
    expect(await rows()).toMatchObject([{ account_id: null }]);
  });

  it('are deleted after two minutes, and a reload is recorded once for each reason', async () => {
    for (const reason of ['a', 'a', 'b']) await insertReload(database.db, reason);
    expect(await rows()).toHaveLength(2);
    await deleteOldChanges(database.db);
    expect(await rows()).toHaveLength(2);
    await sql`update recent_changes set at = at - interval '121 seconds'`.execute(database.db);
    await deleteOldChanges(database.db);
    const { rows: left } = await sql`select 1 from recent_changes`.execute(database.db);
    expect(left).toEqual([]);
  });

  it('list at most 100 ids, and only kinds that the scopes read', () => {
    const changed: ChangedKinds = new Map();
    for (let n = 0; n < 100; n++) addChange(changed, 'messages', `m${n}`);
    addChange(changed, 'messages', 'm1');
    expect(frameOf(changed).messages?.more).toBe(false);
    addChange(changed, 'messages', 'm100');
    addChange(changed, 'keys');
    const read: ChangedKinds = new Map();
    addFrame(read, frameOf(changed), new Set(['messages:read']));
    expect(frameOf(read)).toEqual({
      messages: { ids: expect.objectContaining({ length: 100 }), more: true },
    });
    expect(kindsOfRoute('/v1/templates/send')).toEqual(['messages']);
  });
});

/** Listeners on a clock that the test moves: `pass` runs one poll. */
function openTestListeners(more: Partial<ListenersDeps> = {}) {
  const time = { now: Date.now() };
  const steps: (() => void)[] = [];
  const clock = {
    now: () => time.now,
    steady: () => time.now,
    sleep: () => new Promise<void>((resolve) => steps.push(resolve)),
  };
  const changes = { listen: vi.fn() } as unknown as ListenersDeps['changes'];
  const authenticator = { check: vi.fn(async () => undefined) } as unknown as ListenersDeps['authenticator'];
  const listeners = new Listeners({
    ...{ db: database.db, clock, log, changes, authenticator },
    announceListeners: async () => undefined,
    isDraining: () => false,
    ...more,
  });
  const open = (of: string, id = uuidv7()) => {
    const state = { texts: [] as string[], isFull: false, ended: undefined as string | undefined };
    const sink: Sink = {
      write: (text) => state.texts.push(text) > 0,
      isFull: () => state.isFull,
      end: (text) => {
        state.ended = text;
      },
    };
    const caller = { id, accountId: of, scopes: new Set(['messages:read']) };
    return { state, opened: listeners.open({ caller, credential: { key: 'k' }, sink }, undefined), caller };
  };
  const pass = async (ms: number) => {
    time.now += ms;
    await vi.waitUntil(() => steps.length > 0);
    steps.shift()?.();
    await vi.waitUntil(() => steps.length > 0 || listeners.count === 0);
  };
  return { listeners, open, pass };
}
const insert = (id: string) =>
  sql`insert into recent_changes (account_id, kinds) values (${accountId}, ${JSON.stringify({ messages: { ids: [id], more: false } })}::jsonb)`.execute(
    database.db,
  );

describe('streams', () => {
  it('get each change once, also those that appear late, and a comment after 15 seconds of nothing', async () => {
    const { open, pass, listeners } = openTestListeners();
    const { state, opened } = open(accountId);
    await opened;
    await insert('a');
    await pass(1_000);
    await sql`update recent_changes set at = at - interval '3 seconds'`.execute(database.db);
    await insert('b');
    await sql`update recent_changes set at = at - interval '1 second'`.execute(database.db);
    await pass(1_000);
    await pass(1_000);
    expect(state.texts.map((text) => /"ids":\["(.)"\]/.exec(text)?.[1])).toEqual([undefined, 'a', 'b']);
    for (let n = 0; n < 15; n++) await pass(1_000);
    expect(state.texts.slice(3)).toEqual([': alive\n\n']);
    listeners.stop();
    expect(state.ended).toBe('retry: 1000\n\n');
  });

  it('wait for a slow reader, are closed if it takes nothing for a minute, and reload after a late poll', async () => {
    const { open, pass } = openTestListeners();
    const [slow, other] = [open(accountId), open(accountId)];
    await Promise.all([slow.opened, other.opened]);
    slow.state.isFull = true;
    await insert('a');
    await pass(1_000);
    await insert('b');
    await pass(1_000);
    expect([slow.state.texts.length, other.state.texts.length]).toEqual([1, 3]);
    slow.state.isFull = false;
    await pass(1_000);
    expect(slow.state.texts[1]).toContain('["a","b"]');
    slow.state.isFull = true;
    await pass(30_000);
    expect(other.state.texts.at(-1)).toContain('event: reload');
    expect(slow.state.ended).toBeUndefined();
    await pass(31_000);
    expect(slow.state.ended).toBe('');
  });

  it('end when their key or session is not valid any more, which is checked every 5 seconds', async () => {
    let error: Error | undefined;
    const check = vi.fn(async () => {
      if (error) throw error;
    });
    const { open, pass } = openTestListeners({ authenticator: { check } as never });
    const { state, opened } = open(accountId);
    await opened;
    for (let n = 0; n < 5; n++) await pass(1_000);
    expect(check.mock.calls).toEqual([[{ key: 'k' }]]);
    // the database is unavailable: that says nothing about the key
    error = new Error('no connection');
    await pass(5_000);
    expect(state.ended).toBeUndefined();
    error = new AppError('session_invalid', 'The session has ended.');
    await pass(4_000);
    expect(state.ended).toBeUndefined();
    await pass(1_000);
    expect(state.ended).toBe('');
  });

  it('are limited to 50 an account and 1,000 a process', async () => {
    const { open, listeners } = openTestListeners();
    const room = (of: string) => () => listeners.requireRoom({ id: uuidv7(), accountId: of });
    await Promise.all(Array.from({ length: 49 }, () => open(accountId).opened));
    expect(room(accountId)).not.toThrow();
    await open(accountId).opened;
    expect(room(accountId)).toThrow(/at most/);
    await Promise.all(Array.from({ length: 949 }, () => open(uuidv7()).opened));
    expect(room(uuidv7())).not.toThrow();
    await open(uuidv7()).opened;
    expect(room(uuidv7())).toThrow(/at most/);
    listeners.stop();
  });
});

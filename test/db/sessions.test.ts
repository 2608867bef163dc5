// The life of sessions and links: their ends, their keys, and that a link is valid once.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openAuthenticator } from '../../src/accounts/authenticate.ts';
import { createAccount, createKey, revoke, rotateKey } from '../../src/accounts/keys.ts';
import { createLink } from '../../src/accounts/links.ts';
import { listLinks } from '../../src/accounts/links-store.ts';
import { endSession, signInWithKey, signInWithLink } from '../../src/accounts/sessions.ts';
import { deleteEndedSessions, listSessions } from '../../src/accounts/sessions-store.ts';
import { AppError } from '../../src/base/errors.ts';
import { openLog } from '../../src/base/log.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.drop());

const second = 1_000;
const hour = 3_600 * second;
const how = { address: '127.0.0.1', previous: undefined };

/** An account with a key, a movable clock, and two processes. */
async function start() {
  const time = { now: Date.now() };
  const clock = { now: () => time.now, steady: () => time.now, sleep: async () => undefined };
  const { db } = database;
  const log = openLog('silent');
  const [authenticator, other] = [
    openAuthenticator({ db, clock, log }),
    openAuthenticator({ db, clock, log }),
  ];
  const deps = { db, clock, authenticator };
  const { accountId, key } = await createAccount(deps, 'x');
  return { time, db, deps, authenticator, other, accountId, key };
}

/** The code of the AppError that the work rejects with; "ok" if it resolves. */
const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'ok',
    (error) => (error instanceof AppError ? error.code : String(error)),
  );

it('ends after 12 hours without use, however often it was used before', async () => {
  const { time, db, deps, authenticator, key } = await start();
  const { token } = await signInWithKey(deps, key.apiKey, how);
  const use = () => codeOf(authenticator.authenticateSession(token));
  const recorded = async (id: string) => {
    const { rows } = await sql<{ at: Date }>`select last_used_at at from sessions where id = ${id}`.execute(
      db,
    );
    return rows[0]?.at.getTime();
  };
  const { id } = await authenticator.authenticateSession(token);
  for (let n = 0; n < 3; n++) {
    time.now += 11 * hour;
    expect(await use()).toBe('ok');
    await expect.poll(() => recorded(id)).toBe(time.now);
  }
  time.now += 12 * hour - second;
  expect(await codeOf(authenticator.check({ token }))).toBe('ok');
  time.now += 6 * second;
  expect(await use()).toBe('session_invalid');
});

it('is not prolonged by checks, such as those of an open stream', async () => {
  const { time, deps, authenticator, key } = await start();
  const { token } = await signInWithKey(deps, key.apiKey, how);
  for (let n = 0; n < 12; n++) {
    expect(await codeOf(authenticator.check({ token }))).toBe('ok');
    time.now += hour;
  }
  expect(await codeOf(authenticator.check({ token }))).toBe('session_invalid');
});

it('ends after 7 days in any case, also within the cache', async () => {
  const { time, deps, authenticator, key } = await start();
  const { token, endsAt } = await signInWithKey(deps, key.apiKey, how);
  expect(endsAt.getTime() - time.now).toBe(7 * 24 * hour);
  await sql`update sessions set last_used_at = ends_at`.execute(database.db);
  time.now = endsAt.getTime() - second;
  expect(await codeOf(authenticator.check({ token }))).toBe('ok');
  time.now += second;
  expect(await codeOf(authenticator.check({ token }))).toBe('session_invalid');
});

it('ends with its key: after a revocation within 5 seconds in every process, after a rotation with the overlap', async () => {
  const { time, deps, authenticator, other, accountId, key } = await start();
  const scopes = ['manage', 'messages:read'];
  const second_ = await createKey(deps, { accountId, name: 'second', scopes });
  const { token } = await signInWithKey(deps, second_.apiKey, how);
  const check = (of: typeof other) => codeOf(of.check({ token }));
  expect([await check(authenticator), await check(other)]).toEqual(['ok', 'ok']);
  const creator = { kind: 'key', id: key.id } as const;
  const rotated = await rotateKey(deps, { accountId, keyId: second_.id, overlapSeconds: 60, creator });
  authenticator.clearCache();
  expect(await check(authenticator)).toBe('ok');
  time.now += 60 * second;
  expect([await check(authenticator), await check(other)]).toEqual(['session_invalid', 'session_invalid']);

  const next = await signInWithKey(deps, rotated.apiKey, how);
  expect(await codeOf(other.check({ token: next.token }))).toBe('ok');
  await revoke(deps, { accountId, keyId: rotated.id });
  time.now += 5 * second + 1;
  expect(await codeOf(other.check({ token: next.token }))).toBe('session_invalid');
});

it('ends at the expiry of its key, also within the cache', async () => {
  const { time, deps, authenticator, accountId } = await start();
  const expiresAt = new Date(time.now + hour);
  const brief = await createKey(deps, { accountId, name: 'brief', scopes: ['manage'], expiresAt });
  const { token, endsAt } = await signInWithKey(deps, brief.apiKey, how);
  expect(endsAt).toEqual(expiresAt);
  time.now += hour - second;
  expect(await codeOf(authenticator.check({ token }))).toBe('ok');
  time.now += second;
  expect(await codeOf(authenticator.check({ token }))).toBe('session_invalid');
});

it('is rejected at once by the process that ended it, and 5 seconds later by the others', async () => {
  const { time, deps, authenticator, other, accountId, key } = await start();
  const { token, id } = await signInWithKey(deps, key.apiKey, how);
  for (const one of [authenticator, other]) expect(await codeOf(one.check({ token }))).toBe('ok');
  await endSession(deps, { accountId, id });
  expect(await codeOf(authenticator.check({ token }))).toBe('session_invalid');
  time.now += 5 * second + 1;
  expect(await codeOf(other.check({ token }))).toBe('session_invalid');
});

it('cannot be made with a revoked key that a process still has in its cache', async () => {
  const { deps, other, db, accountId, key, authenticator } = await start();
  await createKey(deps, { accountId, name: 'second', scopes: ['manage'] });
  await other.authenticate(key.apiKey);
  await authenticator.authenticate(key.apiKey);
  await revoke(deps, { accountId, keyId: key.id });
  expect(await codeOf(signInWithKey({ ...deps, authenticator: other }, key.apiKey, how))).toBe(
    'api_key_invalid',
  );
  const { rows } = await sql`select 1 from sessions where key_id = ${key.id}`.execute(db);
  expect(rows).toEqual([]);
});

it('replaces the one that the browser had, and beyond 100 of a key the least recently used ends', async () => {
  const { time, deps, db, accountId, key, authenticator } = await start();
  const first = await signInWithKey(deps, key.apiKey, how);
  const next = await signInWithKey(deps, key.apiKey, { ...how, previous: first.token });
  authenticator.clearCache();
  expect(await codeOf(authenticator.check({ token: first.token }))).toBe('session_invalid');
  expect(await codeOf(authenticator.check({ token: next.token }))).toBe('ok');
  for (let n = 0; n < 100; n++) {
    time.now += 1;
    await signInWithKey(deps, key.apiKey, how);
  }
  authenticator.clearCache();
  const { total } = await listSessions(db, accountId, { limit: 1, offset: 0, now: new Date(time.now) });
  expect(total).toBe(100);
  expect(await codeOf(authenticator.check({ token: next.token }))).toBe('session_invalid');
});

const linkOf = ({ accountId, key, deps }: Awaited<ReturnType<typeof start>>, more: object = {}) =>
  createLink(deps, { accountId, maker: { kind: 'key', id: key.id, keyId: key.id }, name: 'Maria', ...more });

it('a link makes one session, also if two requests use it at once', async () => {
  const started = await start();
  const { deps, db, accountId, time } = started;
  const { token } = await linkOf(started, { scopes: ['messages:read'] });
  const results = await Promise.all([1, 2, 3].map(() => codeOf(signInWithLink(deps, token, how))));
  expect(results.sort()).toEqual(['link_used', 'link_used', 'ok']);
  const { rows } = await listSessions(db, accountId, { limit: 10, offset: 0, now: new Date(time.now) });
  expect(rows).toMatchObject([{ name: 'Maria', scopes: ['messages:read'], key_id: started.key.id }]);
});

it('a link ends at its expiry and with its key, and a later session of it with the key', async () => {
  const started = await start();
  const { deps, time, accountId } = started;
  const { token } = await linkOf(started);
  time.now += 600 * second;
  expect(await codeOf(signInWithLink(deps, token, how))).toBe('link_used');
  const second_ = await createKey(deps, { accountId, name: 'second', scopes: ['manage'] });
  const maker = { kind: 'key', id: second_.id, keyId: second_.id } as const;
  const [one, two] = [await linkOf(started, { maker }), await linkOf(started, { maker })];
  const session = await signInWithLink(deps, one.token, how);
  await revoke(deps, { accountId, keyId: second_.id });
  deps.authenticator.clearCache();
  expect(await codeOf(signInWithLink(deps, two.token, how))).toBe('link_used');
  expect(await codeOf(deps.authenticator.check({ token: session.token }))).toBe('session_invalid');
});

it('a link cannot have a scope that its maker lacks, and only the command line gives the scope operator', async () => {
  const started = await start();
  const { deps, accountId, db } = started;
  const narrow = await createKey(deps, { accountId, name: 'narrow', scopes: ['manage'] });
  const maker = { kind: 'key', id: narrow.id, keyId: narrow.id } as const;
  expect(await codeOf(linkOf(started, { maker, scopes: ['messages:send'] }))).toBe('forbidden');
  expect(await codeOf(linkOf(started, { maker, scopes: ['operator'] }))).toBe('forbidden');
  expect(await codeOf(linkOf(started, { maker, scopes: ['conversations:read'] }))).toBe('ok');
  const link = await linkOf(started, { maker: 'operator', scopes: ['manage', 'operator'] });
  const session = await signInWithLink(deps, link.token, how);
  const caller = await deps.authenticator.authenticateSession(session.token);
  expect([caller.keyId, caller.scopes.has('operator')]).toEqual([null, true]);
  expect((await linkOf(started, { maker: caller })).scopes).toEqual(['manage']);
  const withOperator = sql`update api_keys set scopes = '{operator}' where id = ${narrow.id}`.execute(db);
  await expect(withOperator).rejects.toThrow(/check constraint/);
});

it('a session of the command line has no key; its links do not prolong it', async () => {
  const started = await start();
  const { deps, time } = started;
  const link = await linkOf(started, { maker: 'operator', scopes: ['manage'] });
  const session = await signInWithLink(deps, link.token, how);
  const maker = await deps.authenticator.authenticateSession(session.token);
  time.now += 6 * hour;
  const invited = await linkOf(started, { maker, expiresInSeconds: 86_400 });
  expect((await signInWithLink(deps, invited.token, how)).endsAt).toEqual(session.endsAt);
});

it('stores tokens as hashes only, keeps 100 links, and removes what has ended', async () => {
  const started = await start();
  const { deps, db, key, accountId, time } = started;
  const { token } = await signInWithKey(deps, key.apiKey, how);
  const links = [];
  for (let n = 0; n < 101; n++) links.push((await linkOf(started)).token);
  const stored = await sql`
    select to_jsonb(s)::text as row from sessions s union all select to_jsonb(l)::text from dashboard_links l`.execute(
    db,
  );
  for (const secret of [token, links[100] ?? '']) {
    expect(JSON.stringify(stored.rows)).not.toContain(secret);
    expect(JSON.stringify(stored.rows)).not.toContain(Buffer.from(secret).toString('hex'));
  }
  const count = async () =>
    (await listLinks(db, accountId, { limit: 1, offset: 0, now: new Date(time.now) })).total;
  expect(await count()).toBe(100);
  expect(await codeOf(signInWithLink(deps, links[0] ?? '', how))).toBe('link_used');
  await deleteEndedSessions(db, new Date(time.now + 13 * hour + second));
  const { rows } = await sql`
    select id from sessions where account_id = ${accountId}
    union all select id from dashboard_links where account_id = ${accountId}`.execute(db);
  expect(rows).toEqual([]);
});

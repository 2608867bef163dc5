// The client address that failed logins are counted for, with and without declared proxies.
import rateLimit from '@fastify/rate-limit';
import fastify, { type FastifyBaseLogger } from 'fastify';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openAdmission } from '../../src/accounts/admit.ts';
import { openAuthenticator } from '../../src/accounts/authenticate.ts';
import { createAccount } from '../../src/accounts/keys.ts';
import { systemClock } from '../../src/base/clock.ts';
import { openLog } from '../../src/base/log.ts';
import { openMetrics } from '../../src/base/metrics.ts';
import { findNotice } from '../../src/db/operator-notices.ts';
import { sendFailure } from '../../src/http/reply.ts';
import type { Server } from '../../src/http/request.ts';
import { browserOrigins } from '../../src/http/session-cookie.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';

let database: TestDatabase;
let apiKey: string;
beforeAll(async () => {
  database = await createTestDatabase();
  apiKey = (await createAccount({ db: database.db, clock: systemClock }, 'x')).key.apiKey;
});
afterAll(() => database.drop());

const closers: (() => Promise<unknown>)[] = [];
afterEach(() => Promise.all(closers.splice(0).map((close) => close())));

/** A server with the gateway's authentication. Delayed responses wait until `release` is called. */
async function start(trustedProxies: string[]) {
  const time = { now: systemClock.now() };
  const log = openLog('silent');
  const { db } = database;
  const server = fastify({
    loggerInstance: log as FastifyBaseLogger,
    trustProxy: trustedProxies.length > 0 ? trustedProxies : false,
  }) as unknown as Server;
  await server.register(rateLimit, { global: false });
  const waits: (() => void)[] = [];
  const clock = { ...systemClock, now: () => time.now, steady: () => time.now };
  const limits = { rateLimitPerMinute: 0, accountRateLimitPerMinute: 0, sessionRateLimitPerMinute: 0 };
  const deps = {
    db,
    clock,
    log,
    metrics: openMetrics(),
    authenticator: openAuthenticator({ db, clock, log }),
    trustedProxies,
    browserOrigins: () => browserOrigins(null, 'http://127.0.0.1:8080'),
    ...limits,
  };
  const { admit } = openAdmission(server, deps, () => new Promise<void>((resolve) => waits.push(resolve)));
  server.decorateRequest('caller');
  server.addHook('onRequest', async (request, reply) => admit(request, reply, 'templates:read'));
  server.setErrorHandler((error, request, reply) => sendFailure(error, request, reply));
  server.get('/', async () => 'in');
  const url = await server.listen({ port: 0, host: '127.0.0.1' });
  closers.push(() => server.close());
  const ask = (forwardedFor?: string, key?: string) =>
    fetch(url, {
      headers: {
        ...(forwardedFor === undefined ? {} : { 'X-Forwarded-For': forwardedFor }),
        ...(key === undefined ? {} : { 'X-API-Key': key }),
      },
    }).then(({ status }) => status);
  /** Number of requests answered immediately, and number delayed. */
  async function answeredOf(count: number, one: (index: number) => Promise<unknown>) {
    const before = waits.length;
    let answered = 0;
    for (let index = 0; index < count; index++)
      one(index).then(
        () => (answered += 1),
        () => undefined,
      );
    await expect.poll(() => answered + waits.length - before).toBe(count);
    return { answered, waiting: waits.length - before };
  }
  const release = () => waits.splice(0).forEach((over) => void over());
  return { ask, answeredOf, release, time };
}

test('counts the address that a declared proxy reports, not addresses that the caller added', async () => {
  const { ask, answeredOf, release } = await start(['127.0.0.1']);
  const from = (index: number) => `203.0.113.${index}, 198.51.100.7`;
  expect(await answeredOf(65, (index) => ask(from(index)))).toEqual({ answered: 60, waiting: 5 });
  expect(await answeredOf(1, () => ask('198.51.100.7, 198.51.100.8'))).toEqual({ answered: 1, waiting: 0 });
  expect(await ask('198.51.100.7', apiKey)).toBe(200);
  release();
});

test('ignores the forwarding header of anyone but a declared proxy', async () => {
  const { ask, answeredOf, release } = await start(['10.99.0.0/16']);
  const counts = await answeredOf(65, (index) => ask(`203.0.113.${index}`));
  expect(counts).toEqual({ answered: 60, waiting: 5 });
  expect(await ask('203.0.113.200', apiKey)).toBe(200);
  release();
});

test('counts no failures behind an undeclared private proxy and records a notice every ten minutes', async () => {
  const { ask, answeredOf, release, time } = await start([]);
  const notice = () => findNotice(database.db, 'untrusted_proxy', new Date(0));
  expect(await answeredOf(1, () => ask())).toEqual({ answered: 1, waiting: 0 });
  expect(await notice()).toBeUndefined();
  expect(await answeredOf(70, () => ask('203.0.113.1'))).toEqual({ answered: 70, waiting: 0 });
  const first = { detail: '127.0.0.1', seenAt: new Date(time.now) };
  await expect.poll(notice).toEqual(first);
  expect(await findNotice(database.db, 'untrusted_proxy', new Date(time.now + 1))).toBeUndefined();
  time.now += 9 * 60_000;
  await ask('203.0.113.1');
  expect(await notice()).toEqual(first);
  time.now += 60_000;
  await ask('203.0.113.1');
  await expect.poll(notice).toEqual({ ...first, seenAt: new Date(time.now) });
  expect(await answeredOf(61, () => ask())).toEqual({ answered: 59, waiting: 2 });
  release();
});

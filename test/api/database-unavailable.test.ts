// An unavailable database: requests get 503 with Retry-After, readiness fails, and retries continue.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { TcpProxy } from '../faults/tcp-proxy.ts';
import { openDatabaseProxy } from '../harness/database-proxy.ts';
import { type Answer, addSender, type Gateway, startGateway } from '../harness/gateway.ts';
import { send, templateKinds } from '../harness/sends.ts';

let gateway: Gateway;
let proxy: TcpProxy;
let templateId: string;
let dataDir: string;
/** A direct connection, without the proxy. */
let direct: Gateway['database']['db'];

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'away-test-'));
  gateway = await startGateway({
    settings: { OBJECT_STORE_URL: `file:${dataDir}/objects` },
    async through(connection) {
      const way = await openDatabaseProxy(connection);
      proxy = way.proxy;
      return way.connection;
    },
  });
  direct = gateway.database.db;
  templateId = (await addSender(gateway, templateKinds)).templateIds.plain ?? '';
});
afterAll(async () => {
  await gateway?.close();
  await proxy?.close();
  await rm(dataDir, { recursive: true, force: true });
});

const summary = ({ status, headers, body }: Answer<object>) => ({
  status,
  code: body.code,
  again: Number(headers.get('retry-after')) > 0,
});
const soon = { interval: 20 };
const unavailable = { status: 503, code: 'database_unavailable', again: true };
const ready = () => gateway.call('GET', '/health/ready', { key: null });
const endpoint = () => ({ url: gateway.receiver.hookUrl(randomUUID()) });
const newEndpoint = () => gateway.call('POST', '/v1/webhooks/endpoints', { body: endpoint() });

let lastPhone = 15550700000;
function keyedSend(count = 1) {
  const recipients = Array.from({ length: count }, () => String(++lastPhone));
  const headers = { 'Idempotency-Key': randomUUID() };
  return {
    phone: String(lastPhone),
    send: () => send(gateway, { templateId, recipients }, { headers }),
  };
}

describe('a server that becomes read-only', () => {
  let name: string;
  beforeAll(async () => {
    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(direct);
    name = rows[0]?.name ?? '';
  });
  afterEach(() => sql.raw(`alter database ${name} reset default_transaction_read_only`).execute(direct));

  test('makes requests 503 with Retry-After and the process not ready, until it accepts writes again', async () => {
    const { phone, send: sendOnce } = keyedSend();
    await sql.raw(`alter database ${name} set default_transaction_read_only = on`).execute(direct);
    proxy.cut();
    expect(summary(await sendOnce())).toEqual(unavailable);
    expect(summary(await newEndpoint())).toEqual(unavailable);
    const readiness = await ready();
    expect(readiness.status).toBe(503);
    expect(readiness.text).toMatch(/read-only/);
    await sql.raw(`alter database ${name} reset default_transaction_read_only`).execute(direct);
    await expect.poll(async () => (await ready()).status, soon).toBe(200);
    expect((await sendOnce()).status).toBe(200);
    expect(await gateway.platform.ledger({ phone })).toHaveLength(1);
  });
});

/** Makes every insert into a table fail with that code, as a failing server does. */
async function refusing(table: string, event: string, code: string, when = 'true') {
  await sql
    .raw(`create or replace function refuse() returns trigger language plpgsql as $$
    begin raise exception 'raised by a test' using errcode = '${code}'; end $$`)
    .execute(direct);
  await sql
    .raw(
      `create trigger refuse before ${event} on ${table} for each row when (${when}) execute function refuse()`,
    )
    .execute(direct);
  return () => sql.raw(`drop trigger refuse on ${table}`).execute(direct);
}

describe('a statement that the server cannot execute', () => {
  test.each(['25006', '53200', '53300', '57P01', '58030'])(
    'with error %s is 503 with Retry-After',
    async (code) => {
      const end = await refusing('endpoints', 'insert', code);
      expect(summary(await newEndpoint())).toEqual(unavailable);
      await end();
    },
  );

  test('of the readiness check makes the process not ready', async () => {
    const end = await refusing('readiness', 'update', '53100');
    await expect.poll(async () => (await ready()).status, soon).toBe(503);
    await end();
    await expect.poll(async () => (await ready()).status, soon).toBe(200);
  });

  test('on a full disk is 507 with what to do, and the request succeeds once there is space', async () => {
    const { phone, send: sendOnce } = keyedSend();
    const end = await refusing('sends', 'insert', '53100');
    const refused = await sendOnce();
    expect(summary(refused)).toEqual({ status: 507, code: 'storage_full', again: true });
    expect(refused.body.message).toMatch(/disk is full.*Free or add space/);
    await end();
    expect((await sendOnce()).status).toBe(200);
    expect(await gateway.platform.ledger({ phone })).toHaveLength(1);
  });

  test('after the messages were written releases the key to the next request, which continues', async () => {
    // the response to a single message would be stored with its acceptance, which is repeated
    const { phone, send: sendOnce } = keyedSend(2);
    const end = await refusing('idempotency_keys', 'update', '53200', 'new.status is not null');
    expect(summary(await sendOnce())).toEqual(unavailable);
    await end();
    // its lease of a minute is released immediately
    await expect.poll(async () => (await sendOnce()).status, soon).toBe(200);
    expect(await gateway.platform.ledger({ phone })).toHaveLength(1);
  });
});

test('a frozen server makes the process not ready within about 2 seconds, and ready again when it resumes', async () => {
  // longer than a check's result is reused
  await expect.poll(async () => (await ready()).status, soon).toBe(200);
  proxy.freeze();
  const began = performance.now();
  await expect.poll(async () => (await ready()).text, soon).toMatch(/no response within 2 seconds/);
  expect(performance.now() - began).toBeLessThan(20_000);
  proxy.unfreeze();
  await expect.poll(async () => (await ready()).status, soon).toBe(200);
});

test('a newer schema keeps this process ready, unless a migration breaks older programs', async () => {
  const later = '9999_later';
  await sql`insert into kysely_migration (name, timestamp) values (${later}, '')`.execute(direct);
  const word = async () => (await ready()).status;
  await expect.poll(word, soon).toBe(200);
  await sql`insert into breaking_migrations values (${later})`.execute(direct);
  await expect.poll(word, soon).toBe(503);
  expect((await ready()).text).toContain(later);
  await sql`delete from breaking_migrations`.execute(direct);
  await sql`delete from kysely_migration where name = ${later}`.execute(direct);
  await expect.poll(word, soon).toBe(200);
});

test('a missing object store is reported as degraded, and the process stays ready', async () => {
  const incoming = join(dataDir, 'objects', 'incoming');
  await rename(incoming, `${incoming}.away`);
  const degraded = async () => {
    const { status, body } = await ready();
    return [status, body.data?.degraded];
  };
  await expect.poll(degraded, soon).toEqual([200, ['objectStore']]);
  await rename(`${incoming}.away`, incoming);
  await expect.poll(degraded, soon).toEqual([200, []]);
});

// A backup of a used gateway, its restore into another database, and the held gateway until its release, by the commands.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { gatewaySettings } from '../../demo/gateway-settings.ts';
import type { App } from '../../src/app.ts';
import { makeKey } from '../../src/base/cipher.ts';
import type { Connection } from '../../src/db/db.ts';
import { findHeldSince } from '../../src/db/gateway-state.ts';
import { bookingOf, comingMonday, plainSchedule } from '../harness/appointments-fixture.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { contentOf } from '../harness/database-content.ts';
import { type CallOptions, googleClient } from '../harness/gateway.ts';
import { type Inbound, startInbound } from '../harness/inbound.ts';
import { headersFor, operationsOf, sampleOf } from '../harness/operations.ts';
import { send, uploadMedia } from '../harness/sends.ts';

const cli = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));
const base = '/v1/appointments';
const email = 'ada@clinic.example';
let inbound: Inbound;
let folder: string;
let target: TestDatabase;
let restored: App;
let later: string;
const deleted = randomUUID();
const ids: Record<'staff' | 'media' | 'queued' | 'marketing' | 'scheduled', string> = {} as never;

/** Runs a command; returns its output. */
async function run(
  args: string[],
  connection: Connection,
  objects: string,
  more: Record<string, string> = {},
): Promise<string> {
  const { host, port, user, password, database } = connection as Exclude<
    Connection,
    { connectionString: string }
  >;
  const address = `postgres://${user}:${password ?? ''}@localhost/${database}?host=${encodeURIComponent(host)}&port=${port}`;
  const { urls } = inbound.gateway;
  const env = {
    ...{
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      TMPDIR: process.env.TMPDIR,
    },
    ...gatewaySettings({ cloudApiUrl: urls.cloudApi, googleUrl: urls.google }, googleClient),
    ...{ DATABASE_URL: 'connectionString' in connection ? String(connection.connectionString) : address },
    ...{ ENCRYPTION_KEYS: inbound.gateway.keys, BACKUP_KEYS: backupKeys, BACKUP_MB_PER_SECOND: '0' },
    ...{ DATA_DIR: join(folder, 'data'), OBJECT_STORE_URL: `file:${objects}`, ...more },
  };
  const { stdout } = await promisify(execFile)(process.execPath, [cli, ...args], { cwd: folder, env });
  return stdout;
}

const backupKeys = makeKey();
const call = <T>(method: string, path: string, options: CallOptions = {}) =>
  inbound.gateway.call<T>(method, path, { url: restored.url, ...options });

async function must<T>(method: string, path: string, body?: unknown, more: CallOptions = {}): Promise<T> {
  const answer = await inbound.gateway.call<T>(method, path, { body, ...more });
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.text}`);
  return answer.body.data;
}

const book = (from: string, to: string) =>
  must<{ bookingId: string }>('POST', `${base}/book`, bookingOf(ids.staff, comingMonday(), from, to), {
    headers: { 'Idempotency-Key': randomUUID() },
  });

/** Fills the gateway with everything that a backup has to keep, and with queued messages. */
async function fill(): Promise<void> {
  const { gateway, templateId } = inbound;
  await inbound.receive([inbound.written({ from: '15550001' })]);
  await must('PUT', '/v1/opt-outs/15550002', { scope: 'all' });
  ids.media = await uploadMedia(gateway, Buffer.from('%PDF-1.7 file'), 'a.pdf', 'application/pdf');
  await gateway.google.putAccount({ email, timeZone: 'UTC' });
  ids.staff = (await must<{ _id: string }>('POST', `${base}/users`, { name: 'Ada', email }))._id;
  await must('PUT', `${base}/users/${ids.staff}/schedule`, plainSchedule);
  const { authUrl } = await must<{ authUrl: string }>(
    'GET',
    `${base}/ext-calendar/auth-url?appointmentUserId=${ids.staff}`,
  );
  await fetch(authUrl);
  await book('10:00', '10:30');
  later = (await book('11:00', '11:30')).bookingId;
  const sent = await send(gateway, { templateId, recipients: ['15550001'] });
  await gateway.receiver.events({
    messageId: sent.body.data.messages[0]?.messageId ?? '',
    status: 'read',
    waitSeconds: 30,
  });
  const { db } = gateway.database;
  const sale = await sql<{ id: string }>`select id from templates where name = 'sale'`.execute(db);
  const sendAt = new Date(Date.now() + 3_600_000).toISOString();
  const at = await send(gateway, { templateId, recipients: ['15550003'], sendAt });
  ids.scheduled = at.body.data.sendId;
  await must('POST', '/v1/sends', { templateId, name: 'draft' });
  await sql`update senders set halted_at = now(), halted_reason = 'test'`.execute(db);
  const respondAsync = { headers: { Prefer: 'respond-async' } };
  const queued = await send(gateway, { templateId, recipients: ['15550004'] }, respondAsync);
  ids.queued = queued.body.data.messages[0]?.id ?? queued.text;
  const recipients = [
    {
      phone: '15550005',
      variables: {
        'header.1': 'June',
        'body.1': 'Ada',
        'body.2': 'X',
        'buttons.1.1': 'a',
        'buttons.2.1': 'CODE',
      },
    },
  ];
  const marketing = await send(gateway, { templateId: sale.rows[0]?.id ?? '', recipients }, respondAsync);
  ids.marketing = marketing.body.data.messages?.[0]?.id ?? marketing.text;
}

beforeAll(async () => {
  inbound = await startInbound();
  folder = await mkdtemp(join(tmpdir(), 'restored-'));
  await fill();
  await inbound.gateway.stop();
}, 120_000);
afterAll(async () => {
  await inbound?.gateway.close();
  await target?.drop();
  await rm(folder, { recursive: true, force: true });
});

test('a backup is restored table by table and file by file', async () => {
  const { gateway } = inbound;
  const file = join(folder, 'b.tar');
  const source = gateway.database;
  expect(await run(['backup', file], source.connection, join(gateway.dataDir, 'objects'))).toContain(
    'Backup written',
  );
  const before = await contentOf(source.db);
  target = await createTestDatabase('empty');
  const objects = join(folder, 'objects');
  expect(await run(['restore', file], target.connection, objects)).toContain('The gateway is held');
  const after = await contentOf(target.db);
  const { sessions: _one, backups: _these, gateway_state: _state, ...tables } = before.tables;
  for (const [name, rows] of Object.entries(tables)) expect([name, after.tables[name]]).toEqual([name, rows]);
  expect([after.partitions, after.sequences]).toEqual([before.partitions, before.sequences]);
  const filled = Object.entries(tables).filter(([, rows]) => rows.length > 0);
  expect(filled.length).toBeGreaterThan(25);
  // a deleted file, whose object the worker removes in its first round
  await sql`
    insert into media (id, account_id, state, kind, mime_type, file_name, object_key, file_key, due_at)
    select ${deleted}, account_id, 'removing', kind, mime_type, file_name, 'media/deleted', file_key, now() from media`.execute(
    target.db,
  );
  // as if it had been booked after the backup: only the calendar has it
  await sql`delete from bookings where id = ${later}`.execute(target.db);
  restored = await gateway.on(target, { OBJECT_STORE_URL: `file:${objects}` });
  const content = await fetch(`${restored.url}/v1/media/${ids.media}/content`, {
    headers: { 'X-API-Key': gateway.apiKey },
  });
  expect(await content.text()).toBe('%PDF-1.7 file');
});

/** What sends or books. Everything else works while the gateway is held. */
const rejected = [
  'POST /v1/appointments/book',
  'POST /v1/appointments/bookings/{id}/cancel',
  'POST /v1/appointments/bookings/{id}/reschedule',
  'POST /v1/contacts/erase',
  'POST /v1/messages/received/{id}/read',
  'POST /v1/messages/reply',
  'POST /v1/messages/{id}/resend',
  'POST /v1/sends/{sendId}/resume',
  'POST /v1/sends/{sendId}/start',
  'POST /v1/templates/send',
  'POST /v1/webhooks/endpoints/{id}/test',
];

test('a held gateway rejects what sends or books, and nothing else', async () => {
  const ready = await call<{ held: boolean }>('GET', '/health/ready', { key: null });
  expect([ready.status, ready.body.data.held]).toEqual([200, true]);
  const [stored] = (
    await sql<{ since: Date }>`select held_since as since from gateway_state`.execute(target.db)
  ).rows;
  const health = await run(['health'], target.connection, join(folder, 'objects'), {
    PORT: new URL(restored.url).port,
  });
  expect(health).toBe(
    `Ready. The gateway has been held since ${stored?.since.toISOString()}, after a restore: it neither sends nor books. Check what was restored, then run "release".\n`,
  );
  const gateway = { ...inbound.gateway, url: restored.url, call } as typeof inbound.gateway;
  const held: string[] = [];
  for (const operation of await operationsOf(gateway)) {
    const { method, path, body } = operation;
    // its response never ends
    if (path === '/v1/events/stream' || path === '/v1/operator/health') continue;
    const to = path.replaceAll(/\{\w+\}/g, () => randomUUID());
    const options = { headers: headersFor(operation, gateway), ...(body ? { body: sampleOf(body) } : {}) };
    const answer = await call(method, to, options);
    if (answer.body?.code !== 'held') continue;
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '60']);
    held.push(`${method} ${path}`);
  }
  expect(held.sort()).toEqual([...rejected].sort());
});

test('a held gateway accepts callbacks and calls nobody, until it is released', async () => {
  const { gateway } = inbound;
  const before = await gateway.platform.ledger();
  await sql`update senders set halted_at = null`.execute(target.db);
  await sql`update sends set send_at = now() where stage = 1`.execute(target.db);
  await sql`update send_feeds set due_at = now()`.execute(target.db);
  const written = inbound.written({ from: '15550006' });
  const posted = await inbound.postTo(restored.url, written);
  expect(posted.status).toBe(200);
  // the workers that change only this database go on
  const { rows } = await sql<{ now: Date }>`select now()`.execute(target.db);
  await expect
    .poll(async () => {
      const folded = await sql<{ until: Date }>`select folded_until as until from statistics_folds`.execute(
        target.db,
      );
      return (folded.rows[0]?.until.getTime() ?? 0) > (rows[0]?.now.getTime() ?? 0);
    })
    .toBe(true);
  expect(await inbound.eventsOf(written.id)).toEqual([]);
  const isThere = async () =>
    (await sql`select 1 from media where id = ${deleted}`.execute(target.db)).rows.length > 0;
  expect(await isThere()).toBe(true);
  expect(await stateOf(ids.queued)).toEqual({ state: 0, code: null });

  const check = (...more: string[]) =>
    run(['release', '--check', ...more], target.connection, join(folder, 'objects'));
  await gateway.google.addFault({ does: 'refuse', reason: 'forbidden', on: 'events.list' });
  const unread = JSON.parse(await check('--json'));
  expect(unread).toEqual({ unknownBookings: { events: [], unread: 1, unreadStaffIds: [ids.staff] } });
  await gateway.google.clearFaults();
  expect(await findHeldSince(target.db)).not.toBeNull();

  const printed = await run(['release'], target.connection, join(folder, 'objects'));
  expect(printed).toContain('2 messages that were queued in the backup ended with 900006');
  expect(printed).toContain('1 marketing, scheduled or unfinished send is paused');
  expect(printed).toContain(`booking ${later}`);
  expect(await check()).toContain(`booking ${later}`);
  await expect.poll(() => inbound.eventsOf(written.id)).toHaveLength(1);
  for (const id of [ids.queued, ids.marketing]) expect(await stateOf(id)).toEqual({ state: 6, code: 900006 });
  const scheduled = await call<{ state: string; pausedReason: string }>('GET', `/v1/sends/${ids.scheduled}`);
  expect(scheduled.body.data).toMatchObject({ state: 'paused', pausedReason: 'restored' });
  await expect
    .poll(async () => (await call<object>('GET', '/health/ready', { key: null })).body.data)
    .not.toHaveProperty('held');
  const again = await send(
    gateway,
    { templateId: inbound.templateId, recipients: ['15550007'] },
    { url: restored.url },
  );
  expect(again.body.data.accepted).toBe(1);
  const phones = (await gateway.platform.ledger()).map(({ phone }) => phone);
  expect(phones.filter((phone) => ['15550003', '15550004', '15550005'].includes(phone))).toEqual([]);
  expect(phones.length).toBe(before.length + 1);
});

async function stateOf(id: string) {
  const { rows } = await sql<{ state: number; code: number | null }>`
    select state, (error ->> 'code')::int as code from messages where id = ${id}`.execute(target.db);
  return rows[0];
}

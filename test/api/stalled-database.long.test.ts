// A database that answers nothing, or confirms no commit: every request gets its 503 within about 10 s, and keys settle afterwards.
import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openLog } from '../../src/base/log.ts';
import { type Embedded, startEmbeddedPostgres } from '../../src/db/embedded/start.ts';
import { openDatabase } from '../../src/open-database.ts';
import type { TcpProxy } from '../faults/tcp-proxy.ts';
import { administer } from '../harness/administer.ts';
import { openDatabaseProxy } from '../harness/database-proxy.ts';
import { addSender, type Gateway, startGateway } from '../harness/gateway.ts';
import { send, templateKinds } from '../harness/sends.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 90_000 });

const log = openLog('silent');
/** 9 s, the check's interval, and a busy machine. */
const answeredWithinMs = 12_000;
let folder: string;
let server: Embedded;
let proxy: TcpProxy;
let gateway: Gateway;
let templateId: string;
let departmentId: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stalled-test-'));
  // started by root, the server runs as another user, who must be able to enter
  await chmod(folder, 0o711);
  const dataDir = join(folder, 'data');
  server = await startEmbeddedPostgres({ dataDir, log });
  await (await openDatabase({ connection: server.connection, dataDir }, log, 'migrate')).close();
  gateway = await startGateway({
    // the fewest: most requests wait for a connection
    settings: { DATABASE_CONNECTIONS: '10' },
    async through() {
      const way = await openDatabaseProxy(server.connection);
      proxy = way.proxy;
      return way.connection;
    },
  });
  templateId = (await addSender(gateway, templateKinds)).templateIds.plain ?? '';
  const path = '/v1/appointments/departments';
  const made = await gateway.call<{ _id: string }>('POST', path, { body: { name: 'Before' } });
  departmentId = made.body.data._id;
});
afterAll(async () => {
  await gateway?.close();
  await proxy?.close();
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

let lastPhone = 15550800000;
function keyedSend() {
  lastPhone += 1;
  const [phone, key] = [String(lastPhone), randomUUID()];
  const request = { templateId, recipients: [phone] };
  return { phone, send: () => send(gateway, request, { headers: { 'Idempotency-Key': key } }) };
}

/** Requests of every kind for six seconds, more than there are connections; returns the longest wait and how many ended how. */
async function ask(sends: ReturnType<typeof keyedSend>[]) {
  const path = `/v1/appointments/departments/${departmentId}`;
  const ended: Record<string, number> = {};
  let longestMs = 0;
  const timed = async (request: () => Promise<{ status: number; body: { code?: string } }>) => {
    const began = performance.now();
    const { status, body } = await request();
    longestMs = Math.max(longestMs, performance.now() - began);
    const result = `${status} ${body.code ?? ''}`;
    ended[result] = (ended[result] ?? 0) + 1;
  };
  const waits: Promise<void>[] = [];
  for (const [index, one] of sends.entries()) {
    waits.push(timed(one.send));
    waits.push(timed(() => gateway.call('PATCH', path, { body: { name: `Change ${index}` } })));
    waits.push(timed(() => gateway.call('POST', '/v1/appointments/departments', { body: { name: 'New' } })));
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  await Promise.all(waits);
  return { longestMs, ended };
}

async function expectSettled(sends: ReturnType<typeof keyedSend>[]): Promise<void> {
  for (const one of sends) {
    await expect.poll(async () => (await one.send()).status, { interval: 100 }).toBe(200);
    // a response may say that the message is queued
    await expect.poll(() => gateway.platform.ledger({ phone: one.phone })).toHaveLength(1);
  }
}

test('a request gets its 503 within about 10 s while no standby confirms commits, whatever it waits for', async () => {
  const sends = Array.from({ length: 20 }, keyedSend);
  await administer(server.administrator, "alter system set synchronous_standby_names = 'nobody'");
  await administer(server.administrator, 'select pg_reload_conf()');
  const { longestMs, ended } = await ask(sends);
  expect(longestMs).toBeLessThan(answeredWithinMs);
  expect(ended['503 database_unavailable']).toBeGreaterThan(40);
  await administer(server.administrator, "alter system set synchronous_standby_names = ''");
  await administer(server.administrator, 'select pg_reload_conf()');
  await expectSettled(sends);
});

test('a request gets its 503 within about 10 s from a server that does not respond', async () => {
  const sends = Array.from({ length: 20 }, keyedSend);
  proxy.freeze();
  const { longestMs, ended } = await ask(sends);
  expect(longestMs).toBeLessThan(answeredWithinMs);
  expect(Object.keys(ended)).toEqual(['503 database_unavailable']);
  proxy.unfreeze();
  await expectSettled(sends);
});

// A second start: after an orderly stop, with other ports, and after kills of the gateway and of the sandbox.
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Demo } from '../../demo/seed.ts';
import { cloudApiControl, receiverControl } from '../../sandbox/control.ts';
import { bookFirst, type Staff, sendTo } from '../harness/demo-account.ts';
import { freePort } from '../harness/free-port.ts';
import { type Call, gatewayClient } from '../harness/gateway-client.ts';
import { openProgramFolder, type Program, type ProgramFolder } from '../harness/program.ts';
import { until } from '../harness/until.ts';

// several whole starts each
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

let workspace: ProgramFolder;
let program: Program;
let demo: Demo;
let gateway: Call;
const strangers: Server[] = [];

async function start(env: Record<string, string> = {}): Promise<void> {
  ({ program, demo } = await workspace.startDemo({ env }));
  gateway = gatewayClient(demo.baseUrl, demo.apiKey);
}

beforeAll(async () => {
  workspace = await openProgramFolder({ migrated: true });
  await start();
});
afterAll(async () => {
  for (const server of strangers) server.close();
  await workspace?.close();
});

const portOf = (url: string) => Number(new URL(url).port);

/** Occupies a port, as another program would, unless one has it already. */
const take = (port: number) =>
  new Promise<void>((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve() : reject(error),
    );
    server.listen(port, '127.0.0.1', () => {
      strangers.push(server);
      resolve();
    });
  });

/** Sends a message and waits for its last webhook. */
async function sendUntilRead(phone: string): Promise<string> {
  const { messageId } = await sendTo(gateway, phone);
  await readAt(messageId as string);
  return messageId as string;
}

async function readAt(messageId: string): Promise<void> {
  const receiver = receiverControl(demo.sandbox.receiverUrl);
  while ((await receiver.events({ messageId, status: 'read', verified: true, waitSeconds: 5 })).length === 0);
}

const staff = async () => (await gateway<{ items: Staff[] }>('GET', '/v1/appointments/users')).items;
const bookings = async () =>
  (await gateway<{ items: { _id: string; status: string }[] }>('GET', '/v1/appointments/bookings')).items;
const messages = async () =>
  (await gateway<{ items: { id: string; status: string }[] }>('GET', '/v1/messages')).items;
const stateOf = async (phone: string) =>
  (await gateway<{ items: { status: string }[] }>('GET', `/v1/messages?phone=${phone}`)).items[0]?.status;

test('a start on a DATA_DIR in use fails with a clear error and does not disturb the gateway', async () => {
  const second = await workspace.run(['start', '--sandbox']);
  expect(second).toMatchObject({ code: 1, out: '' });
  expect(second.err).toMatch(/Another gateway already runs on .*Stop it first, or set another DATA_DIR/);
  expect(second.err).not.toMatch(/ {4}at /);
  await sendUntilRead('15550300001');
});

test('after an orderly stop, a start with other ports works with all data', async () => {
  const before = demo;
  const [one] = await staff();
  await bookFirst(gateway, one?._id as string);
  const had = { messages: await messages(), bookings: await bookings(), staff: await staff() };
  program.process.kill('SIGTERM');
  expect(await program.ended).toMatchObject({ code: 0 });
  expect(workspace.living()).toEqual([]);
  for (const url of [demo.baseUrl, ...Object.values(demo.sandbox)]) await take(portOf(url));

  await start({ PORT: String(await freePort()) });
  const { baseUrl, sandbox, ...same } = before;
  expect(demo).toMatchObject(same);
  expect(new Set([demo.baseUrl, baseUrl]).size).toBe(2);
  for (const url of Object.values(demo.sandbox)) expect(Object.values(sandbox)).not.toContain(url);
  expect({ messages: await messages(), bookings: await bookings(), staff: await staff() }).toEqual(had);
  await sendUntilRead('15550300002');
  for (const { _id } of await staff())
    expect(await bookFirst(gateway, _id)).toMatchObject({ status: 'confirmed' });
  expect(await bookings()).toHaveLength(4);
});

test('a killed gateway ends its sandbox; the next start takes over the database and does not resend a message in flight', async () => {
  const platform = cloudApiControl(demo.sandbox.cloudApiUrl);
  await sendUntilRead('15550300003');
  const had = await messages();
  await platform.settings({ sentMs: 1_000 });
  await platform.addFault({ on: 'messages', does: 'hang', when: 'after', times: 1 });
  const phone = '15550300004';
  const answer = sendTo(gateway, phone).catch(() => undefined);
  await until(async () => expect(await platform.ledger({ phone })).toHaveLength(1));
  program.process.kill('SIGKILL');
  await Promise.all([program.ended, answer]);
  await until(() =>
    expect(workspace.living().filter(({ command }) => command.includes('sandbox/main.ts'))).toEqual([]),
  );
  const survivors = workspace.living().length;

  await start();
  if (process.platform === 'linux') expect(survivors).toBeGreaterThan(0);
  const log = readFileSync(join(workspace.dataDir, 'gateway.log'), 'utf8').trim().split('\n');
  const started = log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'database.started');
  expect(started.map(({ adopted }) => adopted)).toEqual([false, false, true]);
  await until(async () => expect(await stateOf(phone)).toBe('read'));
  expect(await cloudApiControl(demo.sandbox.cloudApiUrl).ledger({ phone })).toHaveLength(1);
  const now = new Set((await messages()).map(({ id }) => id));
  expect(had.filter(({ id }) => !now.has(id))).toEqual([]);
  expect(await bookings()).toHaveLength(4);
});

test.runIf(process.platform === 'linux')(
  'a killed sandbox is restarted at the same addresses with its state; the gateway keeps running',
  async () => {
    const sandbox = workspace.living().find(({ command }) => command.includes('sandbox/main.ts'));
    process.kill(sandbox?.pid as number, 'SIGKILL');
    await program.says(/The sandbox exited \(SIGKILL\)/);
    await program.says(/The sandbox is running again/);
    await sendUntilRead('15550300005');
    const [one] = await staff();
    expect(await bookFirst(gateway, one?._id as string)).toMatchObject({ status: 'confirmed' });
  },
);

test('a sandbox whose folder was deleted is set up again, with every calendar connected', async () => {
  program.process.kill('SIGTERM');
  await program.ended;
  await rm(join(workspace.dataDir, 'sandbox'), { recursive: true });
  await start();
  expect(program.err()).not.toMatch(/was not reset/);
  await sendUntilRead('15550300006');
  for (const { _id, calendarConnected } of await staff()) {
    expect(calendarConnected).toBe(true);
    expect(await bookFirst(gateway, _id)).toMatchObject({ status: 'confirmed' });
  }
});

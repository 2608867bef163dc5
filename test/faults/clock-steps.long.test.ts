// The database's clock steps by 20 minutes, back and forth, during a campaign: it continues, and no message is sent twice.
import { sql } from 'kysely';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Db, openDb } from '../../src/db/db.ts';
import { type FakedClock, libfaketime, startFakedClock } from '../harness/faked-clock.ts';
import { addEndpoint, addSender, type Gateway, startGateway } from '../harness/gateway.ts';
import { send, templateKinds } from '../harness/sends.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const messages = 240;
const perSecond = 20;
const stepSeconds = 20 * 60;

if (!libfaketime)
  test('a step of the database’s clock NOT TESTED: libfaketime is not installed here', () =>
    expect(libfaketime).toBeUndefined());

describe.runIf(libfaketime)('the database’s clock steps during a campaign', () => {
  let clock: FakedClock;
  let gateway: Gateway;
  let db: Db;
  let templateId: string;
  let lastPhone = 15_550_000_000;
  const logged: { msg: string; clock?: string; direction?: string; seconds?: number }[] = [];

  beforeAll(async () => {
    clock = await startFakedClock();
    db = openDb(clock.connection, { maxConnections: 2, applicationName: 'test' });
    await vi.waitFor(() => sql`select 1`.execute(db), { timeout: 20_000, interval: 200 });
    const log = pino({ level: 'info' }, { write: (line: string) => logged.push(JSON.parse(line)) });
    gateway = await startGateway({ through: async () => clock.connection, log: log as never });
    const { senderId, templateIds } = await addSender(gateway, templateKinds);
    templateId = templateIds.plain as string;
    await addEndpoint(gateway);
    const pace = { body: { messagesPerSecond: perSecond } };
    expect((await gateway.call('PATCH', `/v1/senders/${senderId}`, pace)).status).toBe(200);
  });
  afterAll(async () => {
    await gateway?.close();
    await db?.destroy();
    await clock?.close();
  });

  const waiting = async () => {
    const { rows } = await sql<{ n: number }>`
      select count(*)::int n from messages where due_at is not null`.execute(db);
    return rows[0]?.n;
  };
  /** The webhook ids that arrived. */
  const arrived = async () =>
    (await gateway.receiver.events({ limit: 10_000 })).map(({ headers }) => headers['webhook-id']);

  test.each([
    ['backward', -stepSeconds],
    ['forward', 0],
  ])('%s by 20 minutes: sends each message once, at its pace', async (direction, offset) => {
    await gateway.platform.clearLedger();
    await gateway.receiver.clear();
    logged.length = 0;
    const recipients = Array.from({ length: messages }, () => String(++lastPhone));
    const began = performance.now();
    const { status } = await send(
      gateway,
      { templateId, recipients },
      { headers: { Prefer: 'respond-async' } },
    );
    expect(status).toBe(202);
    await vi.waitFor(async () => expect((await gateway.platform.counts()).accepted).toBeGreaterThan(40), {
      timeout: 20_000,
      interval: 50,
    });
    await clock.set(offset);
    await vi.waitFor(async () => expect(await waiting()).toBe(0), { timeout: 60_000, interval: 100 });
    const tookSeconds = (performance.now() - began) / 1000;
    await vi.waitFor(async () => expect(new Set(await arrived()).size).toBe(3 * messages), {
      timeout: 60_000,
      interval: 100,
    });
    const deliveredSeconds = (performance.now() - began) / 1000;
    console.info(
      `${direction}: ${messages} messages in ${tookSeconds.toFixed(1)} s, all events in ${deliveredSeconds.toFixed(1)} s`,
    );
    const ledger = await gateway.platform.ledger({ limit: 1_000 });
    expect(ledger.map(({ phone }) => phone).sort()).toEqual(recipients);
    // twelve seconds at its pace; a step is detected within two
    expect(tookSeconds).toBeGreaterThan(messages / perSecond - 2);
    expect(tookSeconds).toBeLessThan(messages / perSecond + 12);
    expect(deliveredSeconds).toBeLessThan(messages / perSecond + 20);
    const stepped = logged.filter(({ msg }) => msg === 'clock.stepped');
    expect(stepped).toMatchObject([{ clock: 'database', direction }]);
    expect(Math.abs((stepped[0]?.seconds ?? 0) - stepSeconds)).toBeLessThan(4);
    // events in flight at the step may arrive twice
    expect((await arrived()).length).toBeLessThan(3 * messages + 100);
  });
});

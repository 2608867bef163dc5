// A real pgbouncer before the database: session mode works, other modes are rejected at the start.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openLog } from '../../src/base/log.ts';
import { openDatabase } from '../../src/open-database.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { addEndpoint, addSender, type Gateway, startGateway } from '../harness/gateway.ts';
import { type Pgbouncer, pgbouncer } from '../harness/pgbouncer.ts';
import { send, stagesUntil, templateKinds } from '../harness/sends.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

if (!pgbouncer)
  test('a connection pooler NOT TESTED: pgbouncer is not installed here', () =>
    expect(pgbouncer).toBeUndefined());

describe.runIf(pgbouncer)('a start behind pgbouncer', () => {
  let database: TestDatabase;
  const poolers: Pgbouncer[] = [];
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(async () => {
    await Promise.all(poolers.map((pooler) => pooler.stop()));
    await database?.drop();
  });

  const startBehind = async (mode: 'session' | 'transaction' | 'statement', more = '') => {
    const pooler = await pgbouncer?.(database.connection, mode, { more });
    if (!pooler) throw new Error('pgbouncer is missing');
    poolers.push(pooler);
    const log = openLog('silent');
    const opened = await openDatabase({ connection: pooler.connection, dataDir: '/nowhere' }, log, 'use');
    await opened.close();
  };

  test('in session mode opens the database', async () => {
    await startBehind('session');
  });

  test.each([
    ['transaction', ''],
    // servers take turns: two connections seldom meet on one
    ['transaction', 'server_round_robin = 1\nmin_pool_size = 5'],
    ['statement', ''],
  ] as const)('in %s mode (%s) says what to change', async (mode, more) => {
    await expect(startBehind(mode, more)).rejects.toThrow(/pool_mode = session/);
  });
});

describe.runIf(pgbouncer)('a gateway behind pgbouncer in session mode', () => {
  let gateway: Gateway;
  let pooler: Pgbouncer | undefined;
  beforeAll(async () => {
    gateway = await startGateway({
      through: async (connection) => {
        // one gateway and the test's own connections
        pooler = await pgbouncer?.(connection, 'session', { poolSize: 32 });
        return pooler?.connection ?? connection;
      },
    });
  });
  afterAll(async () => {
    await gateway?.close();
    await pooler?.stop();
  });

  test('sends messages and delivers webhooks', async () => {
    const { templateIds } = await addSender(gateway, templateKinds);
    await addEndpoint(gateway);
    const recipients = Array.from({ length: 100 }, (_, index) => String(15_550_000_000 + index));
    const { body } = await send(gateway, { templateId: templateIds.plain as string, recipients });
    const ids = body.data.messages.map(({ messageId }) => messageId as string);
    expect(ids).toHaveLength(100);
    for (const id of ids)
      expect(await stagesUntil(gateway, id, 'read')).toEqual(['sent', 'delivered', 'read']);
    const { rows } = await sql<{ n: number }>`
      select count(*)::int n from pg_stat_activity
      where datname = current_database() and application_name in ('gateway hot', 'gateway process')`.execute(
      gateway.database.db,
    );
    expect(rows[0]?.n).toBeLessThanOrEqual(20);
  });
});

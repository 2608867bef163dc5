// Commands that use one embedded server: the last of them stops it, whichever started it.
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { gatewayConnections } from '../connections.ts';
import { type Address, gatewayLock } from './lock.ts';
import { type Postmaster, stopServer } from './postmaster.ts';

/** Each command that uses a server that it did not start shares this lock. */
const useLock = [gatewayLock[0], 2];
// cannot_connect_now, admin_shutdown, crash_shutdown
const stoppingCodes = new Set(['57P03', '57P01', '57P02']);
/** A command that is just releasing the lock of the gateway has done so after this time. */
const leavingMs = 300;

/**
 * True if no command uses the server; from then on none can begin to. Otherwise releases the lock of the gateway, which `client` has, in the
 * same statement: a command that ends its use in the meantime finds it free.
 */
export async function endsUse(client: pg.Client): Promise<boolean> {
  const expression =
    'case when pg_try_advisory_lock($1, $2) then true else not pg_advisory_unlock($3, $4) end';
  return isTrue(client, expression, [...useLock, ...gatewayLock]);
}

async function isTrue(client: pg.Client, expression: string, values: readonly unknown[]): Promise<boolean> {
  const { rows } = await client.query<{ value: boolean }>(`select ${expression} as value`, [...values]);
  return rows[0]?.value === true;
}

/** A command's use of a running server. */
export interface ServerUse {
  /** Whether a gateway runs on the server, and stops it. */
  isOfGateway: boolean;
  /** Ends the use. Stops the server if nobody else uses it. */
  end(): Promise<void>;
}

/**
 * Begins to use a running server. `stopping`: it can no longer be used, or not yet; check again. Undefined: it does not admit this program.
 */
export async function useServer(
  cluster: string,
  server: Postmaster,
  address: Address,
): Promise<ServerUse | 'stopping' | undefined> {
  const client = new pg.Client({
    ...address,
    database: 'postgres',
    application_name: `gateway command ${process.pid}`,
    connectionTimeoutMillis: 5_000,
    query_timeout: 20_000,
    keepAlive: true,
  });
  // without a listener, losing an idle connection would end the process
  client.on('error', () => {});
  try {
    await client.connect();
    if (await isTrue(client, 'pg_try_advisory_lock_shared($1, $2)', useLock)) {
      let ended: Promise<void> | undefined;
      const end = () => {
        ended ??= endUse(client, cluster, server);
        return ended;
      };
      return { isOfGateway: await isOfGateway(client), end };
    }
    await client.end();
    return 'stopping';
  } catch (error) {
    client.end().catch(() => {});
    // without an answer, the connection broke, or the socket is gone
    return error instanceof pg.DatabaseError && !stoppingCodes.has(error.code ?? '') ? undefined : 'stopping';
  }
}

async function endUse(client: pg.Client, cluster: string, server: Postmaster): Promise<void> {
  const isLast = async () => {
    await client.query('select pg_advisory_unlock_shared($1, $2)', [...useLock]);
    return (await hasGatewayLeft(client)) && (await endsUse(client));
  };
  // the server may have ended
  if (await isLast().catch(() => false)) {
    await stopServer(server.pid, cluster);
    const { listenAddress } = server;
    if ('socketFolder' in listenAddress)
      await rm(listenAddress.socketFolder, { recursive: true, force: true });
  }
  await client.end().catch(() => {});
}

/** True if this client took the lock of the gateway: neither a gateway nor the command that started the server is there. */
async function hasGatewayLeft(client: pg.Client): Promise<boolean> {
  const until = performance.now() + leavingMs;
  for (;;) {
    if (await isTrue(client, 'pg_try_advisory_lock($1, $2)', gatewayLock)) return true;
    if (performance.now() > until || (await isOfGateway(client))) return false;
    await sleep(20);
  }
}

const isOfGateway = (client: pg.Client): Promise<boolean> =>
  isTrue(client, 'exists (select from pg_stat_activity where application_name = $1)', [gatewayConnections]);

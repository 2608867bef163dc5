// A door before a test's database, and the connection that leads through it.
import type { Connection } from '../../src/db/db.ts';
import { openTcpProxy, type TcpProxy } from '../faults/tcp-proxy.ts';

/** Opens the door; `connection` is the same database, reached through it. */
export async function openDatabaseDoor(
  behind: Connection,
): Promise<{ door: TcpProxy; connection: Connection }> {
  if ('connectionString' in behind) {
    const url = new URL(behind.connectionString);
    const door = await openTcpProxy({ host: url.hostname, port: Number(url.port || 5432) });
    url.host = `127.0.0.1:${door.port}`;
    return { door, connection: { connectionString: url.href } };
  }
  const { host, port } = behind;
  const door = await openTcpProxy(
    host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port },
  );
  return { door, connection: { ...behind, host: '127.0.0.1', port: door.port } };
}

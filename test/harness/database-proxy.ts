// A TCP proxy in front of a test's database, and the connection through it.
import type { Connection } from '../../src/db/db.ts';
import { openTcpProxy, type TcpProxy } from '../faults/tcp-proxy.ts';

/** Opens the proxy; `connection` is the same database through it. */
export async function openDatabaseProxy(
  upstream: Connection,
): Promise<{ proxy: TcpProxy; connection: Connection }> {
  if ('connectionString' in upstream) {
    const url = new URL(upstream.connectionString);
    const proxy = await openTcpProxy({ host: url.hostname, port: Number(url.port || 5432) });
    url.host = `127.0.0.1:${proxy.port}`;
    return { proxy, connection: { connectionString: url.href } };
  }
  const { host, port } = upstream;
  const proxy = await openTcpProxy(
    host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port },
  );
  return { proxy, connection: { ...upstream, host: '127.0.0.1', port: proxy.port } };
}

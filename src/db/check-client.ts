// A connection of its own that asks one question about the server, outside every pool.
import pg from 'pg';

/** A client that is not connected yet; connecting and each query reject after `timeoutMs`. */
export function checkClient(connection: pg.ClientConfig, timeoutMs: number): pg.Client {
  const client = new pg.Client({
    ...connection,
    application_name: 'gateway check',
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  });
  // a lost connection fails the current statement; without a listener it would end the process
  client.on('error', () => {});
  return client;
}

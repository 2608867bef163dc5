// A real pgbouncer before a database; undefined where it is not installed (Debian: apt-get install pgbouncer).
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Connection } from '../../src/db/db.ts';
import { openDatabaseProxy } from './database-proxy.ts';
import { freePort } from './free-port.ts';

export interface Pgbouncer {
  connection: Connection;
  stop(): Promise<void>;
}

const isInstalled = spawnSync('pgbouncer', ['--version']).status === 0;
export const pgbouncer = isInstalled ? start : undefined;

/** Starts one in the mode, with up to `poolSize` sessions on the server of `connection`. `more`: lines of its settings. */
async function start(
  connection: Connection,
  mode: 'session' | 'transaction' | 'statement',
  { poolSize = 40, more = '' } = {},
): Promise<Pgbouncer> {
  const { proxy, connection: server } = await openDatabaseProxy(connection);
  const to = partsOf(server);
  const folder = await mkdtemp(join(tmpdir(), 'pgbouncer-'));
  const port = await freePort();
  await writeFile(join(folder, 'users.txt'), `"${to.user}" "${to.password}"\n`);
  await writeFile(
    join(folder, 'pgbouncer.ini'),
    `[databases]
* = host=${to.host} port=${to.port} user=${to.user} password=${to.password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(folder, 'users.txt')}
pool_mode = ${mode}
default_pool_size = ${poolSize}
max_client_conn = 400
${more}
`,
  );
  // it does not run as root
  await chmod(folder, 0o755);
  const isRoot = process.getuid?.() === 0;
  const child = spawn('pgbouncer', [...(isRoot ? ['-u', 'nobody'] : []), join(folder, 'pgbouncer.ini')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(child, 'exit');
  let lines = '';
  const ready = new Promise<void>((resolve) =>
    child.stderr.on('data', (data: Buffer) => {
      lines += data.toString();
      if (lines.includes('process up')) resolve();
    }),
  );
  await Promise.race([ready, exited.then(() => Promise.reject(new Error(`pgbouncer ended: ${lines}`)))]);
  return {
    connection: {
      connectionString: `postgres://${to.user}:${to.password}@127.0.0.1:${port}/${to.database}`,
    },
    async stop() {
      child.kill('SIGTERM');
      await exited;
      await proxy.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function partsOf(connection: Connection) {
  if (!('connectionString' in connection)) return { password: '', ...connection };
  const { hostname, port, username, password, pathname } = new URL(connection.connectionString);
  return {
    ...{ host: hostname, port: Number(port || 5432), database: pathname.slice(1) },
    ...{ user: decodeURIComponent(username), password: decodeURIComponent(password) },
  };
}

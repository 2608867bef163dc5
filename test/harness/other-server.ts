// A PostgreSQL server of another major version for one test, without durability, reached by TCP without a password.
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { ensureSystemUser } from '../../src/db/embedded/owner.ts';
import { rootsFolder } from '../../src/db/embedded/pointer.ts';
import { findEarlierProgram } from '../../src/db/embedded/program.ts';
import { freePort } from './free-port.ts';

export interface OtherServer {
  version: string;
  /** Creates an empty database and returns its address. */
  createDatabase(): Promise<string>;
  close(): Promise<void>;
}

/** Starts one; undefined if that version is not installed here. */
export async function startOtherServer(major: string): Promise<OtherServer | undefined> {
  const isRoot = process.getuid?.() === 0;
  const folder = await mkdtemp(join(tmpdir(), `postgres-${major}-`));
  const program = await findEarlierProgram(major, isRoot ? [rootsFolder, folder] : [folder], isRoot);
  if (!program || !existsSync(join(program.folder, 'bin', 'initdb'))) {
    await rm(folder, { recursive: true });
    return undefined;
  }
  const owner = isRoot ? await ensureSystemUser() : undefined;
  await chmod(folder, 0o711);
  if (owner) await chown(folder, owner.uid, owner.gid);
  const data = join(folder, 'data');
  const run = { cwd: '/', env: {}, ...owner };
  await promisify(execFile)(
    join(program.folder, 'bin', 'initdb'),
    ['-D', data, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'],
    run,
  );
  const port = await freePort();
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: 'off',
    max_connections: 100,
  };
  const given = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawn(join(program.folder, 'bin', 'postgres'), ['-D', data, ...given], {
    ...run,
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  const addressOf = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;
  let databases = 0;
  return {
    version: (await readFile(join(data, 'PG_VERSION'), 'utf8')).trim(),
    async createDatabase() {
      const client = await connected(addressOf('postgres'));
      databases += 1;
      await client.query(`create database restored_${databases}`);
      await client.end();
      return addressOf(`restored_${databases}`);
    },
    async close() {
      server.kill('SIGQUIT');
      await ended;
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

/** The server accepts connections a moment after its start. */
async function connected(connectionString: string): Promise<pg.Client> {
  for (let tries = 0; ; tries += 1) {
    const client = new pg.Client({ connectionString });
    client.on('error', () => {});
    try {
      await client.connect();
      return client;
    } catch (error) {
      if (tries === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

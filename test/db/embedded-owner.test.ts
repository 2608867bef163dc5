// The owner of the embedded database's files when root starts the gateway.
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { chmod, link, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makePrivateFolder } from '../../src/db/embedded/folders.ts';
import { changeOwner } from '../../src/db/embedded/owner.ts';
import { rootsFolder } from '../../src/db/embedded/pointer.ts';
import { startServer } from '../../src/db/embedded/postmaster.ts';
import { findProgram } from '../../src/db/embedded/program.ts';
import { serverSettings, settingsText } from '../../src/db/embedded/settings.ts';
import { startEmbeddedPostgres } from '../../src/db/embedded/start.ts';

const log = { info() {}, warn() {}, error() {} };
let folder: string;
let dataDir: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'embedded-owner-'));
  await chmod(folder, 0o711);
  dataDir = join(folder, 'data');
});
afterEach(() => rm(folder, { recursive: true, maxRetries: 5, retryDelay: 100 }));

async function query(connection: object, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ ...connection });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

const serverPid = () =>
  Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);

describe.runIf(process.getuid?.() === 0)('as root', () => {
  const userOf = (pid: number) => /^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  const idOf = (name: string) => Number(execFileSync('id', ['-u', name]).toString());

  test('moves data owned by nobody to the program’s user, also while the server of a killed gateway still runs as nobody', async () => {
    const first = await startEmbeddedPostgres({ dataDir, log });
    await query(first.connection, 'create table kept as select 1 as one');
    await first.stop();
    const cluster = join(dataDir, 'postgres');
    expect(statSync(cluster).uid).toBe(idOf('chatbot-gateway'));
    const owner = { uid: idOf('nobody'), gid: statSync('/').gid };
    await changeOwner(owner, cluster);
    const { folder: program } = await findProgram([rootsFolder], true);
    const socketFolder = await makePrivateFolder(join(folder, 'socket-'), owner);
    const settings = settingsText(serverSettings({ socketFolder }, '18'));
    const old = await startServer({ program, cluster, owner, logFile: join(folder, 'log'), settings });
    expect(userOf(old?.pid ?? 0)).toBe(String(owner.uid));
    const next = await startEmbeddedPostgres({ dataDir, log });
    expect(next.adopted).toBe(false);
    expect(userOf(serverPid())).toBe(String(idOf('chatbot-gateway')));
    const others = execFileSync('find', [cluster, '!', '-user', 'chatbot-gateway', '!', '-name', '*.conf']);
    expect(others.toString()).toBe('');
    expect(await query(next.connection, 'select * from kept')).toEqual([{ one: 1 }]);
    await next.stop();
  });

  test('throws on a hard link and does not follow a symbolic link, so files outside keep their owner', async () => {
    const [planted, outside] = [join(folder, 'planted'), join(folder, 'outside')];
    await mkdir(planted);
    await writeFile(outside, '');
    await symlink(outside, join(planted, 'link'));
    await changeOwner({ uid: idOf('nobody'), gid: 0 }, planted);
    expect([statSync(planted).uid, statSync(outside).uid]).toEqual([idOf('nobody'), 0]);
    await link(outside, join(planted, 'second'));
    await expect(changeOwner({ uid: idOf('daemon'), gid: 0 }, planted)).rejects.toThrow(/has hard links/);
    expect(statSync(outside).uid).toBe(0);
  });
});

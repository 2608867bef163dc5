// A full disk under the gateway and its embedded database: requests return 507 or 503, and the gateway recovers by itself.
import { statfsSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { findRunningEmbedded } from '../../src/db/embedded/running.ts';
import { openProgramFolder, type ProgramFolder } from '../harness/program.ts';
import { mountSmallDisk, type SmallDisk } from '../harness/small-disk.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const disk = mountSmallDisk(220);
let workspace: ProgramFolder;
let url = '';
let apiKey = '';
let accountId = '';

if (!disk) test('a full disk NOT TESTED: this user may not mount one', () => expect(disk).toBeUndefined());
else onDisk(disk);

function onDisk({ folder, close }: SmallDisk): void {
  const DATA_DIR = join(folder, 'data');
  const ballast = join(folder, 'ballast');
  beforeAll(async () => {
    workspace = await openProgramFolder();
    const env = { DATA_DIR, LOG_LEVEL: 'warn', RATE_LIMIT_PER_MINUTE: '0' };
    const program = workspace.start(['start', '--no-sandbox'], { env });
    url = (await program.says(/The gateway answers at (\S+)\. /))[1] as string;
    const made = await workspace.run(['account', 'create', 'Full'], { env });
    [, accountId = '', apiKey = ''] = /id +(\S+)\n +API key +(\S+)/.exec(made.out) ?? [];
  });
  afterAll(async () => {
    await workspace?.close();
    close();
  });

  /** Writes a row; returns the response's status, code and whether it has `Retry-After`, as one text. */
  async function write(): Promise<string> {
    const response = await fetch(`${url}/v1/appointments/departments`, {
      method: 'POST',
      headers: { 'X-API-Key': apiKey, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: crypto.randomUUID() }),
    });
    const { code = '' } = (await response.json()) as { code?: string };
    return `${response.status} ${code} ${response.headers.has('retry-after')}`;
  }
  function fill(): void {
    const { bavail, bsize } = statfsSync(folder);
    writeFileSync(ballast, Buffer.alloc(bavail * bsize));
  }
  const ready = async () => (await fetch(`${url}/health/ready`)).status;
  const recovers = async () => {
    await rm(ballast);
    await vi.waitFor(async () => expect([await ready(), await write()]).toEqual([200, '200  false']), {
      timeout: 30_000,
    });
  };
  async function writesUntil(rejected: RegExp): Promise<Set<string>> {
    const seen = new Set<string>();
    for (let n = 0; n < 3_000 && ![...seen].some((word) => rejected.test(word)); n += 1)
      seen.add(await write());
    return seen;
  }

  test('returns 507 to requests that need space while the disk is full, and serves them once there is space', async () => {
    expect(await write()).toBe('200  false');
    fill();
    expect([...(await writesUntil(/^507/))].sort()).toEqual(['200  false', '507 storage_full true']);
    await recovers();
  });

  test('restarts the server until there is space when the write-ahead log has filled the disk', async () => {
    fill();
    const client = new pg.Client((await findRunningEmbedded(DATA_DIR)) as pg.ClientConfig);
    client.on('error', () => {});
    await client.connect();
    const switched = client.query(
      `do $$ begin for i in 1..40 loop perform pg_switch_wal(); update accounts set name = name where id = '${accountId}'; end loop; end $$`,
    );
    await expect(switched).rejects.toThrow();
    await client.end().catch(() => {});
    const seen = await writesUntil(/^50[37]/);
    expect([...seen].filter((word) => !/^(200 {2}false|50[37] \w+ true)$/.test(word))).toEqual([]);
    await recovers();
  });
}

// Commands without a database, which create none, and settings from the file .env.
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { makeKey } from '../../src/base/cipher.ts';
import { dropEverything, markIncomplete } from '../../src/db/restore-target.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { openProgramFolder, type ProgramFolder } from '../harness/program.ts';

vi.setConfig({ testTimeout: 180_000 });

let workspace: ProgramFolder;
beforeEach(async () => {
  workspace = await openProgramFolder();
});
afterEach(() => workspace?.close());

let empty: TestDatabase;
beforeAll(async () => {
  empty = await createTestDatabase('empty');
});
afterAll(() => empty?.drop());

const id = '01a1fe2b-9cf0-77a3-ae47-f612c5196a96';
const commands = [
  ['account', 'create', 'My company'],
  ['account', 'list'],
  ['key', 'list', id],
  ['rotate-encryption-key'],
];

test('commands other than start and migrate report the DATA_DIR without a database and create nothing', async () => {
  // a missing folder, and one that only its owner may enter
  const none = join(workspace.folder, 'none');
  const bare = join(workspace.folder, 'bare');
  mkdirSync(bare, { mode: 0o700 });
  const ends = await Promise.all(
    commands.map((args, at) => workspace.run(args, { env: { DATA_DIR: at % 2 === 0 ? none : bare } })),
  );
  for (const [at, { code, out, err }] of ends.entries()) {
    const expected = commands[at]?.[0] === 'rotate-encryption-key' ? 1 : 4;
    expect({ code, out }).toEqual({ code: expected, out: '' });
    expect(err).toContain(`There is no database in ${at % 2 === 0 ? none : bare} (DATA_DIR)`);
    expect(err).toMatch(/"start" and "migrate".*\.env/);
    expect(err).not.toMatch(/^ {4}at /m);
  }
  expect(existsSync(none)).toBe(false);
  expect(readdirSync(bare)).toEqual([]);
});

/** The settings for the empty database. */
function settingsOfEmpty() {
  const { host, port, user, password = '', database } = empty.connection as Record<string, string>;
  const DATABASE_URL = `postgres://${user}:${password}@localhost:${port}/${database}?host=${host}`;
  return { DATABASE_URL, ENCRYPTION_KEYS: makeKey() };
}

test('"doctor" points to the message of a database that cannot be used, not to its address', async () => {
  await markIncomplete(empty.db, { backupId: 'x', beganAt: 'now' });
  const { code, out } = await workspace.run(['doctor'], { env: settingsOfEmpty() });
  await dropEverything(empty.db);
  expect(code).toBe(1);
  expect(out).toMatch(
    /FAIL {2}database: The database is incomplete.* Run "restore" again.*\n +Fix: Do what the message says/,
  );
});

test('a command that only uses the database does not migrate an empty one', async () => {
  const env = settingsOfEmpty();
  const { code, err } = await workspace.run(['account', 'list'], { env });
  expect({ code, err }).toMatchObject({
    code: 4,
    err: expect.stringMatching(/pending migrations \(\d+\).*"migrate"/),
  });
  const { rows } = await sql`select count(*) from pg_tables where schemaname = 'public'`.execute(empty.db);
  expect(rows).toEqual([{ count: 0 }]);
});

test('every command reads .env of the working directory, and the environment takes precedence', async () => {
  const cwd = join(workspace.folder, 'cwd');
  mkdirSync(cwd);
  writeFileSync(join(cwd, '.env'), '\uFEFFDATA_DIR=./from-file\r\n');
  const [fromFile, fromEnvironment, doctor] = await Promise.all([
    workspace.run(['account', 'list'], { cwd, env: { DATA_DIR: undefined } }),
    workspace.run(['account', 'list'], { cwd, env: { DATA_DIR: '/from-environment' } }),
    workspace.run(['doctor'], { cwd, env: { DATA_DIR: undefined } }),
  ]);
  expect(fromFile?.err).toContain(`no database in ${cwd}/from-file (DATA_DIR)`);
  expect(fromEnvironment?.err).toContain('no database in /from-environment (DATA_DIR)');
  expect(doctor?.out).toContain(`data in ${cwd}/from-file`);
  writeFileSync(join(cwd, '.env'), '');
  mkdirSync(join(cwd, 'folder', '.env'), { recursive: true });
  mkdirSync(join(cwd, 'loop'));
  symlinkSync('.env', join(cwd, 'loop', '.env'));
  for (const folder of ['folder', 'loop']) {
    const unreadable = await workspace.run(['account', 'list'], { cwd: join(cwd, folder) });
    expect(unreadable).toMatchObject({ code: 3, err: expect.stringMatching(/\.env cannot be read/) });
  }
});

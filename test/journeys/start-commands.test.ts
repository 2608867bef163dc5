// The command line: without the sandbox, beside a running gateway and without one, and its error messages.
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { makeKey } from '../../src/base/cipher.ts';
import { openProgramFolder, type Program, type ProgramFolder, root } from '../harness/program.ts';

// several whole starts each
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

let workspace: ProgramFolder;
let program: Program;
let url: string;

beforeAll(async () => {
  workspace = await openProgramFolder({ migrated: true });
  program = workspace.start(['start', '--no-sandbox']);
  url = (await program.says(/The gateway answers at (\S+)\. /))[1] as string;
});
afterAll(() => workspace?.close());

const stack = /^ {4}at /m;
const statusFor = async (key: string, path: string, headers: Record<string, string> = {}) =>
  (await fetch(`${url}${path}`, { headers: { 'X-API-Key': key, ...headers } })).status;

/** Runs a command that must succeed; returns its output. */
async function print(...args: string[]): Promise<string> {
  const { code, out, err } = await workspace.run(args);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return out;
}

describe('beside a running gateway without the sandbox', () => {
  test('there is no demo account, only created accounts', async () => {
    expect(existsSync(join(workspace.dataDir, 'demo.json'))).toBe(false);
    expect(await print('account', 'list')).toBe('');
    const made = await print('account', 'create', 'My company');
    const [, accountId, key] = /id +(\S+)\n +API key +(\S+)\n/.exec(made) ?? [];
    expect(await statusFor(key as string, '/v1/templates')).toBe(200);
    expect(await print('account', 'list')).toMatch(new RegExp(`^${accountId}  \\S+Z  My company\n$`));
  });

  test('a dashboard link signs in once, with the scope operator only if wanted', async () => {
    const env = { PUBLIC_URL: 'https://gateway.example.com' };
    const scopesOf = async (...options: string[]) => {
      const { code, out, err } = await workspace.run(['dashboard-link', ...options], { env });
      expect({ code, err }).toEqual({ code: 0, err: '' });
      const [, link] =
        /^https:\/\/gateway\.example\.com\/#link=([\w-]{43})\nFor My company; /.exec(out) ?? [];
      const response = await fetch(`${url}/v1/session`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Origin: url,
          'X-Requested-With': 'chatbot-gateway',
        },
        body: JSON.stringify({ link }),
      });
      const { data } = (await response.json()) as { data: { scopes: string[]; key: unknown } };
      expect(data.key).toBeNull();
      return data.scopes;
    };
    expect(await scopesOf()).not.toContain('operator');
    expect(await scopesOf('--operator', '--name', 'On call')).toEqual(
      expect.arrayContaining(['operator', 'manage']),
    );
    const local = await workspace.run(['dashboard-link'], { env: { PORT: new URL(url).port } });
    expect(local).toMatchObject({ code: 0, out: expect.stringContaining(`${url}/#link=`) });
    expect(local.err).toMatch(/works in a browser on this machine only.*PUBLIC_URL/);
    const tooLong = await workspace.run(['dashboard-link', '--expires-in', '86401'], { env });
    expect([tooLong.code, tooLong.err]).toEqual([2, expect.stringContaining('from 60 to 86400')]);
  });

  test('keys are created with scopes, listed without their secret, and revoked', async () => {
    const [accountId = ''] = (await print('account', 'list')).split(' ');
    const [key = ''] = (
      await print('key', 'create', accountId, '--name', 'reader', '--scopes', 'templates:read')
    ).split('\n');
    const unused = (await print('key', 'create', accountId, '--name', 'unused')).split('\n')[0] as string;
    expect(await statusFor(key, '/v1/templates')).toBe(200);
    expect(await statusFor(key, '/v1/senders')).toBe(403);
    const list = (await print('key', 'list', accountId)).trim().split('\n');
    expect(list.map((line) => line.split(/ {2}/)[2])).toEqual(['unused', 'reader', 'first key']);
    expect(list.join()).not.toContain(key);
    expect(await print('key', 'revoke', accountId, list[0]?.split(' ')[0] as string)).toMatch(/^Key revoked/);
    expect(await statusFor(unused, '/v1/templates')).toBe(401);
    const owner = (await print('key', 'create', accountId, '--name', 'owner')).split('\n')[0] as string;
    const audit = await fetch(`${url}/v1/audit`, { headers: { 'X-API-Key': owner } });
    const { data } = (await audit.json()) as { data: { items: { action: string; actor: object }[] } };
    expect(data.items.slice(0, 2)).toMatchObject([
      { action: 'key.created', actor: { kind: 'operator', id: null } },
      { action: 'key.revoked', actor: { kind: 'operator', id: null } },
    ]);
  });

  test.each([
    [['key', 'list', 'nonsense'], 5, /There is no account nonsense.*account list/],
    [
      ['key', 'create', '01a1fe2b-9cf0-77a3-ae47-f612c5196a96', '--name', 'x'],
      5,
      /There is no account 01a1fe2b/,
    ],
    [
      ['key', 'create', 'x', '--name', 'x', '--scopes', 'all'],
      2,
      /Unknown scope: all\. Allowed scopes: .*manage/,
    ],
    [['account', 'create', '\u200b'], 2, /needs a name/],
    [['key', 'create', 'x', '--name', ' '], 2, /Use a text that is not blank/],
    [['rotate-encryption-key'], 1, /No key was changed.*Another gateway already runs.*Stop it first/],
  ])('%j fails with its exit code and a clear error', async (args, exitCode, pattern) => {
    const { code, out, err } = await workspace.run(args);
    expect({ code, out }).toEqual({ code: exitCode, out: '' });
    expect(err).toMatch(pattern);
    expect(err).not.toMatch(stack);
  });

  test('with --json, standard output is one document, of a failure too', async () => {
    const { accounts } = JSON.parse(await print('account', 'list', '--json'));
    const [{ accountId, name }] = accounts;
    expect(name).toBe('My company');
    const { keyId, apiKey } = JSON.parse(await print('key', 'create', accountId, '--name', 'json', '--json'));
    expect(await statusFor(apiKey, '/v1/templates')).toBe(200);
    expect(JSON.parse(await print('key', 'revoke', accountId, keyId, '--json'))).toEqual({
      keyId,
      revoked: true,
    });
    const failed = await workspace.run(['--json', 'key', 'revoke', accountId, keyId]);
    expect([failed.code, JSON.parse(failed.out)]).toEqual([
      5,
      { error: { reason: 'notFound', message: expect.stringContaining('no such key') } },
    ]);
  });

  test('doctor and migrate report no problem and change nothing', async () => {
    // through an undeclared proxy
    expect(await statusFor('nobody', '/v1/templates', { 'X-Forwarded-For': '203.0.113.7' })).toBe(401);
    const found = await print('doctor');
    expect(found).toMatch(
      /^note +proxies: .*X-Forwarded-For from 127\.0\.0\.1,.*\n +Fix: Set TRUSTED_PROXIES=/m,
    );
    expect(found).toMatch(/^ok +database: reachable and migrated$/m);
    expect(found).toMatch(/^ok +object store: /m);
    expect(found).toMatch(/^note +public address: PUBLIC_URL is not set/m);
    expect(found).toMatch(
      new RegExp(
        `^(?:ok|note) +time zones: IANA ${process.versions.tz} \\(ICU ${process.versions.icu}\\)`,
        'm',
      ),
    );
    expect(found).not.toMatch(/FAIL/);
    expect(JSON.parse(await print('doctor', '--json'))).toMatchObject({
      ok: true,
      findings: expect.arrayContaining([expect.objectContaining({ check: 'database', status: 'ok' })]),
    });
    const PORT = new URL(url).port;
    expect(await workspace.run(['health'], { env: { PORT } })).toMatchObject({ code: 0, out: 'Ready.\n' });
    expect(await workspace.run(['health'], { env: { PORT: '1' } })).toMatchObject({ code: 4, out: '' });
    expect(await print('migrate')).toMatch(/The database is up to date/);
    expect(await statusFor('nobody', '/health/ready')).toBe(200);
  });
});

describe('without a gateway', () => {
  beforeAll(async () => {
    program.process.kill('SIGTERM');
    expect(await program.ended).toMatchObject({ code: 0 });
  });

  test('creates an account and stops the database again', async () => {
    expect(await print('account', 'create', 'Second')).toMatch(/API key +cgw_/);
    expect(workspace.living()).toEqual([]);
    expect((await print('account', 'list')).match(/\n/g)).toHaveLength(2);
  });

  test('rejects the sandbox on a database with real accounts, whatever they are called', async () => {
    await print('account', 'create', 'Demonstration');
    const env = { PUBLIC_URL: 'https://gateway.example.com' };
    const { code, out, err } = await workspace.run(['start', '--sandbox'], { env });
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/has real accounts.*--no-sandbox.*: PUBLIC_URL= DATA_DIR=.\/data npm start/);
    expect(workspace.living()).toEqual([]);
  });

  test('names PUBLIC_URL if the sandbox cannot reach the gateway there', async () => {
    const env = { DATA_DIR: join(workspace.folder, 'unreachable'), PUBLIC_URL: 'http://127.0.0.1:2' };
    const { code, err } = await workspace.run(['start', '--sandbox'], { env });
    expect(code).toBe(1);
    expect(err).toMatch(/callbacks\/calendar cannot be reached \(ECONNREFUSED\)\. Set PUBLIC_URL to/);
    expect(workspace.living()).toEqual([]);
  });

  test('reports a port in use and leaves nothing running', async () => {
    // beside a demo account, other accounts are allowed
    const [, accountId] = /id +(\S+)/.exec(await print('account', 'create', 'Sandbox')) ?? [];
    await mkdir(join(workspace.dataDir, 'sandbox'), { recursive: true });
    await writeFile(join(workspace.dataDir, 'sandbox/accounts'), `${accountId}\n`);
    const otherServer = createServer();
    await new Promise<void>((listening) => otherServer.listen(0, '127.0.0.1', listening));
    const { port } = otherServer.address() as { port: number };
    const end = await workspace.run(['start', '--sandbox'], { env: { PORT: String(port) } });
    otherServer.close();
    expect(end).toMatchObject({ code: 1, out: '' });
    expect(end.err).toContain(`Port ${port} of 127.0.0.1 is used by another program.`);
    expect(end.err).not.toMatch(stack);
    expect(workspace.living()).toEqual([]);
  });

  test('doctor does not create a missing DATA_DIR', async () => {
    const DATA_DIR = join(workspace.folder, 'none');
    const { code, out } = await workspace.run(['doctor'], { env: { DATA_DIR } });
    expect(code).toBe(0);
    expect(out).toMatch(/database: none yet/);
    expect(existsSync(DATA_DIR)).toBe(false);
  });

  test('doctor finds nothing wrong between migrate and the first start', async () => {
    const env = { DATA_DIR: join(workspace.folder, 'fresh') };
    expect(await workspace.run(['migrate'], { env })).toMatchObject({ code: 0 });
    const { code, out } = await workspace.run(['doctor'], { env });
    expect(out).not.toMatch(/^FAIL/m);
    expect(out).toMatch(/^ok +partitions: /m);
    expect(code).toBe(0);
  });

  test('reports all wrong settings together', async () => {
    const env = {
      PORT: 'abc',
      ROLE: 'king',
      DATABASE_URL: 'mysql://x',
      ENCRYPTION_KEYS: 'c2VjcmV0LW1hdGVyaWFs',
      ALLOW_PRIVATE_ADDRESSES: '10.0.0.0/8,lan',
      CORS_ORIGINS: 'https://app.example.com/',
      TRUSTED_PROXIES: '10.0.0.1, 10.0.0.0/40',
      GOOGLE_CLIENT_ID: 'alone',
    };
    const { code, out, err } = await workspace.run(['start'], { env });
    expect({ code, out }).toEqual({ code: 3, out: '' });
    const problems = err.split('\n').filter((line) => line.startsWith('  - '));
    expect(problems).toHaveLength(8);
    for (const name of Object.keys(env)) expect(problems.some((line) => line.includes(name))).toBe(true);
    expect(err).not.toMatch(stack);
    expect(err).not.toContain(env.ENCRYPTION_KEYS);
  });

  test.each([
    [
      'a server that cannot be reached',
      1,
      { DATABASE_URL: 'postgres://127.0.0.1:1/x' },
      /cannot be reached.*DATABASE_URL/,
    ],
    [
      'a list of database servers',
      3,
      { DATABASE_URL: 'postgres://u:p@db1:5432,db2:5432/gateway?target_session_attrs=read-write' },
      /DATABASE_URL must name one server.*HAProxy/,
    ],
    ['a DATA_DIR that is no folder', 1, { DATA_DIR: join(root, 'package.json') }, /DATA_DIR cannot be used/],
    [
      'a DATA_DIR where nothing can be created',
      1,
      { DATA_DIR: '/proc/x/y' },
      /DATA_DIR cannot be used: ENOENT.*\/proc\/x/,
    ],
    ['a DATA_DIR that is read-only', 1, { DATA_DIR: '/proc' }, /DATA_DIR cannot be used/],
  ])('%s is reported clearly', async (_what, exitCode, env, pattern) => {
    const end = await workspace.run(['start'], {
      env: { ENCRYPTION_KEYS: makeKey(), ...env } as Record<string, string>,
    });
    expect(end.code).toBe(exitCode);
    expect(end.err).toMatch(pattern);
    expect(`${end.out}${end.err}`).not.toMatch(/ at .*\.ts:\d+/);
  });
});

describe('arguments', () => {
  test('--help names every command', async () => {
    const out = await print('--help');
    for (const name of ['start', 'migrate', 'account', 'key', 'doctor', 'rotate-encryption-key'])
      expect(out).toMatch(new RegExp(`^  ${name}\\b`, 'm'));
  });

  test.each([
    [['docter'], /unknown command 'docter'\n\(Did you mean doctor\?\)\n.*--help/],
    [['start', '--sandbx'], /unknown option '--sandbx'\n\(Did you mean --sandbox\?\)/],
    [['start', 'extra'], /too many arguments/],
    [['account', 'create'], /missing required argument 'name'/],
    [['key', 'create', 'x'], /required option '--name/],
    [[], /Commands:/],
  ])('%j: prints what is wrong and what is allowed', async (args, pattern) => {
    const { code, out, err } = await workspace.run(args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(pattern);
    expect(err).not.toMatch(stack);
  });
});

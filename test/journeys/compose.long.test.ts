// The processes of ops/compose.yaml without containers: two api, two worker, PostgreSQL, an S3 server, Redis and nginx. The whole
// journey runs through nginx; then one process of each kind is killed, and it runs again. The public address is no loopback address by name, as
// in containers: Google's consent page and certificates treat it as any other.
import { spawn } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import S3rver from '@20minutes/s3rver';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { gatewaySettings } from '../../demo/gateway-settings.ts';
import { googleClient } from '../../demo/seed.ts';
import { makeKey } from '../../src/base/cipher.ts';
import { type RunningSandbox, startSandbox } from '../../src/commands/sandbox.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { freePort } from '../harness/free-port.ts';
import { hasNginx, nginxFolder } from '../harness/nginx.ts';
import { openPostgresProxy } from '../harness/postgres-proxy.ts';
import { openProgramFolder, type Program, type ProgramFolder, root } from '../harness/program.ts';
import { hasRedis, openRedisServer } from '../harness/redis-server.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const isInstalled = hasNginx() && hasRedis();
if (!isInstalled) console.log('NOT TESTED: nginx and redis-server are not installed');

/** What the compose file gives to every process of the gateway, by name. */
function composeSettings(): Record<string, string> {
  const compose = readFileSync(join(root, 'ops/compose.yaml'), 'utf8');
  const gateway = compose.slice(compose.indexOf('x-gateway'), compose.indexOf('services:'));
  return Object.fromEntries(
    [...gateway.matchAll(/^ {4}([A-Z_]+): (.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  );
}

describe.runIf(isInstalled)('the processes of the compose file', () => {
  let workspace: ProgramFolder;
  let database: TestDatabase;
  let proxy: Awaited<ReturnType<typeof openPostgresProxy>>;
  let redis: Awaited<ReturnType<typeof openRedisServer>>;
  let s3: InstanceType<typeof S3rver>;
  let sandbox: RunningSandbox;
  let nginx: ReturnType<typeof nginxFolder>;
  let env: Record<string, string>;
  let baseUrl: string;
  const ports: Record<string, number> = {};
  const programs: Record<string, Program> = {};

  async function startProcess(name: string): Promise<void> {
    const role = name.startsWith('api') ? 'api' : 'worker';
    const program = workspace.start(['start'], { env: { ...env, ROLE: role, PORT: String(ports[name]) } });
    programs[name] = program;
    await program.says(/The gateway answers at/);
    const PORT = String(ports[name]);
    await vi.waitFor(
      async () => expect((await workspace.run(['health'], { env: { ...env, PORT } })).code).toBe(0),
      { timeout: 30_000 },
    );
  }

  /** The settings of the compose file, with the addresses and secrets of this test. */
  async function settingsHere(): Promise<Record<string, string>> {
    const secrets = join(workspace.folder, 'secrets');
    mkdirSync(secrets);
    const secret = (name: string, value: string) => {
      writeFileSync(join(secrets, name), `${value}\n`);
      return join(secrets, name);
    };
    const s3Port = await freePort();
    s3 = new S3rver({
      address: '127.0.0.1',
      port: s3Port,
      silent: true,
      vhostBuckets: false,
      allowMismatchedSignatures: true,
      directory: join(workspace.folder, 's3'),
      configureBuckets: [{ name: 'gateway', configs: [] }],
    });
    await s3.run();
    const here: Record<string, string> = {
      PUBLIC_URL: baseUrl,
      DATABASE_URL_FILE: secret('database-url', proxy.url),
      ENCRYPTION_KEYS_FILE: secret('encryption-keys', makeKey()),
      REDIS_URL: redis.url,
      OBJECT_STORE_URL: `s3://gateway/files?region=us-east-1&endpoint=http://127.0.0.1:${s3Port}`,
      AWS_SHARED_CREDENTIALS_FILE: secret(
        's3-credentials',
        '[default]\naws_access_key_id=S3RVER\naws_secret_access_key=S3RVER',
      ),
      TRUSTED_PROXIES: '127.0.0.1',
    };
    expect(Object.keys(here).sort()).toEqual(Object.keys(composeSettings()).sort());
    return {
      ...here,
      ...gatewaySettings(sandbox.urls, googleClient),
      NODE_EXTRA_CA_CERTS: nginx.certificate,
    };
  }

  beforeAll(async () => {
    database = await createTestDatabase();
    proxy = await openPostgresProxy(database.connection, () => false);
    workspace = await openProgramFolder();
    redis = await openRedisServer();
    await redis.start();
    for (const name of ['api-1', 'api-2', 'worker-1', 'worker-2', 'http', 'https'])
      ports[name] = await freePort();
    // without a name of this machine, by its only one
    const name = await lookup(hostname()).then(hostname, () => 'localhost');
    baseUrl = `https://${name}:${ports.https}`;
    nginx = nginxFolder({
      http: ports.http as number,
      https: ports.https as number,
      gateway: ports['api-1'] as number,
      second: ports['api-2'] as number,
    });
    const log = { warn() {}, error() {}, info() {} };
    // the platform posts its callbacks through nginx
    process.env.NODE_EXTRA_CA_CERTS = nginx.certificate;
    sandbox = await startSandbox(join(workspace.folder, 'sandbox'), { log: log as never, print() {} });
    env = await settingsHere();
    const migrated = await workspace.run(['migrate'], { env });
    expect(migrated).toMatchObject({ code: 0, out: 'The database is up to date.\n' });
    await Promise.all(['api-1', 'api-2', 'worker-1', 'worker-2'].map(startProcess));
    nginx.start();
  });
  afterAll(async () => {
    await nginx?.close();
    await sandbox?.stop();
    await workspace?.close();
    await s3?.close();
    await redis?.stop();
    await proxy?.close();
    await database?.drop();
  });

  /** Runs the journey with a new account; returns its last line. */
  async function journey(account: string): Promise<string> {
    const made = await workspace.run(['account', 'create', account, '--json'], { env });
    const { accountId, apiKey } = JSON.parse(made.out);
    const input = JSON.stringify({ baseUrl, apiKey, accountId, sandbox: sandbox.urls });
    const child = spawn(process.execPath, [join(root, 'test/harness/whole-journey.ts'), input], {
      env: { PATH: process.env.PATH, NODE_EXTRA_CA_CERTS: nginx.certificate },
    });
    const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect(errors).toBe('');
    return out.trim().split('\n').at(-1) ?? '';
  }

  test('carry a send with its webhooks, a file and a booking through nginx', async () => {
    expect(await journey('First')).toBe('booked');
    const doctor = await workspace.run(['doctor', '--json'], { env: { ...env, PORT: '0' } });
    const { ok, findings } = JSON.parse(doctor.out);
    const failed = findings.filter(({ status }: { status: string }) => status === 'failed');
    expect({ ok, failed }).toEqual({ ok: true, failed: [] });
  });

  test('carry the same for another account after an api and a worker process were killed', async () => {
    for (const name of ['api-1', 'worker-2']) {
      programs[name]?.process.kill('SIGKILL');
      await programs[name]?.ended;
    }
    expect(await journey('Second')).toBe('booked');
    await Promise.all(['api-1', 'worker-2'].map(startProcess));
  });
});

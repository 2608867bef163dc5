// Two gateways behind a real proxy, restarted one after the other under load without a failed request.
import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createAccount } from '../../src/accounts/keys.ts';
import { makeKey } from '../../src/base/cipher.ts';
import { systemClock } from '../../src/base/clock.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { freePort } from '../harness/free-port.ts';
import { openPostgresProxy } from '../harness/postgres-proxy.ts';
import {
  endBy,
  killRepeatedly,
  openProgramFolder,
  type Program,
  type ProgramFolder,
} from '../harness/program.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const callers = 12;
const delaySeconds = 3;

let database: TestDatabase;
let workspace: ProgramFolder;
let apiKey = '';
let closeDoor = async () => {};
let gateways: { port: number; program: Program }[] = [];
let env: Record<string, string> = {};

const isInstalled = (program: string, flag: string) => spawnSync(program, [flag]).error === undefined;

async function startGateway(port: number): Promise<{ port: number; program: Program }> {
  const program = workspace.start(['start', '--no-sandbox'], { env: { ...env, PORT: String(port) } });
  await program.says(/The gateway answers at/);
  await vi.waitFor(
    async () => expect((await fetch(`http://127.0.0.1:${port}/health/ready`)).status).toBe(200),
    {
      timeout: 10_000,
    },
  );
  return { port, program };
}

beforeAll(async () => {
  database = await createTestDatabase();
  workspace = await openProgramFolder();
  // TCP, because DATABASE_URL cannot name a Unix socket
  const way = await openPostgresProxy(database.connection, () => false);
  closeDoor = way.close;
  env = {
    DATABASE_URL: way.url,
    ENCRYPTION_KEYS: makeKey(),
    RATE_LIMIT_PER_MINUTE: '0',
    SHUTDOWN_DELAY_SECONDS: String(delaySeconds),
    LOG_LEVEL: 'warn',
  };
  apiKey = (await createAccount({ db: database.db, clock: systemClock }, 'Rolling')).key.apiKey;
  gateways = await Promise.all([await freePort(), await freePort()].map(startGateway));
});
afterAll(async () => {
  await workspace?.close();
  await closeDoor();
  await database?.drop();
});

const servers = () => gateways.map(({ port }) => port);

const haproxy = (port: number) => `
defaults
  mode http
  timeout connect 2s
  timeout client 30s
  timeout server 30s
  timeout check 3s
  option httpchk GET /health/ready
  option redispatch
frontend in
  bind 127.0.0.1:${port}
  default_backend gateways
backend gateways
  balance roundrobin
  default-server check inter 250ms fall 1 rise 1
${servers()
  .map((at) => `  server g${at} 127.0.0.1:${at}`)
  .join('\n')}
`;

const nginx = (port: number, folder: string) => `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log ${folder}/nginx.log;
events {}
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((what) => `${what}_temp_path ${folder}/nginx-${what};`).join(' ')}
  upstream gateways {
${servers()
  .map((at) => `    server 127.0.0.1:${at} fail_timeout=1s;`)
  .join('\n')}
    keepalive 16;
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://gateways;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }
  }
}
`;

/** Sends a request over a kept connection; returns its status or the error. */
function ask(agent: Agent, url: string, method: string, path: string, body?: object): Promise<string> {
  return new Promise((resolve) => {
    const headers = { 'X-API-Key': apiKey, ...(body ? { 'Content-Type': 'application/json' } : {}) };
    const call = request(`${url}${path}`, { method, agent, headers }, (answer) => {
      answer.resume().once('end', () => resolve(String(answer.statusCode)));
      answer.once('error', (error) => resolve(error.message));
    });
    call.once('error', (error) => resolve(error.message));
    call.end(body && JSON.stringify(body));
  });
}

/** Sends reads and writes until `stop`; returns the number of each result. */
function load(url: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: callers });
  const seen: Record<string, number> = {};
  let stopped = false;
  const one = async (): Promise<void> => {
    for (let n = 0; !stopped; n += 1) {
      const outcome =
        n % 2 === 0
          ? await ask(agent, url, 'GET', '/v1/templates')
          : await ask(agent, url, 'POST', '/v1/appointments/departments', { name: randomUUID() });
      seen[outcome] = (seen[outcome] ?? 0) + 1;
    }
  };
  const running = Promise.all(Array.from({ length: callers }, one));
  return async () => {
    stopped = true;
    await running;
    agent.destroy();
    return seen;
  };
}

const proxies = [
  {
    name: 'haproxy',
    flag: '-v',
    file: 'haproxy.cfg',
    settings: haproxy,
    args: (file: string) => ['-db', '-f', file],
  },
  { name: 'nginx', flag: '-v', file: 'nginx.conf', settings: nginx, args: (file: string) => ['-c', file] },
];

describe.each(proxies)('behind $name', ({ name, flag, file, settings, args }) => {
  if (!isInstalled(name, flag)) {
    test(`a rolling restart NOT TESTED: ${name} is not installed here`, () => expect(name).toBeTruthy());
    return;
  }

  test('a rolling restart under load fails no request', async () => {
    const port = await freePort();
    const path = join(workspace.folder, file);
    await writeFile(path, settings(port, workspace.folder));
    const proxy = spawn(name, args(path), { stdio: 'ignore' });
    try {
      const url = `http://127.0.0.1:${port}`;
      await vi.waitFor(async () => expect((await fetch(`${url}/health/live`)).status).toBe(200), {
        timeout: 10_000,
      });
      const end = load(url);
      for (const gateway of gateways) {
        await sleep(1_000);
        gateway.program.process.kill('SIGTERM');
        const { code } = await gateway.program.ended;
        expect(code).toBe(0);
        Object.assign(gateway, await startGateway(gateway.port));
        // the proxy must see it before the other one stops
        await sleep(1_500);
      }
      const seen = await end();
      expect(Object.keys(seen)).toEqual(['200']);
      expect(seen[200]).toBeGreaterThan(1_000);
    } finally {
      proxy.kill('SIGTERM');
    }
  });
});

describe('with the default setting and without a terminal', () => {
  const unset = () => ({ ...env, SHUTDOWN_DELAY_SECONDS: '', PORT: '0' });

  test('shutdown is announced for 5 seconds', async () => {
    const program = workspace.start(['start', '--no-sandbox'], { env: unset() });
    const [, url = ''] = await program.says(/The gateway answers at (\S+)\. /);
    const began = performance.now();
    program.process.kill('SIGTERM');
    await vi.waitFor(async () => {
      const { status, headers } = await fetch(`${url}/health/ready`);
      expect([status, headers.get('connection')]).toEqual([503, 'close']);
    });
    expect(await program.ended).toMatchObject({ code: 0 });
    expect(performance.now() - began).toBeGreaterThan(5_000);
    expect(performance.now() - began).toBeLessThan(12_000);
  });

  test('a second signal stops it immediately', async () => {
    const program = workspace.start(['start', '--no-sandbox'], { env: unset() });
    await program.says(/The gateway answers at/);
    program.process.kill('SIGTERM');
    await program.says(/Stopping \(SIGTERM\)/);
    const end = await endBy(program, () => killRepeatedly(program, 'SIGTERM'));
    expect(end).toMatchObject({ code: 1 });
    expect(end.tookMs).toBeLessThan(2_500);
  });
});

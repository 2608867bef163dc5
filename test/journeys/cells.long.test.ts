// Two cells behind a real nginx with ops/nginx/cells.conf: each with its own database, routed by key and by address.
import { spawn, spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { freePort } from '../harness/free-port.ts';
import { addSender, type Gateway, startGateway } from '../harness/gateway.ts';
import { openProgramFolder, type ProgramFolder } from '../harness/program.ts';
import { templateKinds } from '../harness/sends.ts';
import { until } from '../harness/until.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const domain = 'gateway.example.com';
const isInstalled = spawnSync('nginx', ['-v']).error === undefined;

if (isInstalled) describe('behind nginx', behindNginx);
else test('cells NOT TESTED: nginx is not installed here', () => expect(behindNginx).toBeTypeOf('function'));

/** The file as delivered, with this test's port and processes instead of TLS and the example's. */
async function cellsFile(port: number, processes: Record<string, string>): Promise<string> {
  const text = await readFile(new URL('../../ops/nginx/cells.conf', import.meta.url), 'utf8');
  const changed = text
    .replace('listen 443 ssl http2;', `listen 127.0.0.1:${port};`)
    .replace(/^ *(?:listen \[::\]|ssl_).*\n/gm, '')
    .replace(/^ *server 10\.0\.\d\.11:8080.*\n/gm, '');
  return Object.entries(processes).reduce((file, [from, to]) => file.replace(from, to), changed);
}

const frame = (folder: string) => `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log ${folder}/nginx.log;
events {}
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((what) => `${what}_temp_path ${folder}/nginx-${what};`).join(' ')}
  include ${folder}/cells.conf;
}`;

function behindNginx(): void {
  let workspace: ProgramFolder;
  let port = 0;
  let stopNginx = async () => {};
  const cells: Record<'eu1' | 'eu2', Gateway> = {} as never;

  beforeAll(async () => {
    workspace = await openProgramFolder();
    for (const cell of ['eu1', 'eu2'] as const)
      cells[cell] = await startGateway({
        settings: { CELL: cell, PUBLIC_URL: `http://${cell}.${domain}`, TRUSTED_PROXIES: '127.0.0.1' },
      });
    port = await freePort();
    const hostOf = ({ url }: Gateway) => new URL(url).host;
    const processes = { '10.0.1.10:8080': hostOf(cells.eu1), '10.0.2.10:8080': hostOf(cells.eu2) };
    await writeFile(join(workspace.folder, 'cells.conf'), await cellsFile(port, processes));
    const file = join(workspace.folder, 'nginx.conf');
    await writeFile(file, frame(workspace.folder));
    const nginx = spawn('nginx', ['-c', file], { stdio: ['ignore', 'ignore', 'inherit'] });
    const ended = new Promise((resolve) => nginx.once('close', resolve));
    stopNginx = async () => {
      nginx.kill('SIGTERM');
      await ended;
    };
    await until(() => ask(domain, '/v1/templates'));
  });
  afterAll(async () => {
    await stopNginx();
    for (const gateway of Object.values(cells)) await gateway?.close();
    await workspace?.close();
  });

  interface Asked {
    status: number;
    body: { code?: string; data?: Record<string, unknown> };
    headers: NodeJS.Dict<string | string[]>;
  }

  /** A request through nginx to that host. */
  const ask = (
    host: string,
    path: string,
    {
      key,
      method = 'GET',
      body,
      headers = {},
    }: { key?: string; method?: string; body?: unknown; headers?: Record<string, string> } = {},
  ) =>
    new Promise<Asked>((resolve, reject) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const call = request({
        ...{ host: '127.0.0.1', port, path, method },
        headers: {
          host,
          ...(key === undefined ? {} : { 'x-api-key': key }),
          ...(text === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
          ...headers,
        },
      });
      call.once('error', reject).once('response', (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.once('end', () => {
          const said = Buffer.concat(parts).toString();
          const isJson = String(response.headers['content-type']).includes('json');
          resolve({
            status: response.statusCode ?? 0,
            body: isJson ? JSON.parse(said) : {},
            headers: response.headers,
          });
        });
      });
      call.end(text);
    });

  const departmentNames = async (gateway: Gateway, key: string) => {
    const { body } = await gateway.call<{ items: { name: string }[] }>(
      'GET',
      '/v1/appointments/departments',
      { key },
    );
    return body.data.items.map(({ name }) => name);
  };

  test('a key leads to its own cell at the common address, also keys that it creates', async () => {
    for (const cell of ['eu1', 'eu2'] as const) {
      const { apiKey } = cells[cell];
      expect(apiKey).toMatch(new RegExp(`^cgw_${cell}_[0-9A-Za-z]{49}$`));
      const made = await ask(domain, '/v1/keys', {
        ...{
          key: apiKey,
          method: 'POST',
          body: { name: 'second', scopes: ['manage'] },
        },
      });
      const second = String(made.body.data?.apiKey);
      expect(second).toMatch(new RegExp(`^cgw_${cell}_`));
      const body = { name: `of ${cell}` };
      expect(
        (await ask(domain, '/v1/appointments/departments', { key: second, method: 'POST', body })).status,
      ).toBe(200);
      expect(await departmentNames(cells[cell], apiKey)).toEqual([`of ${cell}`]);
    }
  });

  test('keys without a cell work in the first one, and others are 401 there', async () => {
    const { createAccount } = await import('../../src/accounts/keys.ts');
    const { db } = cells.eu1.database;
    const { systemClock } = await import('../../src/base/clock.ts');
    const { key } = await createAccount({ db, clock: systemClock }, 'Before cells');
    expect(key.apiKey).toMatch(/^cgw_[0-9A-Za-z]{49}$/);
    expect((await ask(domain, '/v1/templates', { key: key.apiKey })).status).toBe(200);
    const wrong = await ask(domain, '/v1/templates', { key: cells.eu2.apiKey.replace('eu2', 'eu9') });
    expect([wrong.status, wrong.body.code]).toEqual([401, 'api_key_invalid']);
  });

  test('an address of a cell leads to it, whatever the key says', async () => {
    const own = (cell: 'eu1' | 'eu2', key: string) => ask(`${cell}.${domain}`, '/v1/templates', { key });
    expect((await own('eu2', cells.eu2.apiKey)).status).toBe(200);
    expect((await own('eu1', cells.eu2.apiKey)).status).toBe(401);
  });

  test('callbacks, dashboard links and sessions of a cell arrive at it', async () => {
    for (const cell of ['eu1', 'eu2'] as const) {
      const gateway = cells[cell];
      const { senderId } = await addSender(gateway, templateKinds);
      const { body } = await gateway.call<{ items: { _id: string; callbackUrl: string }[] }>(
        'GET',
        '/v1/senders',
      );
      const callback = new URL(body.data.items.find(({ _id }) => _id === senderId)?.callbackUrl ?? '');
      expect(callback.host).toBe(`${cell}.${domain}`);
      // the platform's verification, which only the cell with this number answers
      const query = '?hub.mode=subscribe&hub.challenge=123&hub.verify_token=test-verify-token';
      expect((await ask(callback.host, callback.pathname + query)).status).toBe(200);
      const other = cell === 'eu1' ? 'eu2' : 'eu1';
      expect((await ask(`${other}.${domain}`, callback.pathname + query)).status).not.toBe(200);

      const link = await ask(domain, '/v1/dashboard-links', {
        key: gateway.apiKey,
        method: 'POST',
        body: {},
      });
      const page = new URL(String(link.body.data?.url));
      expect(page.host).toBe(`${cell}.${domain}`);
      const token = new URLSearchParams(page.hash.slice(1)).get('link');
      const browser = { origin: page.origin, 'x-requested-with': 'chatbot-gateway' };
      const signIn = await ask(page.host, '/v1/session', {
        ...{ method: 'POST', body: { link: token }, headers: browser },
      });
      expect(signIn.status).toBe(200);
      const cookie = String(signIn.headers['set-cookie']).split(';')[0] ?? '';
      expect((await ask(page.host, '/v1/templates', { headers: { cookie } })).status).toBe(200);
    }
  });

  test('metrics and health are not public', async () => {
    for (const path of ['/metrics', '/health/ready'])
      expect((await ask(`eu1.${domain}`, path, { key: cells.eu1.apiKey })).status).toBe(404);
  });
}

// A gateway behind nginx with the configuration of ops/nginx: TLS, the event stream, limits of bodies, addresses of clients.
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { freePort } from '../harness/free-port.ts';
import { hasNginx, nginxFolder } from '../harness/nginx.ts';
import { openProgramFolder, type ProgramFolder } from '../harness/program.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const isInstalled = hasNginx();
if (!isInstalled) console.log('NOT TESTED: nginx is not installed');

describe.runIf(isInstalled)('behind nginx', () => {
  let workspace: ProgramFolder;
  let nginx: ReturnType<typeof nginxFolder>;
  let ports: { http: number; https: number; gateway: number };
  let apiKey: string;

  interface Answer {
    status: number;
    headers: Record<string, string | string[] | undefined>;
    text: string;
  }

  /** A request over TLS; resolves with the first chunk of an event stream. */
  function call(
    method: string,
    path: string,
    {
      headers = {},
      body,
      from = '127.0.0.1',
    }: { headers?: Record<string, string>; body?: Buffer; from?: string } = {},
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          host: '127.0.0.1',
          localAddress: from,
          port: ports.https,
          servername: 'gateway.example.com',
          ca: readFileSync(nginx.certificate),
          method,
          path,
          headers: { Host: 'gateway.example.com', 'X-API-Key': apiKey, ...headers },
        },
        (response) => {
          let text = '';
          const done = () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
          response.on('data', (bytes) => {
            text += bytes;
            if (/event-stream/.test(response.headers['content-type'] ?? '')) {
              done();
              sent.destroy();
            }
          });
          response.on('end', done);
        },
      );
      // nginx closes the connection of a body that is too large
      sent.on('error', reject);
      sent.end(body);
    });
  }

  beforeAll(async () => {
    workspace = await openProgramFolder({ migrated: true });
    const [http, https, gateway] = [await freePort(), await freePort(), await freePort()];
    ports = { http, https, gateway };
    const env = {
      PORT: String(gateway),
      PUBLIC_URL: 'https://gateway.example.com',
      TRUSTED_PROXIES: '127.0.0.1',
    };
    await workspace.start(['start', '--no-sandbox'], { env }).says(/The gateway answers at/);
    const made = await workspace.run(['account', 'create', 'Behind nginx', '--json'], { env });
    apiKey = JSON.parse(made.out).apiKey;
    nginx = nginxFolder(ports);
    nginx.start();
    await vi.waitFor(() => call('GET', '/v1/senders'), { timeout: 10_000 });
  });
  afterAll(async () => {
    await nginx?.close();
    await workspace?.close();
  });

  test('the API and the dashboard are served over TLS, and http leads to https', async () => {
    expect(await call('GET', '/v1/senders')).toMatchObject({
      status: 200,
      headers: { 'strict-transport-security': expect.stringContaining('max-age') },
    });
    expect((await call('GET', '/', { headers: { Accept: 'text/html' } })).text).toContain('<html');
    const plain = await fetch(`http://127.0.0.1:${ports.http}/v1/senders?a=b`, { redirect: 'manual' });
    expect([plain.status, plain.headers.get('location')]).toEqual([
      301,
      'https://gateway.example.com/v1/senders?a=b',
    ]);
  });

  test('the event stream arrives frame by frame', async () => {
    const { status, headers, text } = await call('GET', '/v1/events/stream');
    expect([status, headers['content-type']]).toEqual([200, expect.stringMatching(/^text\/event-stream/)]);
    expect(text.length).toBeGreaterThan(0);
  });

  test('bodies up to the limits of the gateway pass, larger ones do not reach it', async () => {
    const path = '/v1/media';
    const length = (megabytes: number) => ({ 'Content-Length': String(megabytes * 1024 * 1024) });
    const large = await call('POST', path, { headers: length(102) });
    expect([large.status, large.text]).toEqual([413, expect.stringContaining('nginx')]);
    const recipients = '/v1/sends/01a1fe26-f59a-7000-8000-000000000000/recipients';
    const csv = Buffer.concat([Buffer.from('phone\n'), Buffer.alloc(3 * 1024 * 1024, '15550100001\n')]);
    const answer = await call('POST', recipients, { headers: { 'Content-Type': 'text/csv' }, body: csv });
    expect(answer.text).not.toContain('nginx');
    expect(JSON.parse(answer.text).code).toBe('send_not_found');
  });

  test('metrics and health are closed to other machines, whatever address a client names', async () => {
    const headers = { 'X-Forwarded-For': '127.0.0.1' };
    for (const path of ['/health/ready', '/health/live', '/metrics']) {
      expect((await call('GET', path)).status).toBe(200);
      expect((await call('GET', path, { headers, from: '127.0.0.2' })).status).toBe(403);
    }
    expect((await call('GET', '/v1/senders', { from: '127.0.0.2' })).status).toBe(200);
  });

  test('a client cannot choose the address that the gateway sees', async () => {
    const headers = { 'X-Forwarded-For': '203.0.113.9', 'Content-Type': 'application/json' };
    const body = Buffer.from('{"name":"by proxy","scopes":["templates:read"]}');
    expect((await call('POST', '/v1/keys', { headers, body })).status).toBe(200);
    const { data } = JSON.parse((await call('GET', '/v1/audit?limit=1')).text);
    expect(data.items[0]).toMatchObject({ action: 'key.created', address: '127.0.0.1' });
  });
});

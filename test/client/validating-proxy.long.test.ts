// Prism as a validating proxy: the demonstration's setup and a journey of the client do not violate the OpenAPI document.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import * as client from '../../client/src/client.ts';
import * as webhooks from '../../client/src/webhooks.ts';
import { googleClient, seedDemo } from '../../demo/seed.ts';
import { receiverControl } from '../../sandbox/control.ts';
import { freePort } from '../harness/free-port.ts';
import { type Gateway, startGateway } from '../harness/gateway.ts';
import { installPackages } from '../harness/registry-packages.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const plainFetch = globalThis.fetch;
let gateway: Gateway;
let folder: string;
let prism: ChildProcess | undefined;
let proxyUrl: string;
const violations: string[] = [];
let exchanges = 0;

beforeAll(async () => {
  gateway = await startGateway({
    settings: { GOOGLE_CLIENT_ID: googleClient.id, GOOGLE_CLIENT_SECRET: googleClient.secret },
  });
  const modules = await installPackages(
    ['@stoplight/prism-cli@5.14.2'],
    'the gateway behind a validating proxy',
  );
  if (!modules) return;
  folder = await mkdtemp(join(tmpdir(), 'prism-'));
  const document = join(folder, 'openapi.json');
  await writeFile(document, (await gateway.call('GET', '/openapi.json', { key: null })).text);
  const port = await freePort();
  proxyUrl = `http://127.0.0.1:${port}`;
  const args = ['proxy', document, gateway.url, '--errors', '--host', '127.0.0.1', '--port', String(port)];
  const child = spawn(join(modules, '.bin/prism'), args, { stdio: ['ignore', 'pipe', 'inherit'] });
  prism = child;
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (bytes) => String(bytes).includes('is listening') && resolve());
    child.once('exit', (code) => reject(new Error(`Prism ended with ${code}`)));
  });
});
afterEach(() => {
  globalThis.fetch = plainFetch;
});
afterAll(async () => {
  if (prism?.kill()) await once(prism, 'exit');
  await gateway?.close();
  if (folder) await rm(folder, { recursive: true, force: true });
});

/** Sends every API request through the proxy, and records the violations that the proxy reports. */
async function throughProxy(url: string | URL | Request, init?: RequestInit): Promise<Response> {
  const address = String(url);
  if (!address.startsWith(`${gateway.url}/v1/`)) return plainFetch(url, init);
  exchanges += 1;
  const response = await plainFetch(address.replace(gateway.url, proxyUrl), init);
  const type = response.headers.get('content-type') ?? '';
  const text = type.includes('problem+json') ? await response.clone().text() : '';
  const found = text + (response.headers.get('sl-violations') ?? '');
  if (found !== '') violations.push(`${init?.method} ${address}: ${found}`);
  return response;
}

test('a request that the document does not allow is a violation', async () => {
  if (!prism) return;
  globalThis.fetch = throughProxy;
  const call = new client.ChatbotGateway({ baseUrl: gateway.url, apiKey: gateway.apiKey, retries: 0 });
  await call.sendTemplate({ body: { templateId: 1, recipients: [] } as never }).catch(() => undefined);
  expect(violations.splice(0)).toHaveLength(1);
});

test('the setup of an account and a journey have no violation', async () => {
  if (!prism) return;
  globalThis.fetch = throughProxy;
  const { url: baseUrl, apiKey, accountId } = gateway;
  const sandbox = {
    cloudApiUrl: gateway.urls.cloudApi,
    googleUrl: gateway.urls.google,
    receiverUrl: gateway.urls.receiver,
  };
  const demo = await seedDemo({ baseUrl, apiKey, accountId, sandbox }, () => undefined);
  const call = new client.ChatbotGateway({ baseUrl, apiKey });
  const { items } = await call.listTemplates({ search: 'order_update' });
  const variables = { '1': 'Ada', '2': 'A-1', '3': 'on Friday' };
  const recipients = ['15550000131026', '15550001131049'].map((phone) => ({ phone, variables }));
  await call.sendTemplate({ body: { templateId: items[0]?._id ?? '', recipients } });
  const [event] = await receiverControl(sandbox.receiverUrl).events({ waitSeconds: 10 });
  const webhook = { body: event?.body, headers: event?.headers, secret: demo.webhookSecret };
  const { journey } = await import(new URL('journey.mjs', import.meta.url).href);
  const seen = await journey(client, webhooks, { baseUrl, apiKey, webhook });
  expect(seen).toMatchObject({ accepted: 3, status: 'confirmed', isTaken: true });
  await readEverything(call);
  expect(violations).toEqual([]);
  expect(exchanges).toBeGreaterThan(50);
});

/** Reads every list and one item of each, and makes some invalid requests. */
async function readEverything(call: client.ChatbotGateway): Promise<void> {
  const [message, booking, template, staff, endpoint, delivery] = await Promise.all([
    call.listMessages().then(({ items }) => items[0]?.id ?? ''),
    call.listBookings().then(({ items }) => items[0]?.bookingId ?? ''),
    call.listTemplates().then(({ items }) => items[0]?._id ?? ''),
    call.listStaff().then(({ items }) => items[0]?._id ?? ''),
    call.listEndpoints().then(({ items }) => items[0]?._id ?? ''),
    call.listDeliveries().then(({ items }) => items[0]?._id ?? ''),
  ]);
  await call.getMessage({ id: message });
  await call.getBooking({ id: booking });
  await call.getTemplate({ templateId: template });
  await call.getSchedule({ id: staff });
  await call.getDelivery({ id: delivery });
  await call.testEndpoint({ id: endpoint });
  await call.listReplays({ id: endpoint });
  await Promise.all([call.listSenders(), call.listKeys(), call.listMedia(), call.listDepartments()]);
  await call.cancelBooking({ id: booking });
  const key = await call.createKey({ body: { name: 'reader', scopes: ['templates:read'] } });
  const reader = new client.ChatbotGateway({ baseUrl: gateway.url, apiKey: key.apiKey });
  const failures = [
    reader.listKeys(),
    call.getMessage({ id: '019a0b5e-7c00-7000-8000-000000000000' }),
    new client.ChatbotGateway({ baseUrl: gateway.url, apiKey: 'cgw_wrong' }).listKeys(),
  ];
  const codes = await Promise.all(failures.map((one) => one.catch((error) => error.code)));
  expect(codes).toEqual(['forbidden', 'message_not_found', 'api_key_invalid']);
}

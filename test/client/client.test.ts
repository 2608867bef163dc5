// The client: its generated types, its packed package, and its calls of a running gateway.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ChatbotGateway, isGatewayError } from '../../client/src/client.ts';
import { generatedClient } from '../../scripts/generated-client.ts';
import { readBlocks, readProjectFile } from '../harness/documents.ts';
import { addSender, type Gateway, startGateway } from '../harness/gateway.ts';
import { installPackedClient } from './packed.ts';

const run = promisify(execFile);
const root = new URL('../../', import.meta.url);
const folder = mkdtempSync(join(tmpdir(), 'gateway-client-'));
let gateway: Gateway;
let templateId: string;

beforeAll(async () => {
  installPackedClient(folder);
  gateway = await startGateway();
  const body = [{ type: 'BODY', text: 'Hi {{1}}' }];
  const template = { name: 'hello', language: 'en_US', category: 'UTILITY', components: body };
  ({
    templateIds: { hello: templateId = '' },
  } = await addSender(gateway, [template as never]));
}, 60_000);
afterAll(async () => {
  await gateway?.close();
  rmSync(folder, { recursive: true, force: true });
});

test('its types match the OpenAPI document (otherwise run "npm run client:types")', async () => {
  const { text } = await gateway.call('GET', '/openapi.json', { key: null });
  const committed = readFileSync(new URL('client/src/generated.ts', root), 'utf8');
  expect(committed).toBe(generatedClient(JSON.parse(text)));
});

test('its package has no dependencies and at most 12 KB gzipped', () => {
  const installed = join(folder, 'node_modules/chatbot-gateway-client');
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  expect(manifest).not.toHaveProperty('dependencies');
  expect(readProjectFile('docs/clients.md')).toContain(`chatbot-gateway-client-${manifest.version}.tgz`);
  for (const kind of ['esm', 'cjs']) {
    const files = readdirSync(join(installed, kind)).filter((name) => name.endsWith('.js'));
    const code = files.map((name) => readFileSync(join(installed, kind, name), 'utf8')).join('\n');
    expect(gzipSync(code).length).toBeLessThan(12 * 1024);
  }
});

const program = (imports: string) => `${imports}
(async () => {
  const [baseUrl, apiKey, templateId] = process.argv.slice(2);
  const gateway = new ChatbotGateway({ baseUrl, apiKey });
  const recipients = [{ phone: '15551234567', variables: { 1: 'Ada' } }];
  const send = await gateway.sendTemplate({ body: { templateId, recipients } });
  const names = [];
  for await (const template of gateway.listTemplates({ limit: 1 })) names.push(template.providerTemplateName);
  const first = await gateway.listMessages({ sendId: send.sendId });
  const code = await gateway.getMessage({ id: 'none' }).catch((error) => [error instanceof GatewayError, error.code]);
  const media = await gateway.uploadMedia({ body: { file: new File(['text'], 'a.txt', { type: 'text/plain' }) } });
  const file = await gateway.downloadMedia({ mediaId: media.mediaId });
  console.log(JSON.stringify({
    accepted: send.accepted, names, listed: first.items.length, code, file: await file.text(), verify: typeof verifyWebhook,
  }));
})();`;
const programs = {
  'esm.mjs': program(
    `import { ChatbotGateway, GatewayError } from 'chatbot-gateway-client';\nimport { verifyWebhook } from 'chatbot-gateway-client/webhooks';`,
  ),
  'cjs.cjs': program(
    `const { ChatbotGateway, GatewayError } = require('chatbot-gateway-client');\nconst { verifyWebhook } = require('chatbot-gateway-client/webhooks');`,
  ),
};

test.each(Object.entries(programs))('the packed client works against a gateway: %s', async (name, text) => {
  writeFileSync(join(folder, name), text);
  const { stdout } = await run('node', [join(folder, name), gateway.url, gateway.apiKey, templateId]);
  expect(JSON.parse(stdout)).toEqual({
    accepted: 1,
    names: ['hello'],
    listed: 1,
    code: [true, 'message_not_found'],
    file: 'text',
    verify: 'function',
  });
});

test('its types reject calls that do not match the document', async () => {
  const valid = `import { ChatbotGateway, isGatewayError, type OperationErrors } from 'chatbot-gateway-client';
import { verifyWebhook } from 'chatbot-gateway-client/webhooks';
const gateway = new ChatbotGateway({ baseUrl: '', apiKey: '' });
export const send = gateway.sendTemplate({ body: { templateId: '', recipients: [{ phone: '1', variables: { '1': 'x' } }] } });
export const ids: Promise<string[]> = send.then((one) => one.messages.map((message) => message.id));
export const code: OperationErrors['bookAppointment'] = 'slot_unavailable';
export const page: Promise<{ items: { _id: string }[] }> = gateway.listKeys();
for await (const one of gateway.listBookings({ status: 'confirmed' })) one.calendarState.state satisfies string;
const { event } = verifyWebhook('', {}, '');
if (event.event === 'messages.status') event.data.recipientPhone satisfies string;
if (isGatewayError(null, 'queue_full')) throw new Error();
`;
  const wrong = `import { ChatbotGateway } from 'chatbot-gateway-client';
const gateway = new ChatbotGateway({ baseUrl: '', apiKey: '' });
gateway.sendTemplate({ body: { templateId: 1, recipients: [] } });
gateway.getTemplate({});
gateway.listMessages({ statu: 'failed' });
`;
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'valid.ts'), valid);
  writeFileSync(join(folder, 'wrong.ts'), wrong);
  // declarations that the examples of the client's README use
  const around = `import type { BookAppointment, Slot } from 'chatbot-gateway-client';
declare const process: { env: Record<string, string | undefined> };
declare const templateId: string, booking: BookAppointment, rawBody: string;
declare const offer: (slots: Slot[]) => void, request: { headers: Record<string, string | string[] | undefined> };
`;
  const examples = readBlocks().filter(
    ({ path, language }) => path === 'client/README.md' && language === 'ts',
  );
  expect(examples).toHaveLength(2);
  writeFileSync(join(folder, 'examples.ts'), around + examples.map(({ code }) => code).join('\n'));
  const tsc = new URL('node_modules/.bin/tsc', root).pathname;
  const options = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--lib',
    'es2023,dom',
  ];
  const check = (name: string) => run(tsc, [...options, name], { cwd: folder }).catch((error) => error);
  expect((await check('valid.ts')).stdout).toBe('');
  expect((await check('examples.ts')).stdout).toBe('');
  const { stdout } = await check('wrong.ts');
  expect(stdout.match(/wrong\.ts\(\d+/g)).toEqual(['wrong.ts(3', 'wrong.ts(4', 'wrong.ts(5']);
});

/** A `fetch` that returns the listed responses and records its requests. */
function listed(...responses: (Response | Error)[]) {
  const requests: { url: string; headers: Record<string, string> }[] = [];
  const fetch = async (url: string, init: { headers: Record<string, string> }) => {
    requests.push({ url, headers: init.headers });
    const next = responses.shift();
    if (next instanceof Response) return next;
    throw next ?? new Error('No more responses are listed.');
  };
  const client = new ChatbotGateway({ baseUrl: 'http://gateway/', apiKey: 'key', fetch: fetch as never });
  return { requests, client };
}
const failure = (status: number, code: string, headers = {}) =>
  Response.json({ success: false, message: code, code, requestId: 'id' }, { status, headers });
const success = (data: unknown) => Response.json({ success: true, message: '', data });

test('a call with a key is repeated with the same key after a lost response and a 503', async () => {
  const { requests, client } = listed(
    new Error('reset'),
    failure(503, 'provider_unavailable', { 'Retry-After': '1' }),
    success({ sendId: 'x' }),
  );
  const began = Date.now();
  expect(await client.sendTemplate({ body: { templateId: 't', recipients: [] } })).toEqual({ sendId: 'x' });
  expect(Date.now() - began).toBeGreaterThan(1200);
  const keys = requests.map(({ headers }) => headers['Idempotency-Key']);
  expect(new Set(keys).size).toBe(1);
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
  expect(requests).toHaveLength(3);
});

test('a repeated deletion that finds nothing succeeds if the first response was lost', async () => {
  const gone = () => failure(404, 'department_not_found');
  for (const lost of [new Error('reset'), failure(503, 'database_unavailable')])
    expect(await listed(lost, gone()).client.deleteDepartment({ id: '1' })).toEqual({ _id: '1' });
  const file = listed(new Error('reset'), failure(404, 'media_not_found')).client;
  expect(await file.deleteMedia({ mediaId: '7' })).toEqual({ mediaId: '7' });
  const status = (call: Promise<unknown>) =>
    call.then(
      () => 200,
      (error) => error.status,
    );
  // never there; rate limited, so not deleted before; the wrong address; other data than the id
  expect(await status(listed(gone()).client.deleteDepartment({ id: '1' }))).toBe(404);
  const limited = listed(failure(429, 'rate_limited'), gone());
  expect(await status(limited.client.deleteDepartment({ id: '1' }))).toBe(404);
  const elsewhere = listed(new Error('reset'), failure(404, 'not_found'));
  expect(await status(elsewhere.client.deleteDepartment({ id: '1' }))).toBe(404);
  const template = listed(new Error('reset'), failure(404, 'template_not_found'));
  expect(await status(template.client.deleteTemplate({ templateId: '1' }))).toBe(404);
});

test('a POST without a key is repeated only if the gateway did nothing', async () => {
  const lost = listed(new Error('reset'));
  await expect(lost.client.createDepartment({ body: { name: 'x' } })).rejects.toThrow('reset');
  const unavailable = listed(failure(503, 'database_unavailable', { 'Retry-After': '1' }));
  await expect(unavailable.client.createDepartment({ body: { name: 'x' } })).rejects.toMatchObject({
    status: 503,
  });
  expect(unavailable.requests).toHaveLength(1);
  const limited = listed(failure(429, 'rate_limited'), success({ _id: '1' }));
  expect(await limited.client.createDepartment({ body: { name: 'x' } })).toEqual({ _id: '1' });
});

test('a conflict that a retry cannot solve, or a Retry-After of minutes, fails immediately', async () => {
  const conflict = listed(failure(409, 'slot_unavailable'));
  const error = await conflict.client.bookAppointment({ body: {} as never }).then(undefined, (one) => one);
  expect([isGatewayError(error, 'slot_unavailable'), isGatewayError(error, 'conflict')]).toEqual([
    true,
    false,
  ]);
  const long = listed(failure(429, 'queue_full', { 'Retry-After': '600' }));
  await expect(long.client.listKeys()).rejects.toMatchObject({ retryAfterSeconds: 600 });
});

test('a list returns all items over pages and cursors, with its filters', async () => {
  const page = (item: string, nextCursor: string | null) =>
    success({ items: [{ id: item }], pagination: { limit: 1, nextCursor } });
  const { requests, client } = listed(page('a', 'c1'), page('b', null));
  const ids: string[] = [];
  for await (const { id } of client.listMessages({ status: 'failed', limit: 1 })) ids.push(id);
  expect(ids).toEqual(['a', 'b']);
  expect(requests.map(({ url }) => url)).toEqual([
    'http://gateway/v1/messages?status=failed&limit=1',
    'http://gateway/v1/messages?status=failed&limit=1&cursor=c1',
  ]);
});

test('a list is a promise of its first page, which is requested once and can be caught', async () => {
  const { requests, client } = listed(
    failure(404, 'sender_not_found'),
    success({ items: [1], pagination: {} }),
  );
  expect(await client.listKeys().catch((error) => error.code)).toBe('sender_not_found');
  const list = client.listKeys();
  expect(requests).toHaveLength(1);
  expect([(await list).items, (await list.finally(() => undefined)).items]).toEqual([[1], [1]]);
  expect(requests).toHaveLength(2);
});

test('an aborted call rejects with the reason, also between attempts', async () => {
  const controller = new AbortController();
  const { client } = listed(failure(503, 'database_unavailable', { 'Retry-After': '30' }));
  setTimeout(() => controller.abort(new Error('enough')), 50);
  await expect(client.listKeys({}, { signal: controller.signal })).rejects.toThrow('enough');
});

// Private addresses in requests: rejected by every operation that takes an address, outside the sandbox.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { type Gateway, startGateway } from '../harness/gateway.ts';

let gateway: Gateway;
let privateServer: { url: string; requests: number; close: () => void };

beforeAll(async () => {
  gateway = await startGateway({
    settings: { ALLOW_PRIVATE_ADDRESSES: '', ALLOW_HTTP_RECEIVERS: 'false' },
  });
  const server = createServer((_request, response) => {
    privateServer.requests += 1;
    response.end('{"display_phone_number":"1","data":[]}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  privateServer = { url: `http://127.0.0.1:${port}`, requests: 0, close: () => server.close() };
});
afterAll(async () => {
  privateServer?.close();
  await gateway?.close();
});

const secrets = { accessToken: 'token', appSecret: 'a'.repeat(32), verifyToken: 'verify' };
const addSender = (apiUrl: string) =>
  gateway.call('POST', '/v1/senders', {
    body: { name: 'x', phoneNumberId: '1', businessAccountId: '2', apiUrl, ...secrets },
  });
const connectCalendar = async (url: string) => {
  const { _id } = (
    await gateway.call<{ _id: string }>('POST', '/v1/appointments/users', { body: { name: 'x' } })
  ).body.data;
  return gateway.call('PUT', `/v1/appointments/users/${_id}/ext-calendar`, {
    body: { provider: 'caldav', url, username: 'ada', password: 'secret' },
  });
};
const addEndpoint = (url: string) => gateway.call('POST', '/v1/webhooks/endpoints', { body: { url } });

const forms = [
  ...['https://127.0.0.1', 'https://2130706433', 'https://0x7f.1', 'https://0177.0.0.1', 'https://127.1'],
  ...['https://[::1]', 'https://[::ffff:127.0.0.1]', 'https://[::7f00:1]', 'https://[64:ff9b::7f00:1]'],
  ...['https://0', 'https://0.0.0.0', 'https://10.0.0.1', 'https://192.168.1.1', 'https://172.16.0.1'],
  ...['https://169.254.169.254', 'https://[fd00:ec2::254]', 'https://metadata.google.internal'],
  ...['https://localhost', 'https://localhost.', 'https://①②⑦.0.0.1', 'https://user:pass@1.1.1.1'],
  ...['http://example.com', 'ftp://example.com', 'file:///etc/passwd', 'javascript:alert(1)'],
];

describe.each([
  ['a sender', 'apiUrl', addSender],
  ['a webhook endpoint', 'url', addEndpoint],
  ['a calendar', 'url', connectCalendar],
] as const)('%s', (_what, path, add) => {
  it.each(forms)('returns 400 at %s', async (url) => {
    const response = await add(url);
    expect([response.status, response.body.errors?.map((problem) => problem.path)]).toEqual([400, [path]]);
  });
});

test('returns 400 for a sender whose address has a query or a fragment, because paths are appended to it', async () => {
  for (const tail of ['?', '?x=', '#', '/#x']) {
    const response = await addSender(`https://1.1.1.1${tail}`);
    expect([response.status, response.body.errors?.[0]?.path]).toEqual([400, 'apiUrl']);
  }
});

test("calls the platform at the operator's private address, and no private address from a request", async () => {
  const response = await gateway.call('POST', '/v1/senders', {
    body: { name: 'x', phoneNumberId: '1', businessAccountId: '2', ...secrets },
  });
  expect([response.status, response.body.code]).toEqual([502, 'provider_rejected']);
  expect((await addSender(privateServer.url)).status).toBe(400);
  expect((await connectCalendar(privateServer.url)).status).toBe(400);
  expect(privateServer.requests).toBe(0);
});

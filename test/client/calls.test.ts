// Calls of the client beyond JSON: files that it sends, bodies that it streams, time limits, and what failures carry.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ChatbotGateway, type GatewayError } from '../../client/src/client.ts';
import { addSender, type Gateway, startGateway } from '../harness/gateway.ts';

let gateway: Gateway;
let client: ChatbotGateway;
let templateId: string;

beforeAll(async () => {
  gateway = await startGateway();
  client = new ChatbotGateway({ baseUrl: gateway.url, apiKey: gateway.apiKey });
  const components = [{ type: 'BODY', text: 'Hi {{1}}' }];
  const template = { name: 'hello', language: 'en_US', category: 'UTILITY', components };
  ({
    templateIds: { hello: templateId = '' },
  } = await addSender(gateway, [template as never]));
});
afterAll(() => gateway?.close());

test('a CSV file is sent as text or as a file', async () => {
  const text = 'phone,scope\n15550100041,marketing\n';
  expect(await client.importOptOuts({ body: text })).toMatchObject({ changed: 1, rejected: 0 });
  expect(await client.importOptOuts({ body: new Blob([text]) })).toMatchObject({ unchanged: 1, rejected: 0 });
});

test('recipients are sent as JSON, CSV, or a file with its own type', async () => {
  const { sendId } = await client.createSend({ body: { templateId } });
  const recipients = [{ phone: '15550100042', variables: { 1: 'Ada' } }];
  expect(await client.addRecipients({ sendId, body: { recipients } })).toMatchObject({ added: 1 });
  expect(await client.addRecipients({ sendId, body: 'phone,1\n15550100043,Bo\n' })).toMatchObject({
    added: 1,
  });
  const lines = `${JSON.stringify({ phone: '15550100044', variables: { 1: 'Cy' } })}\n`;
  const file = new Blob([lines], { type: 'application/x-ndjson' });
  expect(await client.addRecipients({ sendId, body: file })).toMatchObject({ added: 1 });
});

test('an abort after the response ends the stream that it returned', async () => {
  const controller = new AbortController();
  const response = await client.streamEvents({}, { signal: controller.signal });
  const text = response.text();
  controller.abort(new Error('enough'));
  await expect(text).rejects.toThrow();
});

test('an error has the members of its code', async () => {
  const failed = (call: Promise<unknown>) => call.catch((error: GatewayError) => error);
  const never = await failed(client.sendReply({ body: { phone: '15550100045', text: 'Hi' } }));
  expect(never).toMatchObject({ code: 'window_closed', closedAt: null });
  const failing = (more: object) => {
    const body = { success: false, message: '', code: 'conflict', requestId: 'id', ...more };
    const fetch = async () => Response.json(body, { status: 409 });
    return failed(new ChatbotGateway({ baseUrl: 'http://gateway', fetch: fetch as never }).listKeys());
  };
  expect(await failing({ bookingIds: ['b'] })).toMatchObject({ bookingIds: ['b'] });
  expect(await failing({ editableAt: '2026-03-11T14:00:00.000Z' })).toMatchObject({
    editableAt: '2026-03-11T14:00:00.000Z',
  });
});

test("an upload has 300 s, or the client's longer limit, or the one of its call", async () => {
  /** The time limit of an attempt. The call sets its timer before it returns. */
  const limitOf = async (timeoutMs: number | undefined, ofCall?: number): Promise<unknown> => {
    const timers = vi.spyOn(globalThis, 'setTimeout');
    const fetch = async () => Response.json({ success: true, message: '', data: {} });
    const options = { ...(timeoutMs === undefined ? {} : { timeoutMs }), fetch: fetch as never };
    const call = new ChatbotGateway({ baseUrl: 'http://gateway', ...options }).uploadMedia(
      { body: { file: new Blob(['x']) } },
      ofCall === undefined ? {} : { timeoutMs: ofCall },
    );
    const [, limitMs] = timers.mock.calls[0] ?? [];
    timers.mockRestore();
    await call;
    return limitMs;
  };
  expect(await limitOf(undefined)).toBe(300_000);
  expect(await limitOf(30_000)).toBe(300_000);
  expect(await limitOf(600_000)).toBe(600_000);
  expect(await limitOf(600_000, 1_000)).toBe(1_000);
});

// The delivery thread: its metrics, logs, and failures.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openLog } from '../../src/base/log.ts';
import { openMetrics } from '../../src/base/metrics.ts';
import { openDeliveryThread } from '../../src/webhooks/delivery/thread/client.ts';
import type { ThreadSettings } from '../../src/webhooks/delivery/thread/messages.ts';
import { addEndpoint, addSender, type Gateway, startGateway } from '../harness/gateway.ts';
import { send, templateKinds } from '../harness/sends.ts';

const lines: string[] = [];
let gateway: Gateway;
let templateId: string;
let secret: string;

beforeAll(async () => {
  const log = openLog('info', { write: (line: string) => void lines.push(line) });
  gateway = await startGateway({ log });
  const { templateIds } = await addSender(gateway, templateKinds);
  templateId = templateIds.plain ?? '';
  ({ secret } = await addEndpoint(gateway));
});
afterAll(() => gateway?.close());

const received = () => lines.map((line) => JSON.parse(line) as { msg: string; count?: number });

it('counts each attempt in /metrics, and logs each commit of attempts', async () => {
  await send(gateway, { templateId, recipients: ['15550600001', '15550600002'] });
  const delivered = async () => {
    const { text } = await gateway.call('GET', '/metrics', { key: null });
    return Number(/gateway_deliveries_total\{outcome="delivered"\} (\d+)/.exec(text)?.[1]);
  };
  await expect.poll(delivered).toBe(6);
  const recorded = () =>
    received()
      .filter(({ msg }) => msg === 'webhooks.delivered')
      .reduce((sum, { count = 0 }) => sum + count, 0);
  await expect.poll(recorded).toBe(6);
  expect(lines.join('')).not.toContain(secret);
});

it('shows in /metrics how long sends, calls and webhooks took, what was written together, and what waits', async () => {
  const figures = async () => {
    const { text } = await gateway.call('GET', '/metrics', { key: null });
    return (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  };
  const before = await figures();
  await send(gateway, { templateId, recipients: ['15550600004'] });
  const since = async (name: string) => (await figures())(name) - (before(name) || 0);
  await expect.poll(() => since('gateway_callback_to_webhook_seconds_count')).toBe(3);
  expect(await since('gateway_platform_call_seconds_count')).toBe(1);
  expect(await since('gateway_send_overhead_seconds_count')).toBe(1);
  expect(await since('gateway_send_overhead_seconds_sum')).toBeGreaterThan(0);
  expect(await since('gateway_batch_items_sum{batch="statuses"}')).toBe(3);
  expect(await since('gateway_batch_items_sum{batch="accepted"}')).toBe(1);
  await expect.poll(() => since('gateway_batch_items_sum{batch="delivered"}')).toBeGreaterThanOrEqual(1);
  const after = await figures();
  for (const pool of ['hot', 'deliveries'])
    expect(after(`gateway_pool_wait_seconds_count{pool="${pool}"}`)).toBeGreaterThan(0);
  for (const queue of ['messages', 'deliveries']) {
    expect(after(`gateway_claim_seconds_count{queue="${queue}"}`)).toBeGreaterThan(0);
    expect(after(`gateway_queue_depth{queue="${queue}"}`)).toBe(0);
  }
});

it('sends nothing to a paused endpoint, and its queued events once it is active again', async () => {
  const { endpointId, hook } = await addEndpoint(gateway, { hook: 'paused' });
  const path = `/v1/webhooks/endpoints/${endpointId}`;
  await gateway.call('PATCH', path, { body: { status: 'paused' } });
  await send(gateway, { templateId, recipients: ['15550600003'] });
  const arrived = async (at: string) => (await gateway.receiver.events({ hook: at })).length;
  await expect.poll(() => arrived('main')).toBeGreaterThanOrEqual(9);
  expect(await arrived(hook)).toBe(0);
  await gateway.call('PATCH', path, { body: { status: 'active' } });
  await expect.poll(() => arrived(hook)).toBe(3);
});

it('is never ready, and stops, when the thread cannot start', async () => {
  const broken = { outgoing: { connectionsPerOrigin: null, keepAliveMs: 1 } } as unknown as ThreadSettings;
  const thread = openDeliveryThread(broken, {
    ...{ log: openLog('silent'), metrics: openMetrics(), changes: { noteDeliveries: () => undefined } },
  });
  await expect(thread.ready).rejects.toThrow();
  await thread.stop();
});

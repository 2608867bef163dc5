// Traces: one of each message, from its send to the webhook, over two processes, as a collector gets them by OTLP over HTTP.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseTraceparent, rootSpanIdOf, traceIdOf } from '../../src/base/trace-ids.ts';
import { addEndpoint, addSender, type Gateway, startGateway } from '../harness/gateway.ts';

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  links?: { traceId: string }[];
  /** Of the process. */
  instance: string;
}

/** A collector that takes spans in JSON. */
async function startCollector() {
  const spans: Span[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString());
    if (request.url !== '/v1/traces') throw new Error(`unexpected path ${request.url}`);
    for (const { resource, scopeSpans } of resourceSpans) {
      const of = (key: string) =>
        resource.attributes.find((one: { key: string }) => one.key === key)?.value.stringValue;
      for (const { spans: some } of scopeSpans)
        spans.push(...some.map((span: Span) => ({ ...span, instance: of('service.instance.id') })));
    }
    response.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { spans, url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

let collector: Awaited<ReturnType<typeof startCollector>>;
let gateway: Gateway;
let other: string;
beforeAll(async () => {
  collector = await startCollector();
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  gateway = await startGateway({ settings });
  other = await gateway.another(settings);
});
afterAll(async () => {
  await gateway?.close();
  collector?.close();
});

it('follows a message from its send through claim, call, callback and event to the webhook, which gets its traceparent', async () => {
  const components = [{ type: 'BODY', text: 'Hello there.' }];
  const seed = {
    name: 'hello',
    language: 'en_US',
    status: 'APPROVED',
    category: 'UTILITY' as const,
    components,
  };
  const { templateIds } = await addSender(gateway, [seed]);
  await addEndpoint(gateway);
  const callers = { traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8) };
  // the callbacks come to the first process
  const sent = await gateway.call<{ messages: { id: string }[] }>('POST', '/v1/templates/send', {
    url: other,
    body: { templateId: templateIds.hello, recipients: [{ phone: '15550300001' }] },
    headers: { traceparent: `00-${callers.traceId}-${callers.spanId}-01` },
  });
  const id = sent.body.data.messages[0]?.id as string;
  const own = () => collector.spans.filter(({ traceId }) => traceId === traceIdOf(id));
  const names = () => new Set(own().map(({ name }) => name));
  const all = ['send', 'claim: wait in the queue', 'call: send template', 'callback', 'event', 'webhook'];
  await expect.poll(() => [...names()].sort(), { timeout: 20_000 }).toEqual(all.toSorted());
  const [root] = own().filter(({ name }) => name === 'send');
  expect(root).toMatchObject({ spanId: rootSpanIdOf(id), links: [{ traceId: callers.traceId }] });
  expect(root?.parentSpanId ?? '').toBe('');
  for (const span of own()) if (span !== root) expect(span.parentSpanId).toBe(rootSpanIdOf(id));
  for (const { startTimeUnixNano: start, endTimeUnixNano: end } of own())
    expect(BigInt(end) >= BigInt(start)).toBe(true);
  // across processes
  const instanceOf = (name: string) => own().find((span) => span.name === name)?.instance;
  expect(instanceOf('send')).not.toBe(instanceOf('callback'));
  // the receiver continues the trace
  const webhooks = own()
    .filter(({ name }) => name === 'webhook')
    .map(({ spanId }) => spanId);
  const events = await gateway.receiver.events({});
  const headers = events
    .map((event) =>
      parseTraceparent((event as unknown as { headers: Record<string, string> }).headers.traceparent),
    )
    .filter((one) => one?.traceId === traceIdOf(id));
  expect(headers.length).toBeGreaterThan(0);
  for (const one of headers) expect(webhooks).toContain(one?.spanId);
});

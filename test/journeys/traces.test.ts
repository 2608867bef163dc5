// Traces: one of each message, campaign and booking, from its request to the webhook, over two processes, as a collector gets them by OTLP over HTTP.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseTraceparent, rootSpanIdOf, rootSpanOf, traceIdOf } from '../../src/base/trace-ids.ts';
import { bookingOf, comingMonday, plainSchedule } from '../harness/appointments-fixture.ts';
import { openDrafts } from '../harness/campaigns.ts';
import { addEndpoint, addSender, type Gateway, startGateway } from '../harness/gateway.ts';

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  links?: { traceId: string; spanId: string }[];
  status?: { code?: number; message?: string };
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
let templateIds: Record<string, string>;
const callers = { traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8) };
const headers = { traceparent: `00-${callers.traceId}-${callers.spanId}-01` };

/** The spans of the trace of a message, campaign or booking. */
const spansOf = (id: string) => collector.spans.filter(({ traceId }) => traceId === traceIdOf(id));
const namesOf = (id: string) => [...new Set(spansOf(id).map(({ name }) => name))].sort();
/** Awaits that the trace has spans of these names, and no others; returns its root, of which all others are children. */
async function rootOf(id: string, names: string[]): Promise<Span> {
  await expect.poll(() => namesOf(id), { timeout: 20_000 }).toEqual(names.toSorted());
  const [root, ...more] = spansOf(id).filter(({ parentSpanId }) => !parentSpanId);
  expect([root?.spanId, more]).toEqual([rootSpanIdOf(id), []]);
  for (const span of spansOf(id)) if (span !== root) expect(span.parentSpanId).toBe(rootSpanIdOf(id));
  for (const { startTimeUnixNano: start, endTimeUnixNano: end } of spansOf(id))
    expect(BigInt(end) >= BigInt(start)).toBe(true);
  return root as Span;
}
const linksOf = ({ links = [] }: Span) => links.map(({ traceId, spanId }) => ({ traceId, spanId }));

beforeAll(async () => {
  collector = await startCollector();
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  gateway = await startGateway({ settings });
  other = await gateway.another(settings);
  const components = [{ type: 'BODY', text: 'Hello there.' }];
  const seed = { name: 'hello', language: 'en_US', status: 'APPROVED', components };
  ({ templateIds } = await addSender(gateway, [{ ...seed, category: 'UTILITY' as const }]));
  await addEndpoint(gateway, {
    events: ['messages.status', 'appointments.booked', 'appointments.cancelled'],
  });
});
afterAll(async () => {
  await gateway?.close();
  collector?.close();
});

const ofMessage = ['claim: wait in the queue', 'call: send template', 'callback', 'event', 'webhook'];

it('follows a message from its send through claim, call, callback and event to the webhook, which gets its traceparent', async () => {
  // the callbacks come to the first process
  const sent = await gateway.call<{ messages: { id: string }[] }>('POST', '/v1/templates/send', {
    ...{ url: other, headers },
    body: { templateId: templateIds.hello, recipients: [{ phone: '15550300001' }] },
  });
  const id = sent.body.data.messages[0]?.id as string;
  const root = await rootOf(id, ['send', ...ofMessage]);
  expect([root.name, linksOf(root)]).toEqual(['send', [callers]]);
  // across processes
  const instanceOf = (name: string) => spansOf(id).find((span) => span.name === name)?.instance;
  expect(instanceOf('send')).not.toBe(instanceOf('callback'));
  // the receiver continues the trace
  const webhooks = spansOf(id)
    .filter(({ name }) => name === 'webhook')
    .map(({ spanId }) => spanId);
  const events = await gateway.receiver.events({});
  const continued = events
    .map((event) =>
      parseTraceparent((event as unknown as { headers: Record<string, string> }).headers.traceparent),
    )
    .filter((one) => one?.traceId === traceIdOf(id));
  expect(continued.length).toBeGreaterThan(0);
  for (const one of continued) expect(webhooks).toContain(one?.spanId);
});

it('a resent message has a trace of its own, linked to that of the failed one', async () => {
  await gateway.platform.addFault({ on: 'messages', code: 131026, times: 1 });
  const body = { templateId: templateIds.hello, recipients: [{ phone: '15550300002' }] };
  const sent = await gateway.call<{ messages: { id: string }[] }>('POST', '/v1/templates/send', { body });
  const failedId = sent.body.data.messages[0]?.id as string;
  const path = `/v1/messages/${failedId}/resend`;
  const resent = await gateway.call<{ id: string }>('POST', path, { headers });
  const root = await rootOf(resent.body.data.id, ['resend', ...ofMessage]);
  expect([root.name, linksOf(root)]).toEqual(['resend', [rootSpanOf(failedId), callers]]);
});

it('a campaign has a trace of its requests and portions, and each of its messages one that is linked to it', async () => {
  const { call, draft, add, recipientsOf } = openDrafts(gateway, templateIds, 15550300100);
  const id = await draft('hello');
  await add(id, [{ phone: '15550300101' }, { phone: '15550300102' }]);
  const { items } = await recipientsOf(id);
  expect((await call('POST', `/${id}/start`, undefined, headers)).status).toBe(200);
  expect((await rootOf(id, ['create send', 'feed', 'start send'])).name).toBe('create send');
  const [start] = spansOf(id).filter(({ name }) => name === 'start send');
  expect(linksOf(start as Span)).toEqual([callers]);
  for (const { id: messageId } of items) {
    const root = await rootOf(messageId, ['feed', ...ofMessage]);
    expect([root.name, linksOf(root)]).toEqual(['feed', [rootSpanOf(id)]]);
  }
});

it('follows a booking from its request through the calls of its calendar to the webhooks, and its changes', async () => {
  const base = '/v1/appointments';
  const must = async (method: string, path: string, body?: unknown, more = {}) => {
    const response = await gateway.call<Record<string, string>>(method, path, { body, headers: more });
    if (response.status !== 200) throw new Error(`${method} ${path}: ${response.text}`);
    return response.body.data;
  };
  const email = 'ada@clinic.example';
  await gateway.google.putAccount({ email, timeZone: 'UTC' });
  const { _id: departmentId } = await must('POST', `${base}/departments`, { name: 'Heart' });
  const staff = { name: 'Ada', email, departmentIds: [departmentId] };
  const { _id = '' } = await must('POST', `${base}/users`, staff);
  await must('PUT', `${base}/users/${_id}/schedule`, plainSchedule);
  const { authUrl = '' } = await must('GET', `${base}/ext-calendar/auth-url?appointmentUserId=${_id}`);
  expect((await fetch(authUrl)).status).toBe(200);

  const body = bookingOf(_id, comingMonday(), '10:00', '10:30');
  const keyed = { ...headers, 'Idempotency-Key': randomUUID() };
  const { bookingId: id = '' } = await must('POST', `${base}/book`, body, keyed);
  const booking = ['book', 'call: read busy times', 'call: insert event', 'event', 'webhook'];
  const root = await rootOf(id, booking);
  expect([root.name, linksOf(root)]).toEqual(['book', [callers]]);
  // there is no such booking in this account; its spans would be sent before those of the next request
  const unknown = randomUUID();
  expect((await gateway.call('POST', `${base}/bookings/${unknown}/cancel`, { body: {} })).status).toBe(404);
  await must('POST', `${base}/bookings/${id}/cancel`, {}, headers);
  await rootOf(id, [...booking, 'cancel', 'call: delete event']);
  expect(spansOf(unknown)).toEqual([]);
});

// Several gateways on one database: concurrent work has one result, in order.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { postCallback, statusCallback } from '../harness/callbacks.ts';
import { addEndpoint, addSender, type Gateway, number, startGateway } from '../harness/gateway.ts';
import { messageOf, send, stagesUntil, templateKinds } from '../harness/sends.ts';

let gateway: Gateway;
let secondUrl: string;
let senderId: string;
let templateId: string;
let secret: string;

beforeAll(async () => {
  gateway = await startGateway();
  const added = await addSender(gateway, templateKinds);
  senderId = added.senderId;
  templateId = added.templateIds.plain ?? '';
  secret = (await gateway.platform.state()).apps[0]?.secret ?? '';
  await addEndpoint(gateway);
  secondUrl = await gateway.another();
});
afterAll(() => gateway?.close());

/** Calls to the second gateway. */
const second = {
  call: (method: string, path: string, { body, headers }: { body?: unknown; headers?: object } = {}) =>
    fetch(`${secondUrl}${path}`, {
      method,
      headers: { 'X-API-Key': gateway.apiKey, 'Content-Type': 'application/json', ...headers },
      body: (typeof body === 'string' ? body : JSON.stringify(body)) as string,
    }),
};

test('stages of one message applied by both concurrently reach the receiver once and in order', async () => {
  // accepted by a platform that sends no callbacks: the test sends all reports
  const recipients = Array.from({ length: 60 }, (_, index) => `${20000 + index}0000000204`);
  const { body } = await send(gateway, { templateId, recipients });
  expect(body.data).toMatchObject({ accepted: 60 });
  const report = (by: unknown, status: string, message: { id: string; messageId: string | null }) =>
    postCallback(
      by as Gateway,
      senderId,
      statusCallback(number.id, [{ status, id: message.messageId ?? '', opaque: message.id }]),
      secret,
    );
  const answers = await Promise.all(
    body.data.messages.flatMap((message) => [
      report(gateway, 'sent', message),
      report(second, 'delivered', message),
      report(gateway, 'delivered', message),
      report(second, 'sent', message),
      report(second, 'read', message),
    ]),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  for (const { id, messageId } of body.data.messages) {
    expect(await stagesUntil(gateway, messageId ?? '', 'read')).toEqual(['sent', 'delivered', 'read']);
    const shown = await messageOf(gateway, id);
    expect([shown.status, shown.deliveries.length]).toEqual(['read', 3]);
  }
});

test('stages that the platform posts concurrently to three gateways are emitted once and in order', async () => {
  const thirdUrl = await gateway.another();
  await gateway.platform.settings({ callbackOrigins: [gateway.url, secondUrl, thirdUrl] });
  const of = (suffix: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${40_000 + index}${suffix}`);
  const endings: [string, string[][]][] = [
    ['0000000303', [['sent', 'delivered', 'read']]],
    ['0000000301', [['sent', 'delivered', 'read']]],
    ['0000000302', [['sent', 'delivered', 'read']]],
    // in any order: a failure counts only until the delivery is known
    [
      '0000000304',
      [
        ['sent', 'delivered'],
        ['sent', 'failed', 'delivered'],
        ['failed', 'sent', 'delivered'],
      ],
    ],
  ];
  for (const [suffix, allowed] of endings) {
    const { body } = await send(gateway, { templateId, recipients: of(suffix, 60) });
    // a failure that arrives before the response is emitted as failed
    expect(body.data.accepted + body.data.failed).toBe(60);
    const last = allowed[0]?.at(-1) ?? '';
    for (const { id, messageId } of body.data.messages) {
      const stages = await stagesUntil(gateway, messageId ?? '', last);
      expect([suffix, stages]).toEqual([suffix, allowed.find((one) => `${one}` === `${stages}`) ?? allowed]);
      expect((await messageOf(gateway, id)).status).toBe(last);
    }
  }
  await gateway.platform.settings({ callbackOrigins: [] });
});

test('messages that both could dispatch are sent once, and both return the same', async () => {
  const of = (first: number) => Array.from({ length: 200 }, (_, index) => ({ phone: String(first + index) }));
  const prefer = { Prefer: 'respond-async' };
  const [one, other] = await Promise.all([
    send(gateway, { templateId, recipients: of(15550800000) }, { headers: prefer }),
    second.call('POST', '/v1/templates/send', {
      body: { templateId, recipients: of(15550810000) },
      headers: prefer,
    }),
  ]);
  expect([one.status, other.status]).toEqual([202, 202]);
  const { sendId } = ((await other.json()) as { data: { sendId: string } }).data;
  for (const id of [one.body.data.sendId, sendId])
    await expect
      .poll(async () => (await gateway.call<{ counts: object }>('GET', `/v1/sends/${id}`)).body.data.counts)
      .toEqual({ waiting: 0, read: 200 });
  expect((await gateway.platform.counts()).repeatedOpaque).toBe(0);
});

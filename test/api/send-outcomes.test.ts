// Outcomes of messages at the platform: each stage is published once, in order, and the message ends in the correct state.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { addEndpoint, addSender, type Gateway, startGateway } from '../harness/gateway.ts';
import { messageOf, type SentMessage, send, stagesUntil, templateKinds } from '../harness/sends.ts';
import { wrongCounts } from '../harness/statistics.ts';

let gateway: Gateway;
let templateId: string;
/** A gateway on the same database whose sends wait for one second only. */
let impatientUrl: string;

beforeAll(async () => {
  gateway = await startGateway();
  impatientUrl = await gateway.another({ ROLE: 'api', SEND_WAIT_SECONDS: '1' });
  const { templateIds } = await addSender(gateway, templateKinds);
  templateId = templateIds.plain ?? '';
  await addEndpoint(gateway);
  await gateway.platform.settings({ heldMs: 300, slowAnswerMs: 500, sentMs: 0, deliveredMs: 40, readMs: 80 });
});
afterAll(() => gateway?.close());

async function sendTo(phone: string, options: { url?: string } = {}): Promise<SentMessage> {
  const response = await send(gateway, { templateId, recipients: [phone] }, options);
  expect([response.status, response.body.success]).toEqual([200, true]);
  return response.body.data.messages[0] as SentMessage;
}

/** The message once it is in this state; the platform's reference may arrive late. */
async function settled(id: string, status: string) {
  await expect.poll(async () => (await messageOf(gateway, id)).status).toBe(status);
  return messageOf(gateway, id);
}

const all = ['sent', 'delivered', 'read'];

describe('a message that the platform accepts', () => {
  it.each<[string, string, string[]]>([
    ['15550001234', 'is read', all],
    ['15550000000101', 'is held by the platform, then released', all],
    ['15550000000102', 'is held by the platform, then dropped', ['failed']],
    ['15550000000201', 'is never read', ['sent', 'delivered']],
    ['15550000000202', 'is read without a delivered report', all],
    ['15550000000203', 'stays at sent', ['sent']],
    ['15550000000301', 'is reported twice each time', all],
    ['15550000000302', 'is reported out of order', all],
    ['15550000000303', 'is reported with all stages at once', all],
    ['15550000000601', 'is reported before the response to its call', all],
    ['15550000131026', 'is undeliverable, as only a callback reports', ['failed']],
  ])('%s %s', async (phone, _what, stages) => {
    const message = await sendTo(phone);
    // a failure report may be faster than the response
    expect(message.status).toMatch(stages.includes('failed') ? /^(accepted|failed)$/ : /^accepted$/);
    expect(message.messageId).toMatch(/^wamid\./);
    expect(message.error === null).toBe(message.status === 'accepted');
    const last = stages.at(-1) ?? '';
    expect(await stagesUntil(gateway, message.messageId ?? '', last)).toEqual(stages);
    const shown = await settled(message.id, last);
    expect(shown.messageId).toBe(message.messageId);
    expect(shown.error === null).toBe(last !== 'failed');
    // each endpoint has each stage once: a repeated callback created no second delivery
    await expect
      .poll(async () => (await messageOf(gateway, message.id)).deliveries.map((one) => one.status))
      .toEqual(stages.map(() => 'delivered'));
  });

  it('is delivered in the end if it fails on one device and is then delivered on another', async () => {
    const message = await sendTo('15550000000304');
    const stages = await stagesUntil(gateway, message.messageId ?? '', 'delivered');
    // a failure reported together with the delivery is not emitted: it was overtaken
    expect([
      ['sent', 'failed', 'delivered'],
      ['sent', 'delivered'],
    ]).toContainEqual(stages);
    expect((await settled(message.id, 'delivered')).error).toBeNull();
  });

  it('has the code and text of its failure', async () => {
    const message = await sendTo('15560000131026');
    const [event] = await gateway.receiver.events({ messageId: message.messageId ?? '', waitSeconds: 30 });
    const { data } = (event as unknown as { json: { data: Record<string, unknown> } }).json;
    expect(data).toMatchObject({ status: 'failed', id: message.id, recipientPhone: '15560000131026' });
    expect(data.error).toEqual({
      code: 131026,
      title: expect.stringMatching(/\w/),
      message: expect.stringMatching(/\w/),
    });
    expect((await messageOf(gateway, message.id)).error).toEqual(data.error);
  });

  it('has implied stages in its timeline that were never reported', async () => {
    const message = await sendTo('15560000000202');
    await stagesUntil(gateway, message.messageId ?? '', 'read');
    const { timeline, priceCategory } = await messageOf(gateway, message.id);
    expect(timeline.map(({ status, implied }) => (implied ? `(${status})` : status))).toEqual([
      'queued',
      'accepted',
      'sent',
      '(delivered)',
      'read',
    ]);
    expect(priceCategory).toBe('utility');
    const instants = timeline.map(({ at }) => Math.floor(Date.parse(at) / 1000));
    for (const at of instants) expect(Math.abs(at - Date.now() / 1000)).toBeLessThan(60);
  });
});

it('has the price that a report carries after a later stage was reported', async () => {
  // `sent` and `delivered` carry the price, `read` does not and comes first, each in a callback of its own
  const message = await sendTo('15570000000302');
  await settled(message.id, 'read');
  await expect
    .poll(async () => messageOf(gateway, message.id))
    .toMatchObject({ status: 'read', priceCategory: 'utility', billable: true });
  expect(await stagesUntil(gateway, message.messageId ?? '', 'read')).toEqual(all);
});

describe('a message that the platform rejects', () => {
  it.each([131049, 132000, 131026, 131008])(
    'for good (%i) fails immediately and publishes its event',
    async (code) => {
      const message = await sendTo(`15550001${code}`);
      expect(message).toMatchObject({ status: 'failed', messageId: null });
      expect(message.error).toMatchObject({
        code,
        title: expect.stringMatching(/\w/),
        message: expect.stringMatching(/\w/),
      });
      // never accepted, so the platform has no reference: the event has the gateway's id
      expect(await stagesUntil(gateway, message.id, 'failed')).toEqual(['failed']);
      expect(await messageOf(gateway, message.id)).toMatchObject({
        status: 'failed',
        error: message.error,
        attempts: 1,
      });
    },
  );

  it('temporarily (throttled, too fast for one recipient, internal error) is retried and accepted once', async () => {
    const phones = ['15550002130429', '15550002131056', '15550002131000'];
    const headers = { Prefer: 'respond-async' };
    const { body } = await send(gateway, { templateId, recipients: phones }, { headers });
    await Promise.all(
      body.data.messages.map(async ({ id }) => {
        for (const attempts of [1, 2]) {
          // the next attempt is due now: once, because a claimed message has its due time as a lease
          const makeDue = () =>
            sql`update messages set due_at = now() where id = ${id} and state = 0 and attempts = ${attempts}`.execute(
              gateway.database.db,
            );
          await expect.poll(async () => (await makeDue()).numAffectedRows).toBe(1n);
        }
        await settled(id, 'read');
        const shown = await messageOf(gateway, id);
        expect(shown).toMatchObject({ error: null, attempts: 3 });
        expect(await stagesUntil(gateway, shown.messageId ?? '', 'read')).toEqual(all);
        expect(await gateway.platform.ledger({ opaque: id })).toHaveLength(1);
      }),
    );
  });
});

describe('a call without a response', () => {
  it.each([
    ['15550000000401', 'never answered'],
    ['15550000000404', 'reset'],
    ['15550000000501', 'answered with an empty 500'],
  ])('%s (%s): the callback reports the message, and it is not called again', async (phone) => {
    const message = await sendTo(phone, { url: impatientUrl });
    const shown = await settled(message.id, 'read');
    expect(shown).toMatchObject({ attempts: 1, error: null, messageId: expect.stringMatching(/^wamid\./) });
    expect(await stagesUntil(gateway, shown.messageId ?? '', 'read')).toEqual(all);
    expect(await gateway.platform.ledger({ opaque: message.id })).toHaveLength(1);
  });

  it('whose message was not accepted leaves it dispatching, and it is never called again', async () => {
    const phones = ['15550000000402', '15550000000403', '15550000000500'];
    const { body } = await send(gateway, { templateId, recipients: phones }, { url: impatientUrl });
    expect(body.data).toMatchObject({ total: 3, queued: 3 });
    for (const message of body.data.messages) {
      expect(message).toMatchObject({ status: 'queued', messageId: null, error: null });
      const { status, attempts } = await settled(message.id, 'dispatching');
      expect([status, attempts]).toEqual(['dispatching', 1]);
    }
  });
});

test('callbacks in batches of hundreds emit the same events', async () => {
  await gateway.platform.settings({ batchSize: 500, batchWaitMs: 50, sentMs: 0, deliveredMs: 0, readMs: 0 });
  const recipients = Array.from({ length: 300 }, (_, index) => String(15552000000 + index));
  const response = await send(gateway, { templateId, recipients });
  const ids = response.body.data.messages.map(({ messageId }) => messageId ?? '');
  await Promise.all(ids.map(async (id) => expect(await stagesUntil(gateway, id, 'read')).toEqual(all)));
  await gateway.platform.settings({ batchSize: 1 });
});

it('all of these count exactly in the statistics', async () => {
  expect(await wrongCounts(gateway.database.db)).toEqual([]);
});

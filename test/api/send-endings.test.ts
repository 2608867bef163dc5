// Every message ends: unknown outcomes, expiry, cancelled sends, halted senders that resume or not.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { postCallback, statusCallback } from '../harness/callbacks.ts';
import { addEndpoint, addSender, type Gateway, number, startGateway } from '../harness/gateway.ts';
import { messageOf, send, stagesUntil, templateKinds } from '../harness/sends.ts';
import { wrongCounts } from '../harness/statistics.ts';

interface Sender {
  _id: string;
  status: string;
  haltedReason: string | null;
  haltedAt: string | null;
}

let gateway: Gateway;
let templateId: string;
let senderId: string;
let appId: string;
let secret: string;

beforeAll(async () => {
  gateway = await startGateway();
  const added = await addSender(gateway, templateKinds);
  templateId = added.templateIds.plain ?? '';
  senderId = added.senderId;
  const [app] = (await gateway.platform.state()).apps;
  appId = app?.id ?? '';
  secret = app?.secret ?? '';
  await addEndpoint(gateway);
});
afterAll(() => gateway?.close());

let lastPhone = 15550400000;
function phone(): string {
  lastPhone += 1;
  return String(lastPhone);
}
const prefer = { headers: { Prefer: 'respond-async' } };
const sendTo = (recipients: string[], more: object = {}) =>
  send(gateway, { templateId, recipients, ...more });
const stateOf = async (id: string) => (await messageOf(gateway, id)).status;
/** The round that fails expired and unknown messages pauses 20 times as long as it took. */
const patience = { timeout: 60_000 };
const ends = (id: string, status: string) => expect.poll(() => stateOf(id), patience).toBe(status);
const senderNow = async () =>
  (await gateway.call<{ items: Sender[] }>('GET', '/v1/senders')).body.data.items.find(
    (one) => one._id === senderId,
  );
const giveToken = async (token: string) => {
  await gateway.platform.addToken(appId, token);
  return gateway.call<Sender>('PATCH', `/v1/senders/${senderId}`, { body: { accessToken: token } });
};
/** Halts the sender: its tokens are revoked, and a call fails because of it. */
async function halt(): Promise<string> {
  await gateway.platform.revoke(appId);
  const { body } = await send(gateway, { templateId, recipients: [phone()] }, prefer);
  expect(body.data).toMatchObject({ queued: 1 });
  await expect.poll(async () => (await senderNow())?.status).toBe('halted');
  return body.data.messages[0]?.id ?? '';
}

describe('a message whose outcome stays unknown', () => {
  const unknown = async (to: string) => {
    const { body } = await send(gateway, { templateId, recipients: [to] }, prefer);
    const id = body.data.messages[0]?.id ?? '';
    await ends(id, 'dispatching');
    // as if the gateway had run in the meantime
    await sql`delete from callback_outages`.execute(gateway.database.db);
    await sql`update messages set due_at = now() - interval '11 minutes' where id = ${id}`.execute(
      gateway.database.db,
    );
    await ends(id, 'failed');
    expect((await messageOf(gateway, id)).error).toMatchObject({ code: 900001, title: 'outcome_unknown' });
    return id;
  };

  it('fails after ten minutes, with an event under the gateway’s id', async () => {
    const id = await unknown('15550000000403');
    expect(await stagesUntil(gateway, id, 'failed')).toEqual(['failed']);
    const [event] = await gateway.receiver.events({ messageId: id });
    expect(event?.json).toMatchObject({ data: { id, messageId: id, error: { code: 900001 } } });
    expect(await gateway.platform.ledger({ opaque: id })).toEqual([]);
  });

  it('is corrected by any later report, with its event', async () => {
    const id = await unknown('15560000000403');
    const late = statusCallback(number.id, [{ status: 'sent', id: 'wamid.LATE', opaque: id }]);
    expect((await postCallback(gateway, senderId, late, secret)).status).toBe(200);
    expect(await messageOf(gateway, id)).toMatchObject({
      status: 'sent',
      error: null,
      messageId: 'wamid.LATE',
    });
    expect(await stagesUntil(gateway, 'wamid.LATE', 'sent')).toEqual(['sent']);
  });
});

describe('a halted sender', () => {
  test('keeps its queue, shows the reason, accepts sends without waiting, and resumes with a new token', async () => {
    const first = await halt();
    const halted = await senderNow();
    expect(halted).toMatchObject({ status: 'halted', haltedAt: expect.any(String) });
    expect(halted?.haltedReason).toMatch(/190/);
    const begun = performance.now();
    const { body, status } = await sendTo([phone()]);
    expect([status, body.data.queued]).toEqual([200, 1]);
    // a send waits 20 s for the platform
    expect(performance.now() - begun).toBeLessThan(15_000);
    const wrong = await gateway.call('PATCH', `/v1/senders/${senderId}`, { body: { accessToken: 'wrong' } });
    expect([wrong.status, wrong.body.code]).toEqual([502, 'provider_rejected']);
    expect((await senderNow())?.status).toBe('halted');
    expect([await stateOf(first), (await messageOf(gateway, first)).attempts]).toEqual(['queued', 0]);

    const changed = await giveToken('second-token');
    expect(changed.body.data).toMatchObject({ status: 'active', haltedReason: null });
    for (const id of [first, body.data.messages[0]?.id ?? '']) {
      await ends(id, 'read');
      expect(await gateway.platform.ledger({ opaque: id })).toHaveLength(1);
    }
  });

  test('is not halted again by calls with its previous token', async () => {
    expect((await sendTo([phone()])).body.data.accepted).toBe(1);
    await giveToken('third-token');
    await gateway.platform.revoke(appId, 'second-token');
    const { body } = await sendTo([phone(), phone(), phone()]);
    expect(body.data).toMatchObject({ accepted: 3 });
    expect((await senderNow())?.status).toBe('active');
  });

  test('lets messages expire with their event and never sends them', async () => {
    const stuck = await halt();
    const { body } = await sendTo([phone()], { expiresInSeconds: 1 });
    const id = body.data.messages[0]?.id ?? '';
    await ends(id, 'failed');
    expect((await messageOf(gateway, id)).error).toMatchObject({ code: 900002, title: 'expired' });
    expect(await stagesUntil(gateway, id, 'failed')).toEqual(['failed']);
    expect(await stateOf(stuck)).toBe('queued');

    const cancelled = await sendTo([phone(), phone()]);
    const { sendId, messages } = cancelled.body.data;
    const response = await gateway.call<{ counts: object; cancelledAt: string }>(
      'POST',
      `/v1/sends/${sendId}/cancel`,
    );
    expect(response.body.message).toContain('2 messages will not be sent');
    expect(response.body.data).toMatchObject({ counts: { failed: 2 }, cancelledAt: expect.any(String) });
    for (const message of messages) {
      expect((await messageOf(gateway, message.id)).error).toMatchObject({
        code: 900003,
        title: 'cancelled',
      });
      expect(await stagesUntil(gateway, message.id, 'failed')).toEqual(['failed']);
    }
    const again = await gateway.call('POST', `/v1/sends/${sendId}/cancel`);
    expect([again.status, again.body.data]).toEqual([200, response.body.data]);

    const removal = await gateway.call('DELETE', `/v1/senders/${senderId}`);
    expect([removal.status, removal.body.code]).toEqual([409, 'sender_in_use']);

    await giveToken('fourth-token');
    await ends(stuck, 'read');
    for (const { id: gone } of [...messages, { id }])
      expect(await gateway.platform.ledger({ opaque: gone })).toEqual([]);
  });
});

test('a message that is rejected for now while its send is being cancelled is not retried', async () => {
  await gateway.platform.addFault({ on: 'messages', does: 'delay', ms: 60_000, times: 1 });
  const { body } = await send(gateway, { templateId, recipients: ['15560002131000'] }, prefer);
  const { sendId, messages } = body.data;
  const id = messages[0]?.id ?? '';
  await ends(id, 'dispatching');
  const cancelled = await gateway.call<{ counts: object }>('POST', `/v1/sends/${sendId}/cancel`);
  expect(cancelled.body.data.counts).toEqual({ waiting: 0, dispatching: 1 });
  await gateway.platform.clearFaults();
  await ends(id, 'failed');
  expect((await messageOf(gateway, id)).error).toMatchObject({ code: 900003 });
  expect(await gateway.platform.ledger({ opaque: id })).toEqual([]);
});

test('a send that is done cannot be cancelled, and its messages stay as they are', async () => {
  const { body } = await sendTo([phone()]);
  const { sendId, messages } = body.data;
  await ends(messages[0]?.id ?? '', 'read');
  const response = await gateway.call('POST', `/v1/sends/${sendId}/cancel`);
  expect([response.status, response.body.code]).toEqual([409, 'send_state_conflict']);
  expect((await messageOf(gateway, messages[0]?.id ?? '')).status).toBe('read');
});

it('all of these count exactly in the statistics', async () => {
  expect(await wrongCounts(gateway.database.db)).toEqual([]);
});

// Failure reports that concern a whole sender halt it, unless their message was accepted before the sender resumed.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postCallback, statusCallback } from '../harness/callbacks.ts';
import { addSender, type Gateway, number, startGateway, waba } from '../harness/gateway.ts';
import { samples } from '../harness/sample-files.ts';
import { messageOf, send, templateKinds, uploadMedia } from '../harness/sends.ts';

let gateway: Gateway;
let senderId: string;
let templateId: string;
let photoId: string;
let secret: string;
beforeAll(async () => {
  gateway = await startGateway();
  const added = await addSender(gateway, templateKinds);
  senderId = added.senderId;
  templateId = added.templateIds.plain ?? '';
  photoId = added.templateIds.photo ?? '';
  secret = (await gateway.platform.state()).apps[0]?.secret ?? '';
});
afterAll(() => gateway?.close());

interface Sender {
  status: string;
  haltedReason: string | null;
}
const sender = async () =>
  (await gateway.call<{ items: Sender[] }>('GET', '/v1/senders')).body.data.items[0] as Sender;
let phones = 0;
/** Sends a message that the simulated platform accepts and never reports on, so that every report comes from this test. */
async function accepted() {
  const { body } = await send(gateway, { templateId, recipients: [`${50_000 + phones++}0000000204`] });
  const [message] = body.data.messages;
  return { id: message?.id ?? '', wamid: message?.messageId ?? '' };
}
const fail = (one: { id: string; wamid: string }, errors: object[]) =>
  postCallback(
    gateway,
    senderId,
    statusCallback(number.id, [{ status: 'failed', id: one.wamid, opaque: one.id, errors }]),
    secret,
  );
const unpaid = [
  { code: 131042, title: 'Business eligibility payment issue', error_data: { details: 'Pay first.' } },
];

it('a failure of one message, or without a reason, halts no sender', async () => {
  await fail(await accepted(), [{ code: 131026, title: 'Undeliverable' }]);
  await fail(await accepted(), []);
  expect(await sender()).toMatchObject({ status: 'active' });
});

it('a failure because of a file registers it again for the next message if the registration is old', async () => {
  const mediaId = await uploadMedia(gateway, samples.png, 'a.png', 'image/png');
  const sendFile = async () => {
    const { body } = await send(gateway, {
      ...{ templateId: photoId, mediaId },
      recipients: [`${50_000 + phones++}0000000204`],
    });
    const [message] = body.data.messages;
    return { id: message?.id ?? '', wamid: message?.messageId ?? '' };
  };
  const failed = [{ code: 131053, title: 'Media upload error' }];
  await fail(await sendFile(), failed);
  await sendFile();
  expect(await gateway.platform.media()).toHaveLength(1);
  await sql`update media_registrations set expires_at = expires_at - interval '2 hours'`.execute(
    gateway.database.db,
  );
  await fail(await sendFile(), failed);
  await sendFile();
  expect(await gateway.platform.media()).toHaveLength(2);
});

it('a failed payment halts the sender: later messages wait, and are sent once the sender resumes', async () => {
  const [one, late] = [await accepted(), await accepted()];
  await fail(one, unpaid);
  expect(await messageOf(gateway, one.id)).toMatchObject({ status: 'failed', error: { code: 131042 } });
  await expect.poll(sender).toMatchObject({
    status: 'halted',
    haltedReason: expect.stringMatching(/131042 .*Pay first/),
  });
  const { body } = await send(gateway, { templateId, recipients: ['15551000001'] });
  expect(body.data).toMatchObject({ queued: 1, accepted: 0 });

  expect((await gateway.call('PATCH', `/v1/senders/${senderId}`, { body: { name: 'Paid' } })).status).toBe(
    200,
  );
  const waiting = body.data.messages[0]?.id ?? '';
  await expect.poll(async () => (await messageOf(gateway, waiting)).status).toBe('read');
  // accepted before the sender resumed: its failure halts nothing
  await fail(late, unpaid);
  expect(await messageOf(gateway, late.id)).toMatchObject({ status: 'failed' });
  expect(await sender()).toMatchObject({ status: 'active' });
  // accepted after that: halts the sender again
  await fail(await accepted(), unpaid);
  await expect.poll(sender).toMatchObject({ status: 'halted' });
});

describe('an error of the whole business account', () => {
  const statuses = async () =>
    (await gateway.call<{ items: (Sender & { _id: string })[] }>('GET', '/v1/senders')).body.data.items.map(
      ({ _id, status, haltedReason }) => ({ _id, status, haltedReason }),
    );
  const resumeAll = async () => {
    for (const { _id } of await statuses()) {
      const { status } = await gateway.call('PATCH', `/v1/senders/${_id}`, { body: { name: 'Resumed' } });
      expect(status).toBe(200);
    }
  };
  const addNumber = async (wabaId: string, accessToken: string) => {
    const added = await gateway.platform.addNumber({ wabaId, messagesPerSecond: 0 });
    const body = {
      ...{ name: 'sibling', phoneNumberId: added.id, businessAccountId: wabaId, accessToken },
      ...{ appSecret: secret, verifyToken: 'x' },
    };
    return (await gateway.call<{ _id: string }>('POST', '/v1/senders', { body })).body.data._id;
  };
  const halted = async () =>
    (await statuses())
      .filter(({ status }) => status === 'halted')
      .map(({ _id }) => _id)
      .toSorted();
  /** Sends without waiting for the result; returns the message's id. */
  const queue = async (phone: string) => {
    const headers = { Prefer: 'respond-async' };
    const { body } = await send(gateway, { templateId, recipients: [phone] }, { headers });
    return body.data.messages[0]?.id ?? '';
  };
  let sibling: string;
  let otherTokenSender: string;
  let otherWabaSender: string;

  beforeAll(async () => {
    const { id: appId = '', tokens = [] } = (await gateway.platform.state()).apps[0] ?? {};
    sibling = await addNumber(waba, tokens[0] ?? '');
    await gateway.platform.addToken(appId, 'another-token');
    otherTokenSender = await addNumber(waba, 'another-token');
    const foreign = await gateway.platform.addWaba({ appId });
    otherWabaSender = await addNumber(foreign.id, tokens[0] ?? '');
    await resumeAll();
  });

  it.each([131031, 131042])(
    '(%i) halts all its senders and no sender of another business account',
    async (code) => {
      await gateway.platform.addFault({ code, on: 'messages', times: 1 });
      const id = await queue(`1555301${code}`.slice(0, 15));
      await expect.poll(halted).toEqual([senderId, sibling, otherTokenSender].toSorted());
      await expect.poll(async () => (await messageOf(gateway, id)).status).toBe('queued');
      expect((await statuses()).find(({ _id }) => _id === otherWabaSender)).toMatchObject({
        status: 'active',
      });
      for (const { status, haltedReason } of await statuses())
        if (status === 'halted') expect(haltedReason).toMatch(`business account of this number (${code} `);
      await resumeAll();
      await expect.poll(async () => (await messageOf(gateway, id)).status).toBe('read');
    },
  );

  it('that concerns the token halts the senders that use it', async () => {
    await gateway.platform.addFault({ code: 190, subcode: 463, on: 'messages', times: 1 });
    await queue('15553020001');
    await expect.poll(halted).toEqual([senderId, sibling].toSorted());
    await resumeAll();
  });

  it('that concerns one sender halts that sender', async () => {
    await gateway.platform.addFault({ code: 131048, on: 'messages', times: 1 });
    await queue('15553030001');
    await expect.poll(halted).toEqual([senderId]);
    await resumeAll();
  });

  it('halts the senders when it is reported for a message', async () => {
    await fail(await accepted(), [{ code: 131031, title: 'Locked', error_data: 'Policy.' }]);
    await expect.poll(halted).toEqual([senderId, sibling, otherTokenSender].toSorted());
    expect((await sender()).haltedReason).toMatch(/131031 Locked\): Policy\.$/);
    await resumeAll();
  });

  it('halts the senders when it is reported for the number, unless the sender was changed since', async () => {
    const problem = (code: number, time: number) =>
      postCallback(
        gateway,
        senderId,
        JSON.stringify({
          object: 'whatsapp_business_account',
          entry: [
            {
              ...{ id: waba, time },
              changes: [
                {
                  field: 'messages',
                  value: { metadata: { phone_number_id: number.id }, errors: [{ code, title: 'Title' }] },
                },
              ],
            },
          ],
        }),
        secret,
      );
    const now = Math.floor(Date.now() / 1000);
    await problem(131031, now - 3600);
    await problem(130497, now + 60);
    expect(await halted()).toEqual([]);
    // the platform reports whole seconds: make the report later than the change
    await gateway.platform.advanceClock(2_000);
    await gateway.platform.reportProblem(number.id, 133010);
    await expect.poll(halted).toEqual([senderId]);
    await resumeAll();
    await problem(131031, now + 60);
    expect(await halted()).toEqual([senderId, sibling, otherTokenSender].toSorted());
  });
});

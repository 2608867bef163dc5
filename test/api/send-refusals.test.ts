// What the classes of refusals do to a message and to those beside it, through the whole program.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addSender, type Gateway, startGateway } from '../harness/gateway.ts';
import { samples } from '../harness/sample-files.ts';
import { messageOf, send, templateKinds, uploadMedia } from '../harness/sends.ts';

let gateway: Gateway;
let senderId: string;
let ids: Record<string, string>;
beforeAll(async () => {
  gateway = await startGateway({ settings: { SEND_WAIT_SECONDS: '2' } });
  ({ senderId, templateIds: ids } = await addSender(gateway, templateKinds));
});
afterAll(() => gateway?.close());

const rowOf = async (id: string) =>
  (
    await sql<{ state: number; attempts: number; due_in: number; error: { code: number } | null }>`
      select state, attempts, extract(epoch from due_at - now())::float8 due_in, error from messages where id = ${id}`.execute(
      gateway.database.db,
    )
  ).rows[0];
/** As if the wait were over: the message and its number's pace are due now. */
async function waited(id: string): Promise<void> {
  await sql`update sender_paces set tat = now(), slowed_to = null, slowed_at = null`.execute(
    gateway.database.db,
  );
  await sql`update messages set due_at = now() where id = ${id}`.execute(gateway.database.db);
}

it.each([
  ['the hourly limit of the app', 4],
  ['the hourly limit of the business account', 80007],
  ['an upgrade of the number', 131057],
])('%s is waited for, a minute at least, and then the message goes', async (_what, code) => {
  await gateway.platform.addFault({ code, on: 'messages', times: 1 });
  const { body } = await send(gateway, {
    templateId: ids.plain ?? '',
    recipients: [`1555020${code}`.slice(0, 15)],
  });
  const [message] = body.data.messages;
  expect(message?.status).toBe('queued');
  const row = await rowOf(message?.id ?? '');
  expect(row).toMatchObject({ state: 0, error: { code } });
  expect(row?.due_in).toBeGreaterThan(50);
  await waited(message?.id ?? '');
  await expect
    .poll(async () => (await messageOf(gateway, message?.id ?? '')).status, { timeout: 10_000 })
    .toBe('read');
});

it('an hourly limit never fails a message, however often it is met', async () => {
  await gateway.platform.addFault({ code: 80007, on: 'messages', times: 10 });
  const { body } = await send(gateway, { templateId: ids.plain ?? '', recipients: ['15550210001'] });
  const id = body.data.messages[0]?.id ?? '';
  for (let attempts = 2; attempts <= 10; attempts += 1) {
    await waited(id);
    await expect.poll(async () => (await rowOf(id))?.attempts, { timeout: 10_000 }).toBe(attempts);
    await expect.poll(async () => (await rowOf(id))?.state, { timeout: 10_000 }).toBe(0);
  }
  await waited(id);
  await expect.poll(async () => (await messageOf(gateway, id)).status, { timeout: 10_000 }).toBe('read');
});

it('a template that the platform does not know fails its message, and the list is read again', async () => {
  await gateway.platform.addFault({ code: 132001, on: 'messages', times: 1 });
  const { body } = await send(gateway, { templateId: ids.plain ?? '', recipients: ['15550220001'] });
  expect(body.data.messages[0]).toMatchObject({ status: 'failed', error: { code: 132001 } });
  const { rows } = await sql<{ wanted: boolean }>`
    select wanted_at > begun_at wanted from template_readings`.execute(gateway.database.db);
  expect(rows).toEqual([{ wanted: true }]);
});

it('a file that the platform forgot before its time is registered again, and the message goes', async () => {
  const mediaId = await uploadMedia(gateway, samples.png, 'a.png', 'image/png');
  await sql`update media_registrations set expires_at = expires_at - interval '2 hours'`.execute(
    gateway.database.db,
  );
  await gateway.platform.addFault({ code: 131053, on: 'messages', times: 1 });
  const { body } = await send(gateway, { templateId: ids.photo ?? '', mediaId, recipients: ['15550230001'] });
  const id = body.data.messages[0]?.id ?? '';
  await expect.poll(async () => (await messageOf(gateway, id)).status, { timeout: 10_000 }).toBe('read');
  const files = await gateway.platform.media();
  expect(files).toHaveLength(2);
});

it('a file that the platform does not take just after it got it fails its message', async () => {
  const mediaId = await uploadMedia(gateway, samples.png, 'b.png', 'image/png');
  await gateway.platform.addFault({ code: 131053, on: 'messages', times: 1 });
  const { body } = await send(gateway, { templateId: ids.photo ?? '', mediaId, recipients: ['15550240001'] });
  expect(body.data.messages[0]).toMatchObject({ status: 'failed', error: { code: 131053 } });
});

it('a file is registered for each number that sends it, under the one mediaId of its account', async () => {
  const mediaId = await uploadMedia(gateway, samples.png, 'c.png', 'image/png');
  const { wabaId = '' } = (await gateway.platform.state()).numbers[0] ?? {};
  const second = await gateway.platform.addNumber({ wabaId });
  const body = {
    ...{ name: 'second', phoneNumberId: second.id, businessAccountId: wabaId, accessToken: 'test-token' },
    ...{ appSecret: 'test-app-secret', verifyToken: 'x' },
  };
  const other = (await gateway.call<{ _id: string }>('POST', '/v1/senders', { body })).body.data._id;
  for (const [index, from] of [senderId, other, senderId, other].entries()) {
    const sent = await send(gateway, {
      templateId: ids.photo ?? '',
      ...{ mediaId, senderId: from, recipients: [`1555025000${index}`] },
    });
    expect(sent.body.data.messages[0]?.status, sent.text).toBe('accepted');
  }
  const ledger = await gateway.platform.ledger();
  const sentBy = (index: number) => ledger.find(({ phone }) => phone === `1555025000${index}`);
  const fileOf = (index: number) =>
    (sentBy(index)?.components as { parameters: { image: { id: string } }[] }[] | undefined)?.[0]
      ?.parameters[0]?.image.id;
  expect(fileOf(0)).toBe(mediaId);
  expect(fileOf(2)).toBe(mediaId);
  expect(fileOf(1)).not.toBe(mediaId);
  expect(fileOf(3)).toBe(fileOf(1));
  expect((await gateway.platform.media()).find(({ id }) => id === fileOf(1))?.phoneNumberId).toBe(second.id);
});

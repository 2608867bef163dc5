// Retention over HTTP: the days of an account, and what becomes of requests and reports about what was removed.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import { noDays } from '../../src/base/retention-days.ts';
import { dryRun } from '../../src/retention/dry-run.ts';
import { recordNotices } from '../../src/retention/settings-store.ts';
import { postCallback, statusCallback } from '../harness/callbacks.ts';
import { addSender, app, type Gateway, number, startGateway } from '../harness/gateway.ts';
import { daysBefore, has, oldDelivery, oldMessage, removeAll } from '../harness/old-rows.ts';
import { uploadMedia } from '../harness/sends.ts';

let gateway: Gateway;
let senderId: string;
beforeAll(async () => {
  gateway = await startGateway({ settings: { RETENTION_DAYS_MESSAGES: '40' } });
  ({ senderId } = await addSender(gateway, []));
});
afterAll(() => gateway?.close());

const now = new Date();
const days = { ...noDays, messages: 40 };

async function removeOld() {
  const { db } = gateway.database;
  await recordNotices(db, days, daysBefore(now, 8));
  await sql`update retention_notices set announced_at = ${daysBefore(now, 8)}, first_announced_at = ${daysBefore(now, 8)}`.execute(
    db,
  );
  return removeAll(db, days, now);
}

type Kinds = Record<string, { days: number | null; ownDays: number | null; removedFrom: string | null }>;

it('an account shortens its own days, within the limits of the gateway', async () => {
  const put = (body: object) => gateway.call<Kinds>('PUT', '/v1/retention', { body });
  const stored = await put({ messages: 35, received: 8 });
  expect(stored.status).toBe(200);
  expect(stored.body.data).toMatchObject({
    messages: { days: 35, ownDays: 35, gatewayDays: 40, minimumDays: 31 },
    received: { days: 8, ownDays: 8, gatewayDays: 30 },
    deliveries: { days: 35, ownDays: null, gatewayDays: 90 },
    bookings: { days: null, gatewayDays: null, removedFrom: null },
    audit: { days: 400 },
  });
  expect(stored.body.data.messages?.removedFrom).toMatch(/Z$/);
  const refused = await put({ messages: 41, received: 7, bookings: 0, audit: 1000 });
  expect([refused.status, refused.body.code]).toEqual([400, 'invalid_request']);
  expect((await put({ messages: 41, received: 7, audit: 1000 })).body.errors).toEqual([
    { path: 'messages', message: 'must be at most 40 days: this gateway keeps no longer' },
    { path: 'received', message: 'must be at least 8 days, or null' },
    { path: 'audit', message: 'must be at most 400 days: this gateway keeps no longer' },
  ]);
  expect((await gateway.call<Kinds>('GET', '/v1/retention')).body.data).toEqual(stored.body.data);
  const forgotten = await gateway.call('PUT', '/v1/retention');
  expect([forgotten.status, forgotten.body.errors]).toEqual([
    400,
    [{ path: 'body', message: 'must be an object' }],
  ]);
  expect((await gateway.call<Kinds>('GET', '/v1/retention')).body.data).toEqual(stored.body.data);
  expect((await put({})).body.data).toMatchObject({ messages: { days: 40, ownDays: null } });
});

it('a removed delivery cannot be replayed, and a report for a removed message is answered, counted and dropped', async () => {
  const { accountId, database } = gateway;
  const at = daysBefore(now, 41);
  const id = await oldMessage(database.db, { accountId, at });
  const delivery = await oldDelivery(database.db, { accountId, at, subjectId: id });
  expect((await removeOld()).rows).toMatchObject({ messages: 1, deliveries: 1 });
  const replay = await gateway.call('POST', `/v1/webhooks/deliveries/${delivery.id}/replay`, { body: {} });
  expect([replay.status, replay.body.code]).toEqual([404, 'delivery_not_found']);
  expect((await gateway.call('GET', `/v1/messages/${id}`)).body.code).toBe('message_not_found');
  expect((await gateway.call('POST', `/v1/messages/${id}/resend`, { body: {} })).status).toBe(404);
  const removed = async () =>
    Number(
      /gateway_statuses_total\{outcome="removed"\} (\d+)/.exec(
        (await gateway.call('GET', '/metrics')).text,
      )?.[1] ?? 0,
    );
  const before = await removed();
  const report = statusCallback(number.id, [{ id: `wamid.${id}`, status: 'read', opaque: id }]);
  expect((await postCallback(gateway, senderId, report, app.secret)).status).toBe(200);
  expect(await removed()).toBe(before + 1);
  expect(await has(database.db, 'messages', id)).toBe(false);
});

it('a send of which some messages were removed is done, and counts those that are left', async () => {
  const { accountId, database } = gateway;
  const sendId = uuidv7();
  await sql`
    insert into sends (account_id, id, sender_id, template_id, template_name, language, total)
    values (${accountId}, ${sendId}, ${senderId}, ${uuidv7()}, 't', 'en', 2)`.execute(database.db);
  for (const at of [daysBefore(now, 41), daysBefore(now, 1)])
    await oldMessage(database.db, { accountId, sendId, at });
  await removeOld();
  const { body } = await gateway.call('GET', `/v1/sends/${sendId}`);
  expect(body.data).toMatchObject({ state: 'done', total: 2, counts: { waiting: 0, delivered: 1 } });
});

it('a file goes when no message names it any more, and its bytes a day later', async () => {
  const { db } = gateway.database;
  const { accountId } = gateway;
  const upload = async (name: string) => {
    const mediaId = await uploadMedia(gateway, Buffer.from(name), name, 'text/plain');
    const { rows } = await sql<{ id: string }>`
      update media set created_at = ${daysBefore(now, 60)}, used_at = ${daysBefore(now, 60)}
      where public_id = ${mediaId} returning id`.execute(db);
    return { mediaId, id: rows[0]?.id ?? '' };
  };
  const files = {
    unnamed: await upload('a.txt'),
    named: await upload('b.txt'),
    inCard: await upload('c.txt'),
    usedLately: await upload('d.txt'),
    sample: await upload('e.txt'),
  };
  await oldMessage(db, { accountId, at: daysBefore(now, 60), endedAt: null, mediaId: files.named.id });
  const cards = [{ header: { mediaId: files.inCard.id } }];
  await oldMessage(db, {
    accountId,
    at: daysBefore(now, 60),
    endedAt: daysBefore(now, 1),
    content: { cards },
  });
  await sql`update media set used_at = ${daysBefore(now, 40)} where id = ${files.usedLately.id}`.execute(db);
  await sql`
    insert into templates (id, account_id, name, language, category, status, components)
    values (${files.sample.id}, ${accountId}, 'draft', 'en', 'UTILITY', 'draft',
      ${JSON.stringify([{ type: 'HEADER', mediaId: files.sample.mediaId }])}::jsonb)`.execute(db);
  expect((await dryRun(db, days, now)).media).toBe(1);
  expect((await removeOld()).rows.media).toBe(1);
  const shown = await Promise.all(
    Object.entries(files).map(async ([name, { mediaId }]) => [
      name,
      (await gateway.call('GET', `/v1/media/${mediaId}`)).status,
    ]),
  );
  expect(Object.fromEntries(shown)).toEqual({
    unnamed: 404,
    named: 200,
    inCard: 200,
    usedLately: 200,
    sample: 200,
  });
  const { rows } = await sql<{ hours: number }>`
    select extract(epoch from due_at - now()) / 3600 as hours from media where id = ${files.unnamed.id}`.execute(
    db,
  );
  expect(Number(rows[0]?.hours)).toBeCloseTo(24, 1);
});

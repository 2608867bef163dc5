// Due times from before a backward step of the database's clock: none waits longer because of the step.
import { readFile } from 'node:fs/promises';
import { type RawBuilder, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import { codePriority, state } from '../../src/db/clock-fixes.ts';
import { state as messageState } from '../../src/messaging/messages/message.ts';
import { authenticationPriority } from '../../src/messaging/messages/priority.ts';
import { deliveryState } from '../../src/webhooks/delivery/delivery.ts';
import { fixSteps } from '../../src/work/clock-watch.ts';
import { approximately, openTestWatch, stepClockBack } from '../harness/clock-watch.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { insertAccount, insertEndpoint, insertSender } from '../harness/rows.ts';

let database: TestDatabase;
const accountId = uuidv7();
const senderId = uuidv7();
const endpointId = uuidv7();
const staffId = uuidv7();
beforeAll(async () => {
  database = await createTestDatabase();
  await insertAccount(database.db, accountId);
  await insertSender(database.db, accountId, { id: senderId });
  await run(sql`insert into sender_paces (sender_id, per_second) values (${senderId}, 10)`);
  await insertEndpoint(database.db, accountId, { id: endpointId });
  await run(sql`insert into staff (id, account_id, name) values (${staffId}, ${accountId}, 's')`);
});
afterAll(() => database.drop());

const run = (statement: RawBuilder<unknown>) => statement.execute(database.db);
const minute = 60;

/** Times that nothing waits for, or that were promised to a caller: see docs/reliability.md, "Clock steps". */
const needNothing = [
  /^(api_keys|dashboard_links|oauth_states|media_registrations|messages)\.expires_at$/,
  /^endpoints\.(overlap_until|url_changed_at|secrets_changed_at)$/,
  // the time of an event in the past
  /\.(created|updated|revoked|last_used|halted|resumed|read|cancelled|accepted|sent|delivered|failed|deleted|connected|dead)_at$/,
  /\.(started|insert_started|wish_started|finished|recorded|parked|written|answered)_at$/,
  /^((attempts|audit_log)\.at|(operator_notices|callback_uptime)\.seen_at|clock_steps\.noticed_at|database_clock\.seen_at)$/,
  // the time at which a replaced failure happened
  /^messages\.was_failed_at$/,
  /^statistics_folds\.folded_until$/,
  // the quarter hour of a count
  /^(statistics_changes|(message|delivery|booking)_counts|attempt_durations)\.at$/,
  // of the platform's clock, or shown to people alone
  // promised to callers, or the time of an event in the past
  /^sends\.(send|paused|done|expires)_at$/,
  /^sender_states\.(token_expires|handshake|last_callback)_at$/,
  /^(contact_windows|received_messages)\.(last_)?received_at$/,
  /^contacts\.named_at$/,
  // an announced instant, a version that is compared for equality, and a mark of what is to be checked
  /^(templates\.(next_category_at|components_changed_at|recheck_since)|sends\.checked_version)$/,
  // shown to people; an announcement ahead of the clock counts as none
  /^(endpoint_changes|dead_deliveries|dead_announcements)\.at$/,
  // after a step back, streams read these rows longer and skip them: they know their ids
  /^recent_changes\.at$/,
  // promised to the people of sessions
  /^dashboard_links\.session_ends_at$/,
  // which text of a template an old message shows
  /^(templates\.components_since|template_versions\.(since|replaced_at))$/,
  // the platform's clock, compared only with itself
  /^templates\.reported_at$/,
  // days and weeks: a step makes them a little longer
  /^(media\.used_at|erased_opt_outs\.acted_at|retention_notices\.(first_)?announced_at)$/,
  // a backup from the future counts as none, so that the next one is due
  // null, or the limit between what a backup had queued and what came later
  /^gateway_state\.held_since$/,
  /^backups\.(began|snapshot|snapshot_ended|ended)_at$/,
  // the time of a slot, an event or a replayed range
  /\.((wish_|hand_)?(starts|ends)|from|to)_at$/,
];

const stepBack = () => stepClockBack(database.db);
const openWatch = () => openTestWatch(database.db);

/** Runs fixes until none has work left. */
async function runFixes(): Promise<void> {
  while ((await fixSteps({ db: database.db, log: { info: () => undefined } as never })) > 0);
}

/** Seconds from now until the time in a row's column; null if it is null. */
async function secondsOf(table: string, column: string, where: RawBuilder<boolean>): Promise<number | null> {
  const { rows } = await sql<{ s: number | null }>`
    select extract(epoch from ${sql.ref(column)} - now())::float8 s from ${sql.table(table)} where ${where}`.execute(
    database.db,
  );
  return rows[0]?.s ?? null;
}

const inSeconds = (seconds: number) => sql`now() + ${seconds}::float8 * interval '1 second'`;

async function message(
  dueInSeconds: number,
  state = 0,
  expiresInSeconds = 24 * 60 * minute,
): Promise<string> {
  const id = uuidv7();
  await run(sql`insert into messages (account_id, id, send_id, sender_id, template_id, phone, content, state, due_at, expires_at)
    values (${accountId}, ${id}, ${id}, ${senderId}, ${id}, '1', '{}', ${state}, ${inSeconds(dueInSeconds)}, ${inSeconds(expiresInSeconds)})`);
  return id;
}
const messageDue = (id: string) => secondsOf('messages', 'due_at', sql<boolean>`id = ${id}`);

async function delivery(
  dueInSeconds: number,
  state = 0,
  lastTrySeconds: number | null = null,
): Promise<string> {
  const id = uuidv7();
  const lastTry = lastTrySeconds === null ? sql`null` : inSeconds(lastTrySeconds);
  await run(sql`insert into deliveries (id, account_id, endpoint_id, subject_id, stage, kind, body, state, due_at, retry_after, last_attempt_at)
    values (${id}, ${accountId}, ${endpointId}, ${id}, 0, 'x', '{}', ${state}, ${inSeconds(dueInSeconds)},
      ${state === 4 ? inSeconds(dueInSeconds) : sql`null`}, ${lastTry})`);
  return id;
}
const deliveryDue = (id: string) => secondsOf('deliveries', 'due_at', sql<boolean>`id = ${id}`);

/** Moves all due times and the step into the past. */
async function pass(seconds: number): Promise<void> {
  const by = sql`${seconds}::float8 * interval '1 second'`;
  await run(sql`update messages set due_at = due_at - ${by}, expires_at = expires_at - ${by}`);
  await run(sql`update deliveries set due_at = due_at - ${by}, last_attempt_at = last_attempt_at - ${by}`);
  await run(sql`update clock_steps set noticed_at = noticed_at - ${by}`);
}

describe('after the database’s clock stepped back by 20 minutes', () => {
  it('due rows become due within one run in their order, and leased rows only after their lease must have ended', async () => {
    const earlier = await message(5 * minute);
    const later = await message(10 * minute);
    const leased = await message(20 * minute + 30);
    const marked = await message(20 * minute + 30, 1);
    const leasedSince = await message(58);
    const putOff = await message(25 * minute);
    const parked = await message(30 * minute, 0, 30 * minute);
    const handedOver = await delivery(10 * minute);
    const leasedDelivery = await delivery(21 * minute);
    const leasedDeliverySince = await delivery(74);
    const { watch } = openWatch();
    await stepBack();
    expect(await watch()).toBeGreaterThan(0);
    await runFixes();
    expect(await messageDue(earlier)).toEqual(approximately(-15 * minute));
    expect(await messageDue(later)).toEqual(approximately(-10 * minute));
    expect(await messageDue(leased)).toEqual(approximately(20 * minute + 30));
    expect(await messageDue(marked)).toEqual(approximately(20 * minute + 30));
    expect(await messageDue(leasedSince)).toEqual(approximately(58));
    expect(await messageDue(parked)).toEqual(approximately(30 * minute));
    expect(await deliveryDue(handedOver)).toEqual(approximately(-10 * minute));
    expect(await deliveryDue(leasedDelivery)).toEqual(approximately(21 * minute));
    expect(await deliveryDue(leasedDeliverySince)).toEqual(approximately(74));

    await pass(3 * minute);
    const leasedJustNow = await message(58);
    await runFixes();
    expect(await messageDue(leased)).toEqual(approximately(0));
    // its ten minutes count from the end of its lease, 30 s after the step
    expect(await messageDue(marked)).toEqual(approximately(30 - 3 * minute));
    expect(await messageDue(putOff)).toEqual(approximately(0));
    expect(await messageDue(parked)).toEqual(approximately(27 * minute));
    expect(await messageDue(leasedJustNow)).toEqual(approximately(58));
    expect(await deliveryDue(leasedDelivery)).toEqual(approximately(0));
    const { rows } = await sql<{ open: number }>`
      select count(*)::int open from clock_steps where mended is not null`.execute(database.db);
    expect(rows[0]?.open).toBe(0);
  });

  it('a delivery is retried after the rest of its delay, and one that failed since the step keeps its delay', async () => {
    const before = await delivery(24 * minute, 4, 19 * minute);
    const longBefore = await delivery(10 * minute, 4, -10 * minute);
    const since = await delivery(5 * minute, 4, 0);
    const { watch } = openWatch();
    await stepBack();
    await watch();
    await runFixes();
    expect(await deliveryDue(before)).toEqual(approximately(4 * minute));
    const by = sql<boolean>`id = ${before}`;
    expect(await secondsOf('deliveries', 'retry_after', by)).toEqual(approximately(4 * minute));
    expect(await secondsOf('deliveries', 'last_attempt_at', by)).toEqual(approximately(-minute));
    expect(await deliveryDue(longBefore)).toEqual(approximately(-10 * minute));
    expect(await deliveryDue(since)).toEqual(approximately(5 * minute));
  });

  it('no other due time is delayed beyond its remaining wait', async () => {
    const [bookingId, mediaId, connectionId, key] = [uuidv7(), uuidv7(), uuidv7(), uuidv7()];
    await run(
      sql`update sender_paces set tat = ${inSeconds(20 * minute + 30)}, slowed_at = ${inSeconds(20 * minute - 1)}`,
    );
    await run(
      sql`update endpoints set paused_until = ${inSeconds(25 * minute)}, failing_since = ${inSeconds(15 * minute)}`,
    );
    await run(sql`insert into template_readings (account_id, business_account_id, due_at, not_before, wanted_at, begun_at)
      values (${accountId}, '2', ${inSeconds(21 * minute)}, ${inSeconds(20.5 * minute)}, ${inSeconds(19 * minute)}, ${inSeconds(18 * minute)})`);
    await run(sql`insert into send_cancellations (account_id, send_id, due_at)
      values (${accountId}, ${uuidv7()}, ${inSeconds(10 * minute)})`);
    await run(sql`insert into bookings (id, account_id, staff_id, state, starts_at, ends_at, timezone, email, phone_number,
        source, answers, fallback_link, hand, due_at, gone_at)
      values (${bookingId}, ${accountId}, ${staffId}, 'confirmed', '2030-01-01', '2030-01-02', 'UTC', '', '1', 'x', '[]', '', 'deleted',
        ${inSeconds(10 * minute)}, ${inSeconds(19 * minute)})`);
    await run(sql`insert into media (id, account_id, state, kind, mime_type, file_name, object_key, file_key, due_at)
      values (${mediaId}, ${accountId}, 'receiving', 'image', 'x', 'x', 'x', '', ${inSeconds(20 * minute + 60)})`);
    await run(sql`insert into calendar_connections (id, account_id, staff_id, provider, credential, calendar_id,
        busy_calendar_ids, changes_due_at, last_synced_at)
      values (${connectionId}, ${accountId}, ${staffId}, 'google', '', 'x', '{}', ${inSeconds(20 * minute)}, ${inSeconds(19 * minute)})`);
    await run(sql`insert into idempotency_keys (account_id, operation, key, fingerprint, subject_id, leased_until, created_at)
      values (${accountId}, 'x', ${key}, '', ${key}, ${inSeconds(20 * minute + 30)}, ${inSeconds(20 * minute - 5)})`);
    await run(sql`insert into opt_outs (account_id, contact_id, id, scope, source, acted_at)
      values (${accountId}, ${key}, ${key}, 1, 4, ${inSeconds(19 * minute)})`);
    await run(sql`insert into processes (ended_at) values (${inSeconds(20 * minute)})`);
    const { watch } = openWatch();
    await stepBack();
    await watch();
    await runFixes();
    const all = sql<boolean>`true`;
    const found: Record<string, number | null> = {};
    for (const [table, columns] of Object.entries({
      sender_paces: ['tat', 'slowed_at'],
      endpoints: ['paused_until', 'failing_since'],
      template_readings: ['due_at', 'not_before', 'wanted_at', 'begun_at'],
      send_cancellations: ['due_at'],
      bookings: ['due_at', 'gone_at'],
      media: ['due_at'],
      calendar_connections: ['changes_due_at', 'last_synced_at'],
      idempotency_keys: ['leased_until', 'created_at'],
      processes: ['ended_at'],
      opt_outs: ['acted_at'],
    }))
      for (const column of columns) found[`${table}.${column}`] = await secondsOf(table, column, all);
    expect(found).toEqual({
      'sender_paces.tat': approximately(30),
      'sender_paces.slowed_at': approximately(-1),
      'endpoints.paused_until': approximately(5 * minute),
      'endpoints.failing_since': approximately(-5 * minute),
      'template_readings.due_at': approximately(minute),
      'template_readings.not_before': approximately(30),
      'template_readings.wanted_at': approximately(-minute),
      'template_readings.begun_at': approximately(-2 * minute),
      'send_cancellations.due_at': approximately(-10 * minute),
      'bookings.due_at': approximately(-10 * minute),
      'bookings.gone_at': approximately(-minute),
      'media.due_at': approximately(minute),
      'calendar_connections.changes_due_at': approximately(0),
      'calendar_connections.last_synced_at': approximately(-minute),
      'idempotency_keys.leased_until': approximately(30),
      'idempotency_keys.created_at': approximately(-5),
      'processes.ended_at': approximately(0),
      'opt_outs.acted_at': approximately(0),
    });
  });
});

it('uses the numbers of messages and deliveries', () => {
  expect(codePriority.compile(database.db).sql).toBe(String(authenticationPriority));
  const own = Object.entries(state).map(([name, text]) => [name, text.compile(database.db).sql]);
  const { queued, dispatching } = messageState;
  const { ready, retrying } = deliveryState;
  const expected = Object.entries({ queued, dispatching, ready, retrying });
  expect(own).toEqual(expected.map(([name, number]) => [name, String(number)]));
});

it('every time column of the schema is either fixed or listed as needing no fix', async () => {
  const file = new URL('../../src/db/clock-fixes.ts', import.meta.url);
  const told = (await readFile(file, 'utf8')).replaceAll(/^ *(\/\/|\*).*$/gm, '');
  const names = (word: string) => new RegExp(`\\b${word}\\b`).test(told);
  const { rows } = await sql<{ table: string; column: string }>`
    select c.relname as table, a.attname as column from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and a.atttypid = 'timestamptz'::regtype and not c.relname like 'kysely%'`.execute(database.db);
  expect(rows.length).toBeGreaterThan(60);
  const unknown = rows
    .map(({ table, column }) => ({ table, column, name: `${table}.${column}` }))
    .filter(({ name }) => !needNothing.some((rule) => rule.test(name)))
    .filter(({ table, column }) => !names(table) || !names(column));
  expect(unknown).toEqual([]);
});

// Table received_messages.
import { sql } from 'kysely';
import { maxUuid, nilUuid } from '../../base/ids.ts';
import { arrayText, textArray } from '../../db/array-text.ts';
import type { Db, Tx } from '../../db/db.ts';
import { isDivisionByZero, serializationFailure } from '../../db/failure.ts';
import { jsonLines } from '../../db/json-lines.ts';
import {
  type DeliveriesToInsert,
  deliveriesSql,
  type InsertedDelivery,
  startedSql,
} from '../../webhooks/publish.ts';
import { type RecordedPerson, type UsualPerson, usualPeople } from '../contacts/usual-people-store.ts';
import { settingsRows } from '../opt-outs/settings-store.ts';
import type { OptOutSettings } from '../opt-outs/words.ts';
import type { ReceivedRow } from './presenter.ts';

/** An inbound message of one account, ready to be stored. */
export interface NewReceived extends ReceivedRow {
  account_id: string;
  /** The identity of the person; null if the message names nobody. */
  person: string | null;
  /** `content` as JSON. */
  contentJson: string;
}

export interface ReceivedKey {
  accountId: string;
  id: string;
}

/**
 * JSON sources as one parameter, which may have line breaks: separated by a control character, which valid JSON contains
 * only escaped. A text[] parameter would escape every quotation mark.
 */
const sources = (texts: readonly (string | null)[]) =>
  sql`string_to_array(${texts.map((text) => text ?? '').join('\x1e')}, chr(30), '')`;

/** The settings of opt-outs that decide what messages say. */
export interface SettingsToRead {
  /** The accounts. */
  settingsOf: readonly string[];
  /** If given, no message is inserted if one of them has settings, or if fewer people than this were recorded as usual ones. */
  plainPeople: number | null;
}

/** New messages, and the usual ones of the people. */
export interface StoredReceived {
  inserted: ReceivedKey[];
  /** False if `plainPeople` was given and not met. */
  isPlain: boolean;
  /** Only without `plainPeople`, which counts them. */
  people: RecordedPerson[];
  /** Of the accounts that have some. */
  settings: Map<string, OptOutSettings>;
  /** The deliveries that may start now. */
  started: InsertedDelivery[];
}

/**
 * Inserts messages, in the order given, with the deliveries of their events, and records the usual people among those who wrote them
 * (`usualPeople`), in one statement. Returns the messages that are new: a repeat has the key of the first, and publishes nothing. It also records the
 * people of repeats, whose first message left nothing to record. Reads the settings of opt-outs of the given accounts in passing. With `plainPeople`,
 * throws an error with the code of a serialization failure, and does nothing, if another transaction recorded one of the new people first: the identities
 * that are left would be committed with a contact that is not there. SQL has no statement for an error, so it divides by zero.
 */
export async function insertReceived(
  db: Db | Tx,
  rows: readonly NewReceived[],
  people: readonly UsualPerson[],
  { settingsOf, plainPeople }: SettingsToRead,
  deliveries: DeliveriesToInsert,
): Promise<StoredReceived> {
  const usual = usualPeople(people);
  type Found = {
    /** Null: all. */
    inserted: [accountId: string, id: string][] | null;
    isPlain: boolean;
    people: RecordedPerson[] | null;
    settings: { accountId: string; settings: OptOutSettings }[] | null;
  };
  const result = await sql<InsertedDelivery & { subject_id: string | null; found: Found | null }>`
    /* insertReceived */ with ${usual.tables},
    usual_people as (${usual.recorded}),
    their_settings as (${settingsRows(settingsOf)}),
    plain as materialized (select not (${plainPeople !== null}::boolean and (
      (select count("contactId") / (count(*) = count("contactId"))::int from usual_people) < ${plainPeople ?? 0}::int
      or exists (select from their_settings))) as yes),
    received as (insert into received_messages (account_id, id, sender_id, message_ref, person, phone, user_id, name, type,
      content, media_ref, context_ref, context_id, context_send_id, sent_at, received_at, raw)
    select a, i, s, message_ref, person, phone, user_id, name, type, content::jsonb, media_ref, context_ref, context_id,
      context_send_id, to_timestamp(sent_at), to_timestamp(received_at / 1000.0), raw
    from unnest(${arrayText(rows.map((row) => row.account_id))}::uuid[], ${arrayText(rows.map((row) => row.id))}::uuid[],
      ${arrayText(rows.map((row) => row.sender_id))}::uuid[], ${textArray(rows.map((row) => row.message_ref))}::text[],
      ${textArray(rows.map((row) => row.person))}::text[], ${textArray(rows.map((row) => row.phone))}::text[], ${textArray(rows.map((row) => row.user_id))}::text[],
      ${textArray(rows.map((row) => row.name))}::text[], ${textArray(rows.map((row) => row.type))}::text[],
      ${jsonLines(rows.map((row) => row.contentJson))}, ${textArray(rows.map((row) => row.media_ref))}::text[],
      ${textArray(rows.map((row) => row.context_ref))}::text[], ${arrayText(rows.map((row) => row.context_id))}::uuid[],
      ${arrayText(rows.map((row) => row.context_send_id))}::uuid[],
      ${arrayText(rows.map((row) => (row.sent_at === null ? null : row.sent_at.getTime() / 1000)))}::float8[],
      ${arrayText(rows.map((row) => row.received_at.getTime()))}::float8[], ${sources(rows.map((row) => row.raw))})
      x(a, i, s, message_ref, person, phone, user_id, name, type, content, media_ref, context_ref, context_id, context_send_id,
        sent_at, received_at, raw)
    where (select yes from plain)
    on conflict (account_id, id) do nothing
    returning account_id, id),
    ${deliveriesSql(deliveries, sql`and ((v.account_id, v.subject_id) in (select account_id, id from received)) is true`)}
    select s.*, null::jsonb as found from (${startedSql}) s
    union all select null, null, null, null, null, null, null, jsonb_build_object(
      'inserted', case when (select count(*) from received) < ${rows.length}::int
        then (select coalesce(jsonb_agg(jsonb_build_array(account_id, id)), '[]') from received) end,
      'isPlain', (select yes from plain),
      'people', case when ${plainPeople === null}::boolean then (select jsonb_agg(r) from usual_people r) end,
      'settings', (select jsonb_agg(o) from their_settings o))
    order by subject_id, "endpointId", rank`
    .execute(db)
    .catch((error: unknown) => {
      throw isDivisionByZero(error) ? serializationFailure('A person was recorded concurrently.') : error;
    });
  // the last one: it has no subject
  const found = result.rows.at(-1)?.found;
  const keys = found?.inserted ?? rows.map(({ account_id, id }): [string, string] => [account_id, id]);
  return {
    inserted: keys.map(([accountId, id]) => ({ accountId, id })),
    isPlain: found?.isPlain === true,
    people: found?.people ?? [],
    settings: new Map((found?.settings ?? []).map((one) => [one.accountId, one.settings])),
    started: result.rows.slice(0, -1),
  };
}

/** One of our messages that an inbound one refers to. */
export interface OwnMessage {
  accountId: string;
  messageRef: string | null;
  id: string;
  sendId: string | null;
  /** As the caller gave it. */
  phone: string | null;
}

/** Finds those of our messages that inbound ones refer to. */
export async function findContexts(
  db: Db,
  accountIds: readonly string[],
  messageRefs: readonly string[],
): Promise<OwnMessage[]> {
  const { rows } = await sql<OwnMessage>`
    /* findContexts */ select account_id as "accountId", wamid as "messageRef", id, send_id as "sendId", phone from messages
    where wamid = any (${[...messageRefs]}::text[]) and account_id = any (${[...accountIds]}::uuid[])`.execute(
    db,
  );
  return rows;
}

export interface ReceivedFilter {
  /** Identities of one person; undefined: of everybody. */
  people?: readonly string[] | undefined;
  senderId?: string | undefined;
  type?: string | undefined;
  /** The first id, and the first id after the range: ids start with the platform's time. */
  fromId?: string | undefined;
  toId?: string | undefined;
  /** Only messages older than this one. */
  beforeId?: string | undefined;
}

/** Messages that one page scans for a sender or type, which no index covers: about 50 ms. */
const scannedMax = 20_000;

const columns = sql`id, sender_id, message_ref, phone, user_id, name, type, content, media_ref, context_ref, context_id,
  context_send_id, sent_at, received_at, raw`;

function inRange({ fromId = nilUuid, toId = maxUuid, beforeId = maxUuid }: ReceivedFilter) {
  return sql`id >= ${fromId} and id < ${toId < beforeId ? toId : beforeId}`;
}

const matching = ({ senderId, type }: ReceivedFilter) =>
  sql`(${senderId ?? null}::uuid is null or sender_id = ${senderId ?? null}::uuid)
    and (${type ?? null}::text is null or type = ${type ?? null}::text)`;

/**
 * Lists up to `limit` messages of the account, newest first. For a sender or type the scan is bounded, so that no page is
 * slow: `scannedTo` is the last scanned message if the scan ended before the list did.
 */
export async function listReceived(
  db: Db,
  accountId: string,
  filter: ReceivedFilter,
  limit: number,
  scanLimit = scannedMax,
): Promise<{ rows: ReceivedRow[]; scannedTo: string | undefined }> {
  if (filter.people !== undefined) {
    const { rows } = await sql<ReceivedRow>`
      select r.* from unnest(${[...filter.people]}::text[]) p(identity) cross join lateral (
        select ${columns} from received_messages
        where person = p.identity and account_id = ${accountId} and ${inRange(filter)} and ${matching(filter)}
        order by id desc limit ${limit}) r
      order by r.id desc limit ${limit}`.execute(db);
    return { rows, scannedTo: undefined };
  }
  const isSparse = filter.senderId !== undefined || filter.type !== undefined;
  const { rows } = await sql<ReceivedRow>`
    select * from (select ${columns} from received_messages where account_id = ${accountId} and ${inRange(filter)}
      order by id desc limit ${isSparse ? scanLimit : limit}) r
    where ${matching(filter)} order by id desc limit ${limit}`.execute(db);
  if (!isSparse || rows.length === limit) return { rows, scannedTo: undefined };
  return { rows, scannedTo: await lastScanned(db, accountId, filter, scanLimit) };
}

/** Finds the last message that a bounded scan reads; undefined if the scan reads them all. */
export async function lastScanned(
  db: Db,
  accountId: string,
  filter: ReceivedFilter,
  scanLimit: number,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from received_messages where account_id = ${accountId} and ${inRange(filter)}
    order by id desc offset ${scanLimit - 1} limit 1`.execute(db);
  return rows[0]?.id;
}

/** Finds an inbound message of the account. */
export async function findReceived(db: Db, accountId: string, id: string): Promise<ReceivedRow | undefined> {
  const { rows } = await sql<ReceivedRow>`
    select ${columns} from received_messages where account_id = ${accountId} and id = ${id}`.execute(db);
  return rows[0];
}

// Table send_recipients: adding, checking and removing the recipients of a draft, under its lease.
import { sql } from 'kysely';
import { nilUuid } from '../../base/ids.ts';
import { arrayText } from '../../db/array-text.ts';
import type { Db, Tx } from '../../db/db.ts';
import { jsonLines } from '../../db/json-lines.ts';
import type { FilledTemplate } from '../../ports/platform.ts';
import type { SendKey } from '../messages/sends-store.ts';
import { isOptedOut, sendStageSql } from '../messages/sql-store.ts';
import { type KeptMessage, keptRows } from '../sending/scheduled-store.ts';
import { versionOf } from '../templates/store.ts';

/** A lease of the recipients of a send. */
export interface RecipientsLease {
  leaseId: string;
  processId: number;
  seconds: number;
}

/** Leases the recipients of a locked send. */
export async function takeLease(tx: Tx, of: SendKey, lease: RecipientsLease): Promise<void> {
  await sql`
    update sends set upload_id = ${lease.leaseId}, upload_until = now() + ${lease.seconds} * interval '1 second',
      upload_leased_by = ${lease.processId}
    where account_id = ${of.accountId} and id = ${of.sendId}`.execute(tx);
}

/** Extends the lease, unless another process took it. */
export async function renewLease(db: Db, of: SendKey, lease: RecipientsLease): Promise<void> {
  await sql`
    update sends set upload_until = now() + ${lease.seconds} * interval '1 second', upload_leased_by = ${lease.processId}
    where account_id = ${of.accountId} and id = ${of.sendId} and upload_id = ${lease.leaseId}`.execute(db);
}

/** Ends the lease, unless another process took it. */
export async function endLease(db: Db, of: SendKey, leaseId: string): Promise<void> {
  await sql`
    update sends set upload_id = null, upload_until = null, upload_leased_by = null
    where account_id = ${of.accountId} and id = ${of.sendId} and upload_id = ${leaseId}`.execute(db);
}

/**
 * Releases the leases of ended processes; returns how many. `upload_id` stays: a process that only lost its session continues, unless
 * another one takes the lease.
 */
export async function releaseRecipientsOfProcesses(tx: Tx, processIds: readonly number[]): Promise<number> {
  const { numAffectedRows } = await sql`
    update sends s set upload_until = least(s.upload_until, now()), upload_leased_by = null
    from (
      select account_id, id from sends where is_open and upload_leased_by = any (${[...processIds]}::int[])
      for no key update skip locked) x
    where s.account_id = x.account_id and s.id = x.id`.execute(tx);
  return Number(numAffectedRows ?? 0);
}

/** What a batch of recipients added; undefined if the lease or the draft is gone. */
export interface AddedBatch {
  added: number;
  /** Those of them who do not want the template: their messages will fail. */
  opted_out: number;
  /** The recipients of the send afterwards. */
  total: number;
}

/** Adds recipients to a draft, in one statement; a phone that the send already has is skipped. */
export async function addRecipients(
  tx: Tx,
  of: SendKey,
  leaseId: string,
  messages: readonly KeptMessage[],
): Promise<AddedBatch | undefined> {
  const { rows } = await sql<AddedBatch>`
    with send as (
      select s.account_id, s.id, coalesce(s.priority, 2) as priority from sends s
      where s.account_id = ${of.accountId} and s.id = ${of.sendId} and s.stage = ${sendStageSql.draft}
        and s.cancelled_at is null and s.upload_id = ${leaseId} for no key update),
    fresh as (
      insert into send_recipients (send_id, account_id, phone, id, name, content, media_id, metadata)
      select send.id, send.account_id, x.phone, x.id, x.name, x.content, x.media_id, x.metadata
      from send, ${keptRows(messages)}
      on conflict (send_id, phone) do nothing returning account_id, phone)
    update sends s set total = s.total + (select count(*) from fresh),
      first_recipient_id = case when s.last_recipient_id is null then ${messages[0]?.id ?? null}::uuid
        when s.first_recipient_id is not null then least(s.first_recipient_id, ${messages[0]?.id ?? null}::uuid) end,
      last_recipient_id = greatest(s.last_recipient_id, ${messages.at(-1)?.id ?? null}::uuid)
    from send where s.account_id = send.account_id and s.id = send.id
    returning (select count(*) from fresh)::int as added, s.total,
      (select count(*) from fresh f where ${isOptedOut(sql`f.account_id`, sql`f.phone`, sql`send.priority`)})::int as opted_out`.execute(
    tx,
  );
  return rows[0];
}

/** Removes up to `limit` recipients of a draft; returns how many. */
export async function removeRecipients(db: Db, of: SendKey, leaseId: string, limit: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    with send as (
      select s.account_id, s.id from sends s where s.account_id = ${of.accountId} and s.id = ${of.sendId} and s.stage = ${sendStageSql.draft}
        and s.cancelled_at is null and s.upload_id = ${leaseId} for no key update),
    gone as (
      delete from send_recipients r using (
        select q.send_id, q.id from send, send_recipients q where q.send_id = send.id order by q.id limit ${limit}) x
      where r.send_id = x.send_id and r.id = x.id returning 1)
    update sends s set total = s.total - (select count(*) from gone)
    from send where s.account_id = send.account_id and s.id = send.id
    returning (select count(*) from gone)::int as n`.execute(db);
  return rows[0]?.n ?? 0;
}

/** Deletes a draft without recipients; false if it has some, or is no longer a draft. */
export async function deleteDraftRow(db: Db, of: SendKey, leaseId: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from sends s where s.account_id = ${of.accountId} and s.id = ${of.sendId} and s.stage = ${sendStageSql.draft} and s.cancelled_at is null
      and s.upload_id = ${leaseId} and not exists (select from send_recipients r where r.send_id = s.id)`.execute(
    db,
  );
  return numAffectedRows === 1n;
}

/** A recipient to be checked again. */
export interface KeptContent {
  id: string;
  phone: string;
  content: FilledTemplate;
  media_id: string | null;
}

/** The next recipients of a send, in the order in which they were added. */
export async function nextRecipients(
  db: Db,
  sendId: string,
  afterId: string | null,
  limit: number,
): Promise<KeptContent[]> {
  const { rows } = await sql<KeptContent>`
    select id, phone, content, media_id from send_recipients
    where send_id = ${sendId} and id > coalesce(${afterId}::uuid, ${nilUuid})
    order by id limit ${limit}`.execute(db);
  return rows;
}

/** Replaces the contents of recipients; false, and nothing is replaced, if another process took the lease. */
export async function replaceContents(
  db: Db,
  of: SendKey,
  leaseId: string,
  contents: readonly { id: string; content: FilledTemplate }[],
): Promise<boolean> {
  const { rows } = await sql`
    with send as (
      select s.id from sends s where s.account_id = ${of.accountId} and s.id = ${of.sendId} and s.upload_id = ${leaseId}
      for no key update),
    replaced as (
      update send_recipients r set content = x.content
      from send, unnest(${arrayText(contents.map((one) => one.id))}::uuid[],
        ${jsonLines(contents.map((one) => JSON.stringify(one.content)))}::jsonb[]) x(id, content)
      where r.send_id = send.id and r.id = x.id)
    select from send`.execute(db);
  return rows.length > 0;
}

/** Records that recipients may not fit the template, whatever its version. */
export async function recordNoVersion(db: Db, of: SendKey, leaseId: string): Promise<void> {
  await sql`
    update sends set checked_version = null
    where account_id = ${of.accountId} and id = ${of.sendId} and upload_id = ${leaseId}`.execute(db);
}

/** Records that all recipients fit the template as it is since `changedAt`; null: since it was made. */
export async function recordVersion(
  db: Db,
  of: SendKey,
  leaseId: string,
  changedAt: Date | null,
): Promise<void> {
  await sql`
    update sends set checked_version = ${versionOf(sql`${changedAt}::timestamptz`)}
    where account_id = ${of.accountId} and id = ${of.sendId} and upload_id = ${leaseId}`.execute(db);
}

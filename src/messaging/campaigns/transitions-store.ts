// Table sends: the locked row of a request, and its moves between states.
import { sql } from 'kysely';
import type { Tx } from '../../db/db.ts';
import type { SendKey, SendRow } from '../messages/sends-store.ts';
import { sendStageSql } from '../messages/sql-store.ts';
import { isOfVersion, queuedOf, timeToLive } from './conditions-store.ts';

/** A locked send, with what its state depends on. */
export type LockedSend = SendRow & {
  /** True if a recipient waits, is queued or is being dispatched. */
  is_pending: boolean;
  /** True if `send_at` is in the future. */
  is_ahead: boolean;
  is_uploading: boolean;
  /** True if the template's components are those that the recipients were checked against. */
  fits: boolean;
};

/** Locks a send against other requests and against the feeder. */
export async function lockSend(tx: Tx, { accountId, sendId }: SendKey): Promise<LockedSend | undefined> {
  // locked first, so that the second statement sees what the feeder moved
  await sql`select from sends where account_id = ${accountId} and id = ${sendId} for no key update`.execute(
    tx,
  );
  const { rows } = await sql<LockedSend>`
    select s.*, coalesce(s.send_at > now(), false) as is_ahead, coalesce(s.upload_until > now(), false) as is_uploading,
      exists (select from send_recipients r where r.send_id = s.id) or exists (
        select from ${queuedOf({ sender_id: sql`s.sender_id`, id: sql`s.id`, account_id: sql`s.account_id` })}) as is_pending,
      coalesce((select ${isOfVersion} from templates t where t.id = s.template_id), false) as fits
    from sends s where s.account_id = ${accountId} and s.id = ${sendId}`.execute(tx);
  return rows[0];
}

/** Makes the send's next step due now. */
async function setDue(tx: Tx, { accountId, sendId }: SendKey): Promise<void> {
  await sql`
    insert into send_feeds (send_id, account_id, due_at) values (${sendId}, ${accountId}, now())
    on conflict (send_id) do update set due_at = excluded.due_at, leased_by = null`.execute(tx);
}

/** Starts a send; its time to live begins. */
export async function startNow(tx: Tx, of: SendKey): Promise<void> {
  await sql`
    update sends set stage = ${sendStageSql.started}, is_open = true, started_at = now(), expires_at = now() + expires_in * interval '1 second'
    where account_id = ${of.accountId} and id = ${of.sendId}`.execute(tx);
  await setDue(tx, of);
}

/** Schedules a send for its `send_at`, also a paused one; its time to live begins then. */
export async function schedule(tx: Tx, of: SendKey): Promise<void> {
  await sql`
    update sends set stage = ${sendStageSql.scheduled}, is_open = true, paused_at = null, paused_reason = null,
      expires_at = send_at + ${timeToLive}
    where account_id = ${of.accountId} and id = ${of.sendId}`.execute(tx);
  // not at its time: a send that was under way may still have queued messages, which the worker moves out of the queue
  await setDue(tx, of);
}

/** Pauses a send: no dispatch of its messages begins after the commit. The worker then moves its messages out of the queue. */
export async function pause(tx: Tx, of: SendKey): Promise<void> {
  await sql`
    update sends s set paused_at = now(), paused_reason = null, is_open = true,
      -- sends of earlier versions have neither
      expires_at = coalesce(s.expires_at, (
        select m.expires_at from messages m where m.send_id = s.id and m.account_id = s.account_id limit 1)),
      priority = coalesce(s.priority, (
        select m.priority from messages m where m.send_id = s.id and m.account_id = s.account_id limit 1))
    where s.account_id = ${of.accountId} and s.id = ${of.sendId}`.execute(tx);
  await setDue(tx, of);
}

/** Resumes a paused send. One that was paused before its time expires as if it had started then. */
export async function resume(tx: Tx, of: SendKey): Promise<void> {
  await sql`
    update sends set paused_at = null, paused_reason = null, stage = ${sendStageSql.started}, started_at = coalesce(started_at, now()),
      -- its time was removed: the start is now
      expires_at = coalesce(expires_at, now() + ${timeToLive})
    where account_id = ${of.accountId} and id = ${of.sendId}`.execute(tx);
  await setDue(tx, of);
}

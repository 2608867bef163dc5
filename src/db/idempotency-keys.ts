// Rows of Idempotency-Key: written together with the request's intent, completed with its response, kept for 24 hours.
import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from './db.ts';
import { hasEnded } from './process-session.ts';

export interface KeyOf {
  accountId: string;
  /** The operation, such as `book` or `send`; the same key is independent in another operation. */
  operation: string;
  key: string;
}

/** A key with the fingerprint of its request. */
export interface RequestKey extends KeyOf {
  fingerprint: Buffer;
}

/** The lease of a key. */
export interface KeyLease {
  leaseSeconds: number;
  /**
   * The process whose end ends the lease, too. Only where a repeat that continues early is harmless, because it only waits for what
   * the first request stored in the transaction of the key. Without it, only the time counts.
   */
  processId?: number | undefined;
}

export interface IdempotencyKeyRow {
  fingerprint: Buffer;
  subject_id: string;
  /** True while the first request may be in progress. */
  leased: boolean;
  status: number | null;
  body: string | null;
  /** The message whose acceptance is the response, unless one is stored; null: only a stored one is. */
  answered_by: string | null;
}

/** The key's row, if it was created in the last 24 hours. */
export async function findKey(db: Db | Tx, of: KeyOf): Promise<IdempotencyKeyRow | undefined> {
  return (await findKeys(db, [of]))[0];
}

/** The rows of many keys, in the keys' order. */
export async function findKeys(
  db: Db | Tx,
  of: readonly KeyOf[],
): Promise<(IdempotencyKeyRow | undefined)[]> {
  const { rows } = await sql<IdempotencyKeyRow & { n: number }>`
    select x.n, fingerprint, subject_id, leased_until > now() and not ${hasEnded(sql`k.leased_by`)} as leased, status, body, answered_by
    from unnest(${of.map((one) => one.accountId)}::uuid[], ${of.map((one) => one.operation)}::text[],
      ${of.map((one) => one.key)}::uuid[]) with ordinality as x(account_id, operation, key, n)
    join idempotency_keys k on k.account_id = x.account_id and k.operation = x.operation and k.key = x.key
      and created_at > now() - interval '24 hours'`.execute(db);
  const found = new Map(rows.map(({ n, ...row }) => [n, row]));
  return of.map((_, index) => found.get(index + 1));
}

/**
 * An insert of keys with their subjects' intent, for a CTE of the statement that writes the intent. Returns `subject_id` of those
 * inserted: not of a key that an active row has (one older than 24 hours is replaced). `from` names rows with the columns
 * `account_id`, `operation`, `key`, `fingerprint`, `id` (of the subject), `lease_seconds` and `answered_by`; `key` and `answered_by`
 * may be null. `processId`: see `KeyLease`.
 */
export const insertKeysOf = (
  from: RawBuilder<unknown>,
  processId: number | undefined,
): RawBuilder<unknown> => sql`
  insert into idempotency_keys as k (account_id, operation, key, fingerprint, subject_id, leased_until, leased_by, answered_by)
  select account_id, operation, key, fingerprint, id, now() + lease_seconds * interval '1 second', ${processId ?? null}::int, answered_by
  from ${from} where key is not null order by account_id, operation, key
  on conflict (account_id, operation, key) do update
    set fingerprint = excluded.fingerprint, subject_id = excluded.subject_id, leased_until = excluded.leased_until,
        leased_by = excluded.leased_by, answered_by = excluded.answered_by, status = null, body = null, created_at = now()
    where k.created_at <= now() - interval '24 hours'
  returning subject_id`;

/** Writes the key with its subject's intent; false if an active row has the key (one older than 24 hours is replaced). */
export async function insertKey(
  tx: Tx,
  of: RequestKey & KeyLease & { subjectId: string; answeredBy?: string },
): Promise<boolean> {
  const given = sql`(values (${of.accountId}::uuid, ${of.operation}, ${of.key}::uuid, ${of.fingerprint}::bytea, ${of.subjectId}::uuid,
    ${of.leaseSeconds}::int, ${of.answeredBy ?? null}::uuid)) g(account_id, operation, key, fingerprint, id, lease_seconds, answered_by)`;
  const { rows } = await sql`${insertKeysOf(given, of.processId)}`.execute(tx);
  return rows.length === 1;
}

/** Takes over a key whose lease ended without a response; false if another process was faster or a response exists. */
export async function takeOverKey(db: Db | Tx, of: KeyOf & KeyLease): Promise<boolean> {
  const { rows } = await sql`
    update idempotency_keys set leased_until = now() + ${of.leaseSeconds} * interval '1 second',
      leased_by = ${of.processId ?? null}::int
    where account_id = ${of.accountId} and operation = ${of.operation} and key = ${of.key}
      and (leased_until <= now() or ${hasEnded(sql`leased_by`)}) and status is null
    returning 1`.execute(db);
  return rows.length === 1;
}

/** The response for repeats of a subject's key. */
export interface KeyResponse {
  subjectId: string;
  status: number;
  body: string;
}

/** Stores the response for every key of this subject, unless one is already stored. */
export async function recordKeyResponse(
  tx: Db | Tx,
  subjectId: string,
  answer: { status: number; body: string },
): Promise<void> {
  await recordKeyResponses(tx, [{ subjectId, ...answer }]);
}

/** Stores the responses of many subjects; returns for each what is stored now: an earlier response stays. */
export async function recordKeyResponses(
  tx: Db | Tx,
  answers: readonly KeyResponse[],
): Promise<KeyResponse[]> {
  const { rows } = await sql<{ subject_id: string }>`
    /* recordKeyResponses */ update idempotency_keys k set status = x.status, body = x.body
    from unnest(${answers.map((one) => one.subjectId)}::uuid[], ${answers.map((one) => one.status)}::smallint[],
      ${answers.map((one) => one.body)}::text[]) as x(subject_id, status, body)
    where k.subject_id = x.subject_id and k.status is null returning k.subject_id`.execute(tx);
  const stored = new Set(rows.map((row) => row.subject_id));
  const others = answers.filter(({ subjectId }) => !stored.has(subjectId));
  if (others.length === 0) return [...answers];
  const earlier = await findResponses(
    tx,
    others.map(({ subjectId }) => subjectId),
  );
  return answers.map((one) => (stored.has(one.subjectId) ? one : (earlier.get(one.subjectId) ?? one)));
}

/** The stored responses of these subjects. */
async function findResponses(db: Db | Tx, subjectIds: readonly string[]): Promise<Map<string, KeyResponse>> {
  const { rows } = await sql<Pick<IdempotencyKeyRow, 'subject_id' | 'status' | 'body'>>`
    select subject_id, status, body from idempotency_keys where subject_id = any(${subjectIds}::uuid[])`.execute(
    db,
  );
  const responses = new Map<string, KeyResponse>();
  for (const { subject_id: subjectId, status, body } of rows)
    if (status !== null && body !== null) responses.set(subjectId, { subjectId, status, body });
  return responses;
}

/** Ends the leases of these subjects' keys, so that a repeat continues immediately instead of after the lease. */
export async function releaseKeysOf(db: Db | Tx, subjectIds: readonly string[]): Promise<void> {
  await sql`
    update idempotency_keys set leased_until = least(leased_until, now())
    where subject_id = any(${subjectIds}::uuid[]) and status is null`.execute(db);
}

/** Extends the leases of a subject's keys while no response is stored. */
export async function extendKeysOf(db: Db | Tx, subjectId: string, leaseSeconds: number): Promise<void> {
  await sql`
    update idempotency_keys set leased_until = now() + ${leaseSeconds} * interval '1 second'
    where subject_id = ${subjectId} and status is null`.execute(db);
}

/** Assigns a key that was taken over to another subject, whose response it will store. */
export async function rebindKey(tx: Tx, of: KeyOf, subjectId: string): Promise<void> {
  await sql`
    update idempotency_keys set subject_id = ${subjectId}
    where account_id = ${of.accountId} and operation = ${of.operation} and key = ${of.key}
      and status is null`.execute(tx);
}

/** Deletes the keys of a subject that failed: only successes are stored. */
export async function freeKeysOf(tx: Db | Tx, subjectId: string): Promise<void> {
  await sql`
    /* freeKeysOf */ delete from idempotency_keys where subject_id = ${subjectId} and status is null`.execute(
    tx,
  );
}

/** Deletes up to `limit` keys older than 24 hours; returns how many. */
export async function deleteOldKeys(db: Db, limit: number): Promise<number> {
  const result = await sql`
    delete from idempotency_keys where (account_id, operation, key) in (
      select account_id, operation, key from idempotency_keys
      where created_at <= now() - interval '24 hours' limit ${limit} for update skip locked)`.execute(db);
  return Number(result.numAffectedRows ?? 0n);
}

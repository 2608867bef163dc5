// Queries for uploaded files and their registrations with the platform.
import { type RawBuilder, type Selectable, sql } from 'kysely';
import { arrayText, textArray } from '../../db/array-text.ts';
import type { Db, Tx } from '../../db/db.ts';
import type { DB } from '../../db/schema.ts';
import { sqlConstants } from '../../db/sql-constants.ts';
import type { MediaKind } from './file-kind.ts';
import { isMediaId } from './media-id.ts';
import { mediaState } from './state.ts';

const state = sqlConstants(mediaState);

export type MediaRow = Selectable<DB['media']>;

/** A file that callers see: stored, hashed and registered with the platform. */
export type ReadyMedia = MediaRow & {
  kind: MediaKind;
  public_id: string;
  size: number;
  sha256: Buffer;
};

export interface NewMedia {
  id: string;
  accountId: string;
  kind: MediaKind;
  mimeType: string;
  fileName: string;
  objectKey: string;
  /** Encrypted. */
  fileKey: Buffer;
  /** The sender that the upload named. */
  namedSenderId: string | null;
}

/** Adds a file before its bytes arrive. If the lease expires, the worker removes it. */
export async function insertReceiving(db: Db, media: NewMedia, leaseSeconds: number): Promise<void> {
  await sql`
    insert into media (id, account_id, state, kind, mime_type, file_name, object_key, file_key, named_sender_id, due_at)
    values (${media.id}, ${media.accountId}, ${state.receiving}, ${media.kind}, ${media.mimeType}, ${media.fileName},
      ${media.objectKey}, ${media.fileKey}, ${media.namedSenderId}, now() + ${leaseSeconds} * interval '1 second')`.execute(
    db,
  );
}

/** Extends the lease of an upload; false if the worker has removed the file. */
export async function extendReceiving(db: Db, id: string, leaseSeconds: number): Promise<boolean> {
  const { rows } = await sql`
    update media set due_at = now() + ${leaseSeconds} * interval '1 second'
    where id = ${id} and state = ${state.receiving} returning 1`.execute(db);
  return rows.length === 1;
}

/** Extends the lease of a registration; false if the worker has removed the file. */
export async function extendRegistering(db: Db, id: string, leaseSeconds: number): Promise<boolean> {
  const { rows } = await sql`
    update media set due_at = now() + ${leaseSeconds} * interval '1 second'
    where id = ${id} and state = ${state.registering} returning 1`.execute(db);
  return rows.length === 1;
}

/** Records that the bytes are stored; undefined if the worker has removed the file. */
export async function markStored(
  db: Db | Tx,
  stored: { id: string; size: number; sha256: Buffer; leaseSeconds: number },
): Promise<MediaRow | undefined> {
  const { rows } = await sql<MediaRow>`
    update media set state = ${state.registering}, size = ${stored.size}, sha256 = ${stored.sha256},
      due_at = now() + ${stored.leaseSeconds} * interval '1 second'
    where id = ${stored.id} and state = ${state.receiving} returning *`.execute(db);
  return rows[0];
}

/** Makes a registered file visible under its public id; undefined if the worker has removed it. */
export async function markReady(tx: Tx, id: string, publicId: string): Promise<ReadyMedia | undefined> {
  const { rows } = await sql<ReadyMedia>`
    update media set state = ${state.ready}, public_id = ${publicId}, due_at = null, attempts = 0
    where id = ${id} and state = ${state.registering} returning *`.execute(tx);
  return rows[0];
}

/** Stores the platform's id of the file for a sender; the last write wins. */
export async function saveRegistration(
  db: Db | Tx,
  registration: { mediaId: string; senderId: string; platformMediaId: string; expiresAt: Date },
): Promise<void> {
  const { mediaId, senderId, platformMediaId, expiresAt } = registration;
  await sql`
    insert into media_registrations (media_id, sender_id, platform_media_id, expires_at)
    values (${mediaId}, ${senderId}, ${platformMediaId}, ${expiresAt})
    on conflict (media_id, sender_id)
    do update set platform_media_id = excluded.platform_media_id, expires_at = excluded.expires_at`.execute(
    db,
  );
}

/** A registration that a message needs. */
export interface RegistrationAsked {
  mediaId: string;
  senderId: string;
  /** It must be valid after this time. */
  beyond: Date;
}

/** The platform's ids of many files, each for its sender, in order. */
export async function findRegistrations(
  db: Db,
  asked: readonly RegistrationAsked[],
): Promise<(string | undefined)[]> {
  const { rows } = await sql<{ no: number; platform_media_id: string }>`
    select x.no::int, r.platform_media_id
    from unnest(${arrayText(asked.map((one) => one.mediaId))}::uuid[], ${arrayText(asked.map((one) => one.senderId))}::uuid[],
      ${asked.map((one) => one.beyond)}::timestamptz[]) with ordinality x(media_id, sender_id, beyond, no)
    join media_registrations r on r.media_id = x.media_id and r.sender_id = x.sender_id and r.expires_at > x.beyond`.execute(
    db,
  );
  const found = new Map(rows.map((row) => [row.no, row.platform_media_id]));
  return asked.map((_one, index) => found.get(index + 1));
}

/**
 * Deletes a registration that the platform no longer accepts, if it expires before `expiresBefore`: a newer one means that
 * the platform rejects the file itself. Returns true if the registration no longer exists, so the file can be registered again.
 */
export async function deleteRegistration(
  db: Db,
  of: { mediaId: string; senderId: string; platformMediaId: string; expiresBefore: Date },
): Promise<boolean> {
  await sql`
    delete from media_registrations
    where media_id = ${of.mediaId} and sender_id = ${of.senderId}
      and platform_media_id = ${of.platformMediaId} and expires_at < ${of.expiresBefore}`.execute(db);
  const { rows } = await sql`
    select 1 from media_registrations
    where media_id = ${of.mediaId} and sender_id = ${of.senderId}
      and platform_media_id = ${of.platformMediaId}`.execute(db);
  return rows.length === 0;
}

/** Deletes the registrations of the files of these messages that expire before `expiresBefore`. */
export async function deleteRegistrationsOfMessages(
  db: Db,
  messages: readonly { accountId: string; id: string }[],
  expiresBefore: Date,
): Promise<void> {
  await sql`
    delete from media_registrations r
    using unnest(${arrayText(messages.map((one) => one.accountId))}::uuid[], ${arrayText(messages.map((one) => one.id))}::uuid[]) x(a, i)
    join messages m on m.account_id = x.a and m.id = x.i
    cross join lateral (
      select m.media_id union
      select (card -> 'header' ->> 'mediaId')::uuid from jsonb_array_elements(coalesce(m.content -> 'cards', '[]')) card) f(media_id)
    where r.media_id = f.media_id and r.sender_id = m.sender_id and r.expires_at < ${expiresBefore}`.execute(
    db,
  );
}

/** Every registration of a file that is valid after `beyond`. */
export async function listRegistrations(
  db: Db,
  mediaId: string,
  beyond: Date,
): Promise<{ sender_id: string; platform_media_id: string }[]> {
  const { rows } = await sql<{ sender_id: string; platform_media_id: string }>`
    select sender_id, platform_media_id from media_registrations
    where media_id = ${mediaId} and expires_at > ${beyond}`.execute(db);
  return rows;
}

/** The account's file with that public id. */
export async function findMedia(
  db: Db,
  accountId: string,
  publicId: string,
): Promise<ReadyMedia | undefined> {
  if (!isMediaId(publicId)) return undefined;
  const { rows } = await sql<ReadyMedia>`
    select * from media where account_id = ${accountId} and public_id = ${publicId} and state = ${state.ready}`.execute(
    db,
  );
  return rows[0];
}

/** The account's file with that row id, even during its removal: messages may still need it. */
export async function findMediaById(db: Db, accountId: string, id: string): Promise<MediaRow | undefined> {
  const { rows } = await sql<MediaRow>`
    select * from media where account_id = ${accountId} and id = ${id}`.execute(db);
  return rows[0];
}

/** The account's files, newest first, starting after `beforeId`. */
export async function listMedia(
  db: Db,
  accountId: string,
  window: { beforeId: string | undefined; limit: number },
): Promise<ReadyMedia[]> {
  const { rows } = await sql<ReadyMedia>`
    select * from media
    where account_id = ${accountId} and state = ${state.ready}
      and (${window.beforeId ?? null}::uuid is null or id < ${window.beforeId ?? null}::uuid)
    order by id desc limit ${window.limit}`.execute(db);
  return rows;
}

/** True if callers see the file. */
export const isReadyFile = (media: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`${media}.state = ${state.ready}`;

/** Public ids of an account's files. */
export interface FilesAsked {
  accountId: string;
  publicIds: readonly string[];
}

const isUseOld = sql<boolean>`used_at < now() - interval '1 day'`;

/**
 * Records that messages use these files, once a day: retention removes files that no message has used for long. A statement of its own,
 * before the one that stores the messages.
 */
export async function recordUse(db: Db | Tx, ids: readonly string[]): Promise<void> {
  await sql`
    update media m set used_at = now() from (
      select id from media where id = any (${arrayText(ids)}::uuid[]) and ${isUseOld} order by id for update) x
    where m.id = x.id`.execute(db);
}

/** Finds the files of many requests, whose messages use them; returns those of each that exist. */
export async function findReadyFiles(db: Db | Tx, asked: readonly FilesAsked[]): Promise<ReadyMedia[][]> {
  const names = asked.flatMap(({ accountId, publicIds }, no) =>
    publicIds.filter(isMediaId).map((publicId) => ({ accountId, publicId, no })),
  );
  const { rows } = await sql<ReadyMedia & { no: number; is_use_old: boolean }>`
    select x.no, ${isUseOld} as is_use_old, m.* from unnest(${arrayText(names.map((one) => one.accountId))}::uuid[], ${textArray(names.map((one) => one.publicId))}::text[],
      ${arrayText(names.map((one) => one.no))}::int[]) x(account_id, public_id, no)
    join media m on m.account_id = x.account_id and m.public_id = x.public_id and ${isReadyFile(sql`m`)}`.execute(
    db,
  );
  const found: ReadyMedia[][] = asked.map(() => []);
  for (const { no, is_use_old: _, ...file } of rows) found[no]?.push(file);
  const old = rows.filter((row) => row.is_use_old);
  if (old.length > 0)
    await recordUse(
      db,
      old.map(({ id }) => id),
    );
  return found;
}

/** Locks the account's files with those public ids against removal until `tx` has stored the messages that need them. */
export async function lockMediaShared(tx: Tx, accountId: string, publicIds: string[]): Promise<ReadyMedia[]> {
  const { rows } = await sql<ReadyMedia>`
    select * from media where account_id = ${accountId} and public_id = any(${publicIds.filter(isMediaId)}) and state = ${state.ready}
    order by id for share`.execute(tx);
  return rows;
}

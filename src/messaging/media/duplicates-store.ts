// Queries for earlier uploads of the same file.
import { sql } from 'kysely';
import type { Db, Tx } from '../../db/db.ts';
import { sqlConstants } from '../../db/sql-constants.ts';
import { mediaState } from './state.ts';
import type { ReadyMedia } from './store.ts';

const state = sqlConstants(mediaState);

/** Two uploads with these values are the same. */
export interface FileIdentity {
  accountId: string;
  sha256: Buffer;
  fileName: string;
  mimeType: string;
  /** The sender that the upload named, if any. */
  senderId?: string | undefined;
}

/** The newest ready file with this identity that is at most a day old, except the one with the id `but`. */
export async function findDuplicateFile(
  db: Db | Tx,
  file: FileIdentity,
  but: string | undefined,
): Promise<ReadyMedia | undefined> {
  const { rows } = await sql<ReadyMedia>`
    select * from media
    where account_id = ${file.accountId} and sha256 = ${file.sha256} and state = ${state.ready}
      and file_name = ${file.fileName} and mime_type = ${file.mimeType}
      and named_sender_id is not distinct from ${file.senderId?.toLowerCase() ?? null}::uuid
      and created_at > now() - interval '1 day' and id is distinct from ${but ?? null}::uuid
    order by id desc limit 1`.execute(db);
  return rows[0];
}

/** Locks the ready file with that id against removal until `tx` ends. */
export async function lockFileShared(tx: Tx, id: string): Promise<ReadyMedia | undefined> {
  const { rows } = await sql<ReadyMedia>`
    select * from media where id = ${id} and state = ${state.ready} for share`.execute(tx);
  return rows[0];
}

/** Serializes concurrent uploads of the same bytes until `tx` ends. */
export async function lockFileIdentity(tx: Tx, { accountId, sha256 }: FileIdentity): Promise<void> {
  const name = `${accountId} ${sha256.toString('hex')}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 5))`.execute(tx);
}

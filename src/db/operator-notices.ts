// Notices that the command "doctor" shows: what processes noticed about their environment, and the last rotation of the encryption key.
import { sql } from 'kysely';
import type { Db } from './db.ts';

/**
 * `untrusted_proxy`: requests came through a proxy that is not in TRUSTED_PROXIES. `key_rotation`: secrets were re-encrypted with the
 * newest key.
 */
export type NoticeSubject = 'untrusted_proxy' | 'key_rotation';

export interface Notice {
  detail: string;
  seenAt: Date;
}

/** Records a notice; only the latest one per subject is kept. */
export async function recordNotice(db: Db, subject: NoticeSubject, notice: Notice): Promise<void> {
  await sql`
    insert into operator_notices (subject, detail, seen_at) values (${subject}, ${notice.detail}, ${notice.seenAt})
    on conflict (subject) do update set detail = excluded.detail, seen_at = excluded.seen_at
    where operator_notices.seen_at < excluded.seen_at`.execute(db);
}

/** The latest notice of a subject, if it was seen at or after `since` (default: at any time). */
export async function findNotice(
  db: Db,
  subject: NoticeSubject,
  since = new Date(0),
): Promise<Notice | undefined> {
  const row = await db
    .selectFrom('operator_notices')
    .select(['detail', 'seen_at'])
    .where('subject', '=', subject)
    .where('seen_at', '>=', since)
    .executeTakeFirst();
  return row && { detail: row.detail, seenAt: row.seen_at };
}

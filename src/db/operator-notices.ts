// Notices of running processes about their environment, shown by the command "doctor".
import { sql } from 'kysely';
import type { Db } from './db.ts';

/** `untrusted_proxy`: requests came through a proxy that is not in TRUSTED_PROXIES. */
export type NoticeSubject = 'untrusted_proxy';

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

/** The latest notice of a subject, if it was seen at or after `since`. */
export async function findNotice(db: Db, subject: NoticeSubject, since: Date): Promise<Notice | undefined> {
  const row = await db
    .selectFrom('operator_notices')
    .select(['detail', 'seen_at'])
    .where('subject', '=', subject)
    .where('seen_at', '>=', since)
    .executeTakeFirst();
  return row && { detail: row.detail, seenAt: row.seen_at };
}

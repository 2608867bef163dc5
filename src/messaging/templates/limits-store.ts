// Table templates: the limits of the platform on a category of a business account.
import { sql } from 'kysely';
import type { Db } from '../../db/db.ts';

/** The wait for a limit of a category where the platform names no time. */
export const categoryWaitSeconds = 3_600;

/**
 * Lets the messages of all templates wait for `seconds` that have the category of this one, in its business account; those of a
 * template that was deleted in the meantime are left alone. Never shortens the wait, and writes only if it lasts a minute longer:
 * each message that the platform accepted before may report the limit.
 */
export async function limitCategory(
  db: Db,
  of: { accountId: string; businessAccountId: string; name: string; language: string },
  seconds: number,
): Promise<void> {
  await sql`
    update templates t set limited_until = now() + ${seconds} * interval '1 second'
    from (
      select x.id from templates m join templates x
        on x.account_id = m.account_id and x.business_account_id = m.business_account_id and upper(x.category) = upper(m.category)
      where m.account_id = ${of.accountId} and m.business_account_id = ${of.businessAccountId}
        and m.name = ${of.name} and m.language = ${of.language}
        and coalesce(x.limited_until < now() + ${seconds - 60} * interval '1 second', true)
      order by x.id for update of x) same
    where t.id = same.id`.execute(db);
}

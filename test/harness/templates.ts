// A template's row, for tests of statements that need one.
import { sql } from 'kysely';
import { uuidv7 } from '../../src/base/ids.ts';
import type { Db } from '../../src/db/db.ts';

/** Inserts an approved template; returns its id. */
export async function insertTemplate(db: Db, accountId: string): Promise<string> {
  const id = uuidv7();
  await sql`
    insert into templates (id, account_id, business_account_id, provider_template_id, name, language, category, status,
      provider_status, components)
    values (${id}, ${accountId}, '2', ${id}, ${id}, 'en', 'UTILITY', 'approved', 'APPROVED', '[]')`.execute(
    db,
  );
  return id;
}

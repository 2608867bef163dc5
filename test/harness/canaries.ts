// The search for known secrets in all tables of a database.
import { sql } from 'kysely';
import type { Db } from '../../src/db/db.ts';

/** Returns every table that contains a secret in plain text or bytes, with the secret's name. */
export async function tablesWith(db: Db, canaries: Record<string, string>): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public'`.execute(db);
  const found: string[] = [];
  for (const { name } of tables) {
    const { rows } = await sql<{ row: string }>`select t::text as row from ${sql.table(name)} t`.execute(db);
    // bytea values are cast to hex
    const text = rows.map(({ row }) => row).join('\n');
    for (const [what, secret] of Object.entries(canaries)) {
      const hex = Buffer.from(secret).toString('hex');
      if (text.includes(secret) || text.includes(hex)) found.push(`${name}: ${what}`);
    }
  }
  return found;
}

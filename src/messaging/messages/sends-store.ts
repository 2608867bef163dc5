// Table sends: lookups.
import { type Selectable, sql } from 'kysely';
import type { Db } from '../../db/db.ts';
import type { DB } from '../../db/schema.ts';

export type SendRow = Selectable<DB['sends']>;

/** Finds a send of the account. */
export async function findSend(db: Db, accountId: string, id: string): Promise<SendRow | undefined> {
  return db
    .selectFrom('sends')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** The template of a send, as it was named then. */
export interface SendName {
  template_name: string;
  language: string;
}

/** Finds the templates' names of these sends, by the ids of the sends. */
export async function findSendNames(
  db: Db,
  accountId: string,
  sendIds: readonly (string | null)[],
): Promise<Map<string, SendName>> {
  const { rows } = await sql<SendName & { id: string }>`
    select id, template_name, language from sends
    where account_id = ${accountId} and id = any(${[...new Set(sendIds.filter((id) => id !== null))]}::uuid[])`.execute(
    db,
  );
  return new Map(rows.map((row) => [row.id, row]));
}

export interface SendKey {
  accountId: string;
  sendId: string;
}

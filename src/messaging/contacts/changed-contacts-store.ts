// Table conversation_changes: contacts whose place in lists has to be written again.
import { type RawBuilder, sql } from 'kysely';
import { arrayText } from '../../db/array-text.ts';
import type { Tx } from '../../db/db.ts';
import type { ContactKey } from './contacts-store.ts';

/**
 * An insert of changed contacts, for a CTE of the statement that changes them. `rows` selects the account, the contact and, if all that changed is
 * that they wrote a message, its id, else null.
 */
export const insertChanged = (rows: RawBuilder<unknown>) =>
  sql`insert into conversation_changes (account_id, contact_id, last_id) ${rows}`;

/** Records changed contacts in the transaction that changes them. */
export async function recordChanged(tx: Tx, keys: readonly ContactKey[]): Promise<void> {
  const given = sql`select a, c, null::uuid from unnest(${arrayText(keys.map((key) => key.accountId))}::uuid[],
    ${arrayText(keys.map((key) => key.contactId))}::uuid[]) x(a, c)`;
  await sql`/* recordChanged */ ${insertChanged(given)}`.execute(tx);
}

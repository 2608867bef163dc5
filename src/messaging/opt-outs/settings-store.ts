// Tables opt_out_settings, and opt_outs for the automatic answers.
import { type RawBuilder, sql } from 'kysely';
import { arrayText } from '../../db/array-text.ts';
import type { Db, Tx } from '../../db/db.ts';
import type { ContactKey } from '../contacts/contacts-store.ts';
import type { OptOutSettings } from './words.ts';

/** A query of the settings of accounts, as a part of a statement; those without any are missing. */
export const settingsRows = (
  accountIds: readonly string[],
): RawBuilder<{ accountId: string; settings: OptOutSettings }> => sql`
  select account_id as "accountId", jsonb_build_object('stopWords', stop_words, 'startWords', start_words, 'buttonPayloads', button_payloads,
    'reply', jsonb_build_object('stop', reply_stop, 'start', reply_start)) as settings
  from opt_out_settings where account_id = any (${arrayText(accountIds)}::uuid[])`;

/** Finds the settings of accounts; those without any are missing. */
export async function findSettings(
  db: Db,
  accountIds: readonly string[],
): Promise<Map<string, OptOutSettings>> {
  const { rows } = await sql<{ accountId: string; settings: OptOutSettings }>`
    /* findOptOutSettings */ ${settingsRows(accountIds)}`.execute(db);
  return new Map(rows.map(({ accountId, settings }) => [accountId, settings]));
}

/** Replaces the settings of an account. */
export async function putSettings(
  db: Db | Tx,
  accountId: string,
  { stopWords, startWords, buttonPayloads, reply }: OptOutSettings,
): Promise<void> {
  await sql`
    insert into opt_out_settings (account_id, stop_words, start_words, button_payloads, reply_stop, reply_start)
    values (${accountId}, ${stopWords}::text[], ${startWords}::text[], ${buttonPayloads}::text[], ${reply.stop}, ${reply.start})
    on conflict (account_id) do update set stop_words = excluded.stop_words, start_words = excluded.start_words,
      button_payloads = excluded.button_payloads, reply_stop = excluded.reply_stop, reply_start = excluded.reply_start`.execute(
    db,
  );
}

/** Records that a person is answered now; false if they were answered within the last day. */
export async function claimAnswer(tx: Tx, { accountId, contactId }: ContactKey): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update opt_outs set answered_at = now() where account_id = ${accountId} and contact_id = ${contactId}
      and (answered_at is null or answered_at <= now() - interval '1 day')`.execute(tx);
  return numAffectedRows === 1n;
}

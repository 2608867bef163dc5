// Table opt_out_settings.
import { sql } from 'kysely';
import { arrayText } from '../../db/array-text.ts';
import type { Db } from '../../db/db.ts';
import type { OptOutSettings } from './words.ts';

/** Finds the settings of accounts; those without any are missing. */
export async function findSettings(
  db: Db,
  accountIds: readonly string[],
): Promise<Map<string, OptOutSettings>> {
  const { rows } = await sql<OptOutSettings & { accountId: string }>`
    /* findOptOutSettings */ select account_id as "accountId", stop_words as "stopWords", start_words as "startWords",
      button_payloads as "buttonPayloads"
    from opt_out_settings where account_id = any (${arrayText(accountIds)}::uuid[])`.execute(db);
  return new Map(rows.map(({ accountId, ...settings }) => [accountId, settings]));
}

/** Replaces the settings of an account. */
export async function putSettings(
  db: Db,
  accountId: string,
  { stopWords, startWords, buttonPayloads }: OptOutSettings,
): Promise<void> {
  await sql`
    insert into opt_out_settings (account_id, stop_words, start_words, button_payloads)
    values (${accountId}, ${stopWords}::text[], ${startWords}::text[], ${buttonPayloads}::text[])
    on conflict (account_id) do update set stop_words = excluded.stop_words, start_words = excluded.start_words,
      button_payloads = excluded.button_payloads`.execute(db);
}

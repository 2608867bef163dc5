// Rows that others refer to, for tests of statements: accounts, numbers, endpoints and templates.
import { sql } from 'kysely';
import { uuidv7 } from '../../src/base/ids.ts';
import type { Db } from '../../src/db/db.ts';

/** Inserts an account unless it is there; returns its id. */
export async function insertAccount(db: Db, id: string = uuidv7()): Promise<string> {
  await sql`insert into accounts (id, name) values (${id}, 'a') on conflict do nothing`.execute(db);
  return id;
}

export interface SenderRow {
  id?: string;
  businessAccountId?: string;
  isDefault?: boolean;
  haltedAt?: Date | undefined;
}

/** Inserts a number without secrets and without a pace; returns its id, which is the platform's id of it, too. */
export async function insertSender(db: Db, accountId: string, row: SenderRow = {}): Promise<string> {
  const { id = uuidv7(), businessAccountId = '2', isDefault = false, haltedAt } = row;
  await sql`
    insert into senders (id, account_id, name, phone_number_id, business_account_id, access_token, app_secret, verify_token,
      app_secret_hash, is_default, halted_at)
    values (${id}, ${accountId}, 's', ${id}, ${businessAccountId}, '', '', '', '', ${isDefault}, ${haltedAt ?? null})`.execute(
    db,
  );
  return id;
}

/** Inserts an active endpoint for these kinds of events, default `messages.status`; returns its id. */
export async function insertEndpoint(
  db: Db,
  accountId: string,
  { id = uuidv7(), events = ['messages.status'] }: { id?: string; events?: string[] } = {},
): Promise<string> {
  await sql`
    insert into endpoints (id, account_id, url, events, secret)
    values (${id}, ${accountId}, 'https://example.com/hook', ${events}::text[], '')`.execute(db);
  return id;
}

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

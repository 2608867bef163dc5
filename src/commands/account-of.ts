// The account of a command: the one that it names, or the only one.
import { listAccounts } from '../accounts/store.ts';
import type { Db } from '../db/db.ts';
import { CommandError } from './exit-codes.ts';

/**
 * Finds the account with that id, or the only one without an id. Throws if there is no such account, or several without an id; `choose` says how
 * to name one.
 */
export async function accountOf(
  db: Db,
  id: string | undefined,
  choose = 'Choose one with --account',
): Promise<{ id: string; name: string }> {
  const accounts = await listAccounts(db);
  const [only, another] = accounts;
  if (id === undefined && another)
    throw new CommandError('usage', `There are several accounts. ${choose}; "account list" shows all.`);
  const found = id === undefined ? only : accounts.find((one) => one.id === id);
  if (found) return found;
  throw new CommandError(
    'notFound',
    id === undefined
      ? 'There is no account yet. Create one with "account create".'
      : `There is no account ${id}. Run "account list" to see all accounts.`,
  );
}

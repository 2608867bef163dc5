// `dashboard-link`: creates a link with which somebody signs in to the dashboard, without an API key.
import { linkUrl } from '../accounts/link-url.ts';
import { createLink } from '../accounts/links.ts';
import { listAccounts } from '../accounts/store.ts';
import { systemClock } from '../base/clock.ts';
import { type Config, readConfig } from '../config.ts';
import { operatorScope, scopes } from '../contract/envelope.ts';
import type { Db } from '../db/db.ts';
import { onDatabase } from './database.ts';
import { CommandError } from './exit-codes.ts';
import { say } from './output.ts';

export interface DashboardLinkOptions {
  account?: string;
  operator?: boolean;
  name?: string;
  expiresInSeconds: number;
}

/** The account with that id, or the only one. Throws if there is no such account, or several without an id. */
export async function accountOf(db: Db, id: string | undefined): Promise<{ id: string; name: string }> {
  const accounts = await listAccounts(db);
  const [only, another] = accounts;
  const found = id === undefined ? only : accounts.find((one) => one.id === id);
  if (id === undefined && another) {
    throw new CommandError(
      'usage',
      'There are several accounts. Choose one with --account; "account list" shows all.',
    );
  }
  if (!found) {
    throw new CommandError(
      'notFound',
      id === undefined
        ? 'There is no account yet. Create one with "account create".'
        : `There is no account ${id}. Run "account list" to see all accounts.`,
    );
  }
  return found;
}

function addressOf({ publicUrl, port }: Config): string {
  if (publicUrl !== null) return publicUrl;
  if (port === 0)
    throw new CommandError(
      'settings',
      'PORT is 0, so the address of the gateway is unknown. Set PUBLIC_URL or PORT.',
    );
  return `http://127.0.0.1:${port}`;
}

/** Creates a link with every scope, and with `operator` if wanted, and prints its address. */
export async function dashboardLink(options: DashboardLinkOptions): Promise<object> {
  const address = addressOf(readConfig());
  return onDatabase(async ({ db }) => {
    const { id: accountId, name: accountName } = await accountOf(db, options.account);
    const link = await createLink(
      { db, clock: systemClock },
      {
        accountId,
        maker: 'operator',
        name: options.name ?? 'command line',
        scopes: [...scopes, ...(options.operator ? [operatorScope] : [])],
        expiresInSeconds: options.expiresInSeconds,
      },
    );
    const url = linkUrl(address, link.token);
    const expiresAt = link.expiresAt.toISOString();
    say(`${url}\nFor ${accountName}; valid once, until ${expiresAt}.`);
    return { url, accountId, expiresAt };
  });
}

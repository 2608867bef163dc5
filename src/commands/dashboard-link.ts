// `dashboard-link`: creates a link with which somebody signs in to the dashboard, without an API key.
import { linkUrl } from '../accounts/link-url.ts';
import { createLink } from '../accounts/links.ts';
import { systemClock } from '../base/clock.ts';
import { type Config, readConfig } from '../config.ts';
import { operatorScope, scopes } from '../contract/envelope.ts';
import { accountOf } from './account-of.ts';
import { onDatabase } from './database.ts';
import { CommandError } from './exit-codes.ts';
import { note, say } from './output.ts';

export interface DashboardLinkOptions {
  account?: string;
  operator?: boolean;
  name?: string;
  expiresInSeconds: number;
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
  const config = readConfig();
  const address = addressOf(config);
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
    if (config.publicUrl === null)
      note(
        'It works in a browser on this machine only. For others, set PUBLIC_URL to the address of the gateway.',
      );
    return { url, accountId, expiresAt };
  });
}

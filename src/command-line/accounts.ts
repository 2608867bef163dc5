// Commands for accounts, their keys, and signing in to the dashboard.
import type { Command } from 'commander';
import { CommandError } from '../commands/exit-codes.ts';
import { scopes } from '../contract/envelope.ts';
import { action, filledText, wholeNumber } from './run.ts';

const load = () => import('../commands/accounts.ts');

function scopesOf(list: string): string[] {
  const wanted = list.split(',').map((scope) => scope.trim());
  const unknown = wanted.filter((scope) => !(scopes as readonly string[]).includes(scope));
  if (unknown.length === 0) return wanted;
  throw new CommandError(
    'usage',
    `Unknown scope: ${unknown.join(', ')}. Allowed scopes: ${scopes.join(', ')}.`,
  );
}

/** Adds the commands. */
export function addAccountCommands(program: Command): void {
  const account = program.command('account').description('accounts of this gateway');
  account
    .command('create')
    .argument('<name>', 'name of the account')
    .description('create an account and its first API key')
    .action(action(async (name: string) => (await load()).accountCreate(name)));
  account
    .command('list')
    .description('list the accounts')
    .action(action(async () => (await load()).accountList()));

  const key = program.command('key').description('API keys of an account');
  key
    .command('create')
    .argument('[account-id]', 'see "account list"; not needed if there is only one')
    .requiredOption('--name <name>', 'what the key is for', filledText)
    .option('--scopes <scopes>', 'comma-separated', scopes.join(','))
    .description('create an API key')
    .action(
      action(async (accountId: string | undefined, options: { name: string; scopes: string }) =>
        (await load()).keyCreate(accountId, { name: options.name, scopes: scopesOf(options.scopes) }),
      ),
    );
  key
    .command('list')
    .argument('[account-id]', 'see "account list"; not needed if there is only one')
    .description('list active keys')
    .action(action(async (accountId: string | undefined) => (await load()).keyList(accountId)));
  key
    .command('revoke')
    .argument('<account-id>', 'see "account list"')
    .argument('<key-id>', 'see "key list"')
    .description('revoke a key: running gateways reject it within 5 seconds')
    .action(action(async (accountId: string, keyId: string) => (await load()).keyRevoke(accountId, keyId)));

  program
    .command('dashboard-link')
    .description('create a link to sign in to the dashboard with every scope of an account')
    .option('--account <id>', 'the account; not needed if there is only one')
    .option('--operator', 'also the scope operator, for pages about the gateway itself')
    .option('--name <name>', 'who the link is for', filledText)
    .option('--expires-in <seconds>', 'how long it is valid, from 60 to 86400', wholeNumber(60, 86_400), 600)
    .action(
      action(async (options: { account?: string; operator?: boolean; name?: string; expiresIn: number }) => {
        const { dashboardLink } = await import('../commands/dashboard-link.ts');
        return dashboardLink({ ...options, expiresInSeconds: options.expiresIn });
      }),
    );
}

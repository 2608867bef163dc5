#!/usr/bin/env node
// The command line: parses arguments, calls one function, and sets the exit code.
import { Command, InvalidArgumentError, Option } from 'commander';
import { actingAsOperator } from './audit/actor.ts';
import { loadEnvFile } from './config.ts';
import { scopes } from './contract/envelope.ts';

/** A failed command exits after this time, even if sockets or timers are still open. */
const endWithinMs = 2_000;

/** Prints the message without a stack: the operator needs to know what to do. */
function fail(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
  setTimeout(() => process.exit(), endWithinMs).unref();
}

const program = new Command('chatbot-gateway')
  .description('Message templates, appointment booking and signed status webhooks behind one HTTP API.')
  .showHelpAfterError()
  .addHelpText(
    'after',
    '\nSettings come from the environment, and from the file .env of the working directory: see .env.example.',
  )
  // before every command
  .hook('preAction', loadEnvFile);

program
  .command('start')
  .description('start the gateway')
  .option(
    '--sandbox',
    'simulate the messaging platform, calendars and a webhook receiver, with a demo account',
  )
  .option('--no-sandbox', 'for production: no sandbox, no demo account')
  .action(async (options: { sandbox?: boolean }) => {
    const { start } = await import('./commands/start.ts');
    await start({ sandbox: options.sandbox === true });
  });

program
  .command('migrate')
  .description('create the database if it does not exist, and run pending migrations')
  .action(async () => {
    const { onDatabase } = await import('./commands/database.ts');
    await onDatabase(async () => process.stdout.write('The database is up to date.\n'), 'migrate');
  });

const account = program.command('account').description('accounts of this gateway');
account
  .command('create')
  .argument('<name>', 'name of the account')
  .description('create an account and its first API key')
  .action(async (name: string) => (await import('./commands/accounts.ts')).accountCreate(name));
account
  .command('list')
  .description('list the accounts')
  .action(async () => (await import('./commands/accounts.ts')).accountList());

const key = program.command('key').description('API keys of an account');
key
  .command('create')
  .argument('<account-id>')
  .requiredOption('--name <name>', 'what the key is for')
  .option('--scopes <scopes>', 'comma-separated', scopes.join(','))
  .description('create an API key')
  .action(async (accountId: string, options: { name: string; scopes: string }) => {
    const wanted = options.scopes.split(',').map((scope) => scope.trim());
    const unknown = wanted.filter((scope) => !(scopes as readonly string[]).includes(scope));
    if (unknown.length > 0)
      throw new Error(`Unknown scope: ${unknown.join(', ')}. Allowed scopes: ${scopes.join(', ')}.`);
    await (await import('./commands/accounts.ts')).keyCreate(accountId, {
      name: options.name,
      scopes: wanted,
    });
  });
key
  .command('list')
  .argument('<account-id>')
  .description('list active keys')
  .action(async (accountId: string) => (await import('./commands/accounts.ts')).keyList(accountId));
key
  .command('revoke')
  .argument('<account-id>')
  .argument('<key-id>')
  .description('revoke a key: running gateways reject it within 5 seconds')
  .action(async (accountId: string, keyId: string) =>
    (await import('./commands/accounts.ts')).keyRevoke(accountId, keyId),
  );

program
  .command('dashboard-link')
  .description('create a link to sign in to the dashboard with every scope of an account')
  .option('--account <id>', 'the account; not needed if there is only one')
  .option('--operator', 'also the scope operator, for pages about the gateway itself')
  .option('--name <name>', 'who the link is for')
  .option('--expires-in <seconds>', 'how long it is valid, from 60 to 86400', '600')
  .action(async (options: { account?: string; operator?: boolean; name?: string; expiresIn: string }) => {
    const expiresInSeconds = Number(options.expiresIn);
    if (!Number.isInteger(expiresInSeconds) || expiresInSeconds < 60 || expiresInSeconds > 86_400)
      throw new Error('--expires-in must be a whole number of seconds from 60 to 86400.');
    const { dashboardLink } = await import('./commands/dashboard-link.ts');
    await dashboardLink({ ...options, expiresInSeconds });
  });

program
  .command('doctor')
  .description('check configuration and dependencies')
  .action(async () => {
    const { doctor } = await import('./commands/doctor.ts');
    if (!(await doctor())) process.exitCode = 1;
  });

/** A whole number from 1. */
function count(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new InvalidArgumentError('Use a whole number from 1.');
  return number;
}

program
  .command('backup')
  .argument('<target>', 'a file, a directory, or s3://bucket/prefix?region=…&endpoint=…')
  .description('back up the database and the stored files while the gateway runs')
  .option('--verify', 'read the whole backup back, without a database, and print what is in it')
  .option('--with-keys', 'also write the encryption keys; only with BACKUP_KEYS')
  .option('--keep <number>', 'delete older backups of the directory or bucket, all but this many', count)
  .action(async (target: string, options: { verify?: boolean; withKeys?: boolean; keep?: number }) => {
    const { backup } = await import('./commands/backup.ts');
    const { verify = false, withKeys = false, keep = null } = options;
    await backup(target, { verify, withKeys, keep });
  });

program
  .command('restore')
  .argument('<backup>', 'a backup: a file, or s3://bucket/prefix/name.tar?region=…&endpoint=…')
  .description('restore a backup into an empty database; the gateway is held until "release"')
  .option('--into-running-copy', 'for a staging copy: replace webhook addresses and tokens, revoke API keys')
  .action(async (from: string, { intoRunningCopy = false }: { intoRunningCopy?: boolean }) => {
    const { restoreCommand } = await import('./commands/restore.ts');
    await restoreCommand(from, { intoRunningCopy });
  });

program
  .command('release')
  .description('let a restored gateway send and book again')
  .addOption(
    new Option('--queued <fate>', 'what becomes of messages that were queued in the backup')
      .choices(['fail', 'send'])
      .default('fail'),
  )
  .option('--revoke-keys', 'revoke all API keys: some may have been revoked after the backup')
  .action(async ({ queued, revokeKeys = false }: { queued: 'fail' | 'send'; revokeKeys?: boolean }) => {
    const { release } = await import('./commands/release.ts');
    await release({ queued, revokeKeys });
  });

program
  .command('rotate-encryption-key')
  .description('rotate the encryption key and re-encrypt stored secrets')
  .option(
    '--no-new-key',
    'add no key: continue an interrupted rotation (with ENCRYPTION_KEYS, you always add keys yourself)',
  )
  .option('--gateways-have-key', 'every running gateway was started with the newest key')
  .action(async (options: { newKey: boolean; gatewaysHaveKey?: boolean }) => {
    const { rotateEncryptionKey } = await import('./commands/rotate-encryption-key.ts');
    const { newKey, gatewaysHaveKey = false } = options;
    if (!(await rotateEncryptionKey({ newKey, gatewaysHaveKey }))) process.exitCode = 1;
  });

await actingAsOperator(() => program.parseAsync()).catch(fail);

#!/usr/bin/env node
// The command line: reads arguments, calls one function, sets the exit code.
import { Command } from 'commander';
import { loadEnvFile } from './config.ts';
import { scopes } from './contract/envelope.ts';

/** So long may what a failed command still holds keep it from ending. */
const endWithinMs = 2_000;

/** What went wrong, without a stack: whoever typed the command needs to know what to do. */
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
    'play the messaging platform, Google and a webhook receiver, with a demonstration account',
  )
  .option('--no-sandbox', 'for real use: no sandbox, no demonstration account')
  .action(async (options: { sandbox?: boolean }) => {
    const { start } = await import('./commands/start.ts');
    await start({ sandbox: options.sandbox === true });
  });

program
  .command('migrate')
  .description('make the database where there is none, and run pending migrations')
  .action(async () => {
    const { onDatabase } = await import('./commands/database.ts');
    await onDatabase(
      async () => process.stdout.write('The database has the shape this program needs.\n'),
      'make',
    );
  });

const account = program.command('account').description('accounts of this gateway');
account
  .command('create')
  .argument('<name>', 'what the account is called')
  .description('make an account and its first API key')
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
  .option('--scopes <scopes>', 'by comma', scopes.join(','))
  .description('make an API key')
  .action(async (accountId: string, options: { name: string; scopes: string }) => {
    const wanted = options.scopes.split(',').map((scope) => scope.trim());
    const unknown = wanted.filter((scope) => !(scopes as readonly string[]).includes(scope));
    if (unknown.length > 0)
      throw new Error(`No such scope: ${unknown.join(', ')}. There are ${scopes.join(', ')}.`);
    await (await import('./commands/accounts.ts')).keyCreate(accountId, {
      name: options.name,
      scopes: wanted,
    });
  });
key
  .command('list')
  .argument('<account-id>')
  .description('list the living keys')
  .action(async (accountId: string) => (await import('./commands/accounts.ts')).keyList(accountId));
key
  .command('revoke')
  .argument('<account-id>')
  .argument('<key-id>')
  .description('revoke a key: gateways that run refuse it within 5 seconds')
  .action(async (accountId: string, keyId: string) =>
    (await import('./commands/accounts.ts')).keyRevoke(accountId, keyId),
  );

program
  .command('doctor')
  .description('look at everything the gateway needs and say what to mend')
  .action(async () => {
    const { doctor } = await import('./commands/doctor.ts');
    if (!(await doctor())) process.exitCode = 1;
  });

program
  .command('rotate-encryption-key')
  .description('put a new encryption key first and seal everything at rest with it')
  .option(
    '--no-new-key',
    'add no key: go on with a rotation that was cut off (with ENCRYPTION_KEYS the keys are always yours to add)',
  )
  .option('--gateways-have-key', 'every gateway that runs was started with the newest key')
  .action(async (options: { newKey: boolean; gatewaysHaveKey?: boolean }) => {
    const { rotateEncryptionKey } = await import('./commands/rotate-encryption-key.ts');
    const { newKey, gatewaysHaveKey = false } = options;
    if (!(await rotateEncryptionKey({ newKey, gatewaysHaveKey }))) process.exitCode = 1;
  });

await program.parseAsync().catch(fail);

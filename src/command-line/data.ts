// Commands for the data of a gateway: backups, restoring them, retention, and encryption keys.
import { type Command, Option } from 'commander';
import { action, wholeNumber } from './run.ts';

/** Adds the commands. */
export function addDataCommands(program: Command): void {
  program
    .command('backup')
    .argument('<target>', 'a directory, a file (.tar), or s3://bucket/prefix?region=…&endpoint=…')
    .description('back up the database and the stored files while the gateway runs')
    .option('--verify', 'read the whole backup back, without a database, and print what is in it')
    .option('--with-keys', 'also write the encryption keys; only with BACKUP_KEYS')
    .option(
      '--keep <number>',
      'delete older backups of the directory or bucket, all but this many',
      wholeNumber(1),
    )
    .action(
      action(async (target: string, options: { verify?: boolean; withKeys?: boolean; keep?: number }) => {
        const { backup } = await import('../commands/backup.ts');
        const { verify = false, withKeys = false, keep = null } = options;
        return backup(target, { verify, withKeys, keep });
      }),
    );

  program
    .command('restore')
    .argument('<backup>', 'a backup: a file, or s3://bucket/prefix/name.tar?region=…&endpoint=…')
    .description('restore a backup into an empty database; the gateway is held until "release"')
    .option(
      '--into-running-copy',
      'for a staging copy: replace webhook addresses and tokens, revoke API keys',
    )
    .action(
      action(async (from: string, { intoRunningCopy = false }: { intoRunningCopy?: boolean }) => {
        const { restoreCommand } = await import('../commands/restore.ts');
        return restoreCommand(from, { intoRunningCopy });
      }),
    );

  addReleaseCommand(program);
  addRetentionCommand(program);
  program
    .command('rotate-encryption-key')
    .description('rotate the encryption key and re-encrypt stored secrets')
    .option(
      '--no-new-key',
      'add no key: continue an interrupted rotation (with ENCRYPTION_KEYS, you always add keys yourself)',
    )
    .option('--gateways-have-key', 'every running gateway was started with the newest key')
    .action(
      action(async (options: { newKey: boolean; gatewaysHaveKey?: boolean }) => {
        const { rotateEncryptionKey } = await import('../commands/rotate-encryption-key.ts');
        const { newKey, gatewaysHaveKey = false } = options;
        return rotateEncryptionKey({ newKey, gatewaysHaveKey });
      }),
    );
}

function addReleaseCommand(program: Command): void {
  program
    .command('release')
    .description('let a restored gateway send and book again')
    .addOption(
      new Option('--queued <fate>', 'what becomes of messages that were queued in the backup')
        .choices(['fail', 'send'])
        .default('fail'),
    )
    .option('--revoke-keys', 'revoke all API keys: some may have been revoked after the backup')
    .option('--check', 'release nothing: only find bookings in calendars that the database does not have')
    .action(
      action(async (options: { queued: 'fail' | 'send'; revokeKeys?: boolean; check?: boolean }) => {
        const { release } = await import('../commands/release.ts');
        const { queued, revokeKeys = false, check = false } = options;
        return release({ queued, revokeKeys, check });
      }),
    );
}

function addRetentionCommand(program: Command): void {
  program
    .command('retention')
    .description('remove now what ended longer ago than RETENTION_DAYS_*, as a worker does every hour')
    .option('--dry-run', 'only count what would be removed')
    .action(
      action(async ({ dryRun = false }: { dryRun?: boolean }) => {
        const { retention } = await import('../commands/retention.ts');
        return retention({ dryRun });
      }),
    );
}

// Commands that start and check the gateway: `start`, `migrate`, `doctor`, `health`, `trace`.

import type { Command } from 'commander';
import { action } from './run.ts';

/** Adds the commands. */
export function addRunCommands(program: Command): void {
  program
    .command('start')
    .description('start the gateway')
    .option(
      '--sandbox',
      'simulate the messaging platform, calendars and a webhook receiver, with a demo account',
    )
    .option('--no-sandbox', 'for production: no sandbox, no demo account')
    .action(
      action(async (options: { sandbox?: boolean }) => {
        const { start } = await import('../commands/start.ts');
        await start({ sandbox: options.sandbox === true });
        return undefined;
      }),
    );

  program
    .command('migrate')
    .description('create the database if it does not exist, and run pending migrations')
    .option(
      '--contract',
      'also run the migrations that would break older versions, although these were seen in the last 24 hours',
    )
    .action(
      action(async ({ contract = false }: { contract?: boolean }) =>
        (await import('../commands/migrate.ts')).migrate({ contract }),
      ),
    );

  program
    .command('doctor')
    .description('check configuration and dependencies')
    .action(action(async () => (await import('../commands/doctor.ts')).doctor()));

  program
    .command('health')
    .description('ask the running gateway whether it is ready; for health checks')
    .action(action(async () => (await import('../commands/health.ts')).health()));

  program
    .command('trace')
    .argument('<id>', "the id of a message, send, booking or delivery, or the platform's id of a message")
    .description('print everything known of a message, send, booking or delivery in one timeline')
    .action(action(async (id: string) => (await import('../commands/trace.ts')).trace(id)));
}

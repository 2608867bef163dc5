// The commands, their options and their help.
import { Command } from 'commander';
import { version } from '../base/version.ts';
import { exitCodes, exitCodeTexts } from '../commands/exit-codes.ts';
import { useJson } from '../commands/output.ts';
import { loadEnvFile } from '../config.ts';
import { addAccountCommands } from './accounts.ts';
import { addCompletion } from './completion.ts';
import { addDataCommands } from './data.ts';
import { addMessagingCommands } from './messaging.ts';
import { addRunCommands } from './running.ts';

const helpWidth = 100;

const exitCodeHelp = Object.entries(exitCodes)
  .map(([name, code]) => `  ${String(code).padEnd(4)} ${exitCodeTexts[name as keyof typeof exitCodes]}`)
  .join('\n');

/** Builds the command line. It throws CommanderError instead of exiting. */
export function openProgram(): Command {
  const program = new Command('gateway')
    .description('Message templates, appointment booking and signed status webhooks behind one HTTP API.')
    .version(version, '--version', 'print the version')
    .option('--json', 'print the result as JSON: one document, or one line per result as they come')
    .helpOption('-h, --help', 'print this help')
    .configureHelp({ showGlobalOptions: true, helpWidth })
    .showHelpAfterError('Run the same command with --help to see what it takes.')
    .exitOverride()
    .addHelpText('after', ({ command }) =>
      command.parent
        ? ''
        : `
Settings come from the environment, and from the file .env of the working directory: see .env.example.

Exit codes:
${exitCodeHelp}`,
    )
    .on('option:json', useJson)
    // before every command
    .hook('preAction', loadEnvFile);
  addRunCommands(program);
  addAccountCommands(program);
  addMessagingCommands(program);
  addDataCommands(program);
  addCompletion(program);
  return program;
}

// Commands that call a running gateway: `sender`, `endpoint`, `send`, `listen`.
import { type Command, Option } from 'commander';
import type { AccountOption } from '../commands/call-gateway.ts';
import type { ListenOptions } from '../commands/listen.ts';
import type { SendOptions } from '../commands/send.ts';
import type { SenderAddOptions } from '../commands/senders.ts';
import { action, pairs, wholeNumber } from './run.ts';

const account = () => new Option('--account <id>', 'the account; not needed if there is only one');

/** Adds the commands. */
export function addMessagingCommands(program: Command): void {
  addSenders(program.command('sender').description('messaging numbers'));
  addEndpoints(program.command('endpoint').description('webhook endpoints'));

  program
    .command('send')
    .argument('<template>', 'name or id of an approved template')
    .description('send a template to one number, as a test')
    .requiredOption('--to <phone>', 'the number, with its country code')
    .addOption(
      new Option('--variable <key=value>', 'a value of the template, such as 1=Ada; repeatable')
        .argParser(pairs)
        .default({}, 'none'),
    )
    .option('--language <code>', 'if the template exists in several languages')
    .option('--sender <id>', 'the sending number; default: the default number')
    .option(
      '--wait <seconds>',
      'wait until the message is delivered or failed, at most this long',
      wholeNumber(0, 3_600),
      10,
    )
    .addOption(account())
    .action(
      action(async (template: string, options: SendOptions) =>
        (await import('../commands/send.ts')).send(template, options),
      ),
    );

  program
    .command('listen')
    .argument(
      '[address]',
      'where to forward them, such as http://localhost:3000/webhooks; default: only print',
    )
    .description('forward webhooks to a local address while it runs, for development')
    .option('--events <kinds>', 'comma-separated, or all', 'all')
    .option('--endpoint <id>', 'forward what this endpoint gets, instead of --events')
    .option('--secret-file <path>', 'the secret that signs them; created if it does not exist')
    .addOption(account())
    .action(
      action(async (address: string | undefined, options: ListenOptions) => {
        await (await import('../commands/listen.ts')).listen(address, options);
        return undefined;
      }),
    );
}

function addSenders(sender: Command): void {
  const load = () => import('../commands/senders.ts');
  const id = ['<sender-id>', 'see "sender list"'] as const;
  sender
    .command('list')
    .description('list the numbers')
    .addOption(account())
    .action(action(async (options: AccountOption) => (await load()).senderList(options)));
  sender
    .command('add')
    .description('connect a number and check it')
    .requiredOption('--name <name>', 'name of the number, for people')
    .requiredOption('--phone-number-id <id>', "the platform's id of the number")
    .requiredOption('--business-account-id <id>', "the platform's id of the business account")
    .requiredOption('--access-token-file <path>', 'file with the access token; - for standard input')
    .requiredOption('--app-secret-file <path>', "file with the platform app's secret; - for standard input")
    .option('--app-id <id>', "the platform's id of the app; default: the app of the token")
    .option('--pin-file <path>', 'file with a PIN: registers the number')
    .addOption(
      new Option('--webhook <how>', 'who enters the callback address at the platform').choices([
        'subscribe',
        'manual',
      ]),
    )
    .option('--default', 'use this number for sends that name none')
    .addOption(account())
    .action(action(async (options: SenderAddOptions) => (await load()).senderAdd(options)));
  sender
    .command('check')
    .argument(...id)
    .description('check a number now')
    .addOption(account())
    .action(action(async (of: string, options: AccountOption) => (await load()).senderCheck(of, options)));
  sender
    .command('subscribe')
    .argument(...id)
    .description('subscribe to the callbacks of a number again')
    .addOption(account())
    .action(
      action(async (of: string, options: AccountOption) => (await load()).senderSubscribe(of, options)),
    );
  sender
    .command('remove')
    .argument(...id)
    .description('remove a number')
    .option('--yes', 'required, so that nothing is removed by mistake')
    .addOption(account())
    .action(
      action(async (of: string, options: AccountOption & { yes?: boolean }) =>
        (await load()).senderRemove(of, options),
      ),
    );
}

function addEndpoints(endpoint: Command): void {
  const load = () => import('../commands/endpoints.ts');
  endpoint
    .command('list')
    .description('list the endpoints')
    .addOption(account())
    .action(action(async (options: AccountOption) => (await load()).endpointList(options)));
  endpoint
    .command('create')
    .argument('<url>', 'where webhooks are posted; https')
    .description('create an endpoint; prints its secret')
    .option('--events <kinds>', 'comma-separated, or all; default: messages.status')
    .option('--description <text>', 'for people')
    .option('--secret-file <path>', 'file with your own secret; - for standard input')
    .addOption(account())
    .action(
      action(
        async (
          url: string,
          options: AccountOption & { events?: string; description?: string; secretFile?: string },
        ) => (await load()).endpointCreate(url, options),
      ),
    );
  changeEndpoints(endpoint);
}

function changeEndpoints(endpoint: Command): void {
  const load = () => import('../commands/endpoints.ts');
  const id = ['<endpoint-id>', 'see "endpoint list"'] as const;
  endpoint
    .command('test')
    .argument(...id)
    .description("send a test event and print the receiver's response")
    .addOption(account())
    .action(action(async (of: string, options: AccountOption) => (await load()).endpointTest(of, options)));
  for (const [name, status, what] of [
    ['pause', 'paused', 'keep the events of an endpoint instead of delivering them'],
    ['resume', 'active', 'deliver again, also after the endpoint was disabled'],
  ] as const)
    endpoint
      .command(name)
      .argument(...id)
      .description(what)
      .addOption(account())
      .action(
        action(async (of: string, options: AccountOption) =>
          (await load()).endpointSetStatus(of, status, options),
        ),
      );
  endpoint
    .command('rotate-secret')
    .argument(...id)
    .description('create a new secret; prints it')
    .option('--overlap <seconds>', 'how long the old secret stays valid', wholeNumber(0, 2_592_000), 86_400)
    .addOption(account())
    .action(
      action(async (of: string, options: AccountOption & { overlap: number }) =>
        (await load()).endpointRotateSecret(of, options),
      ),
    );
  endpoint
    .command('remove')
    .argument(...id)
    .description('remove an endpoint; its pending webhooks become dead')
    .option('--yes', 'required, so that nothing is removed by mistake')
    .addOption(account())
    .action(
      action(async (of: string, options: AccountOption & { yes?: boolean }) =>
        (await load()).endpointRemove(of, options),
      ),
    );
}

// `sender`: connects, lists, checks and removes messaging numbers, through the API of a running gateway.
import type { ChatbotGateway, CheckedSender, SenderCheck } from '../../client/src/client.ts';
import { type AccountOption, callGateway } from './call-gateway.ts';
import { CommandError } from './exit-codes.ts';
import { say } from './output.ts';
import { readSecret } from './read-secret.ts';

export interface SenderAddOptions extends AccountOption {
  name: string;
  phoneNumberId: string;
  businessAccountId: string;
  accessTokenFile: string;
  appSecretFile: string;
  appId?: string;
  webhook?: 'subscribe' | 'manual';
  pinFile?: string;
  default?: boolean;
}

const call = <T>(
  command: string,
  { account }: AccountOption,
  work: (gateway: ChatbotGateway) => Promise<T>,
) => callGateway({ account, scopes: ['manage'], name: `sender ${command}` }, work);

const marks = { ok: 'ok     ', warning: 'warning', failed: 'FAIL   ', unknown: 'unknown' } as const;

function sayChecks(checks: readonly SenderCheck[]): void {
  for (const { name, status, detail, fix } of checks)
    say(`  ${marks[status]}  ${name}: ${detail}${fix === null ? '' : ` ${fix}`}`);
}

/** The checks, with `ok: false` if one failed. */
function checkedDocument(sender: { _id: string }, checks: readonly SenderCheck[]) {
  sayChecks(checks);
  return { senderId: sender._id, ok: checks.every(({ status }) => status !== 'failed'), checks };
}

/** Lists the numbers. */
export async function senderList(options: AccountOption): Promise<object> {
  return call('list', options, async (gateway) => {
    const senders = [];
    for await (const sender of gateway.listSenders()) senders.push(sender);
    for (const { _id, displayPhone, status, isDefault, name, haltedReason } of senders)
      say(
        `${_id}  ${displayPhone ?? '—'}  ${status}${isDefault ? '  default' : ''}  ${name}${haltedReason === null ? '' : `: ${haltedReason}`}`,
      );
    return { senders };
  });
}

/** Connects a number and prints its checks. */
export async function senderAdd(options: SenderAddOptions): Promise<{ ok: boolean }> {
  const accessToken = readSecret('--access-token-file', options.accessTokenFile);
  const appSecret = readSecret('--app-secret-file', options.appSecretFile);
  const pin = options.pinFile === undefined ? undefined : readSecret('--pin-file', options.pinFile);
  return call('add', options, async (gateway) => {
    const { checks, ...sender }: CheckedSender = await gateway.createSender({
      body: {
        name: options.name,
        phoneNumberId: options.phoneNumberId,
        businessAccountId: options.businessAccountId,
        accessToken,
        appSecret,
        ...(options.appId === undefined ? {} : { appId: options.appId }),
        ...(options.webhook === undefined ? {} : { webhook: options.webhook }),
        ...(pin === undefined ? {} : { pin }),
        ...(options.default ? { isDefault: true } : {}),
      },
    });
    say(`Connected ${sender.displayPhone ?? sender.phoneNumberId}: ${sender._id}`);
    say(`  callbacks  ${sender.callbackUrl}`);
    return { ...checkedDocument(sender, checks), sender };
  });
}

/** Runs the checks of a number now. */
export async function senderCheck(id: string, options: AccountOption): Promise<{ ok: boolean }> {
  return call('check', options, async (gateway) =>
    checkedDocument({ _id: id }, (await gateway.runSenderChecks({ id })).checks),
  );
}

/** Subscribes to the callbacks of a number again. */
export async function senderSubscribe(id: string, options: AccountOption): Promise<{ ok: boolean }> {
  return call('subscribe', options, async (gateway) =>
    checkedDocument({ _id: id }, (await gateway.subscribeSender({ id })).checks),
  );
}

/** Removes a number. */
export async function senderRemove(id: string, options: AccountOption & { yes?: boolean }): Promise<object> {
  if (!options.yes)
    throw new CommandError('usage', `Nothing was removed. Add --yes to remove the number ${id}.`);
  return call('remove', options, async (gateway) => {
    await gateway.deleteSender({ id });
    say(`Removed the number ${id}.`);
    return { senderId: id, removed: true };
  });
}

// The phones of recipients: what the simulated platform delivered, as it looks, and what their owners do.
import { invalidRequest } from '../base/errors.ts';
import type { Db } from '../db/db.ts';
import type { Caller } from '../http/request.ts';
import { showMessagesWithParts } from '../messaging/messages/show.ts';
import { findMessages } from '../messaging/messages/store.ts';
import { listSenders } from '../messaging/senders/store.ts';
import { type ControlDeps, callControl } from './control.ts';

export type PhonesDeps = ControlDeps & { db: Db };
type Reader = Pick<Caller, 'accountId' | 'scopes'>;

/** More senders than a sandbox has. */
const sendersMax = 100;

/** The account's senders, by the platform's id of their number: another account's messages are not shown. */
async function sendersByNumber({ db }: PhonesDeps, accountId: string): Promise<Map<string, string>> {
  const { rows } = await listSenders(db, accountId, { limit: sendersMax, offset: 0 });
  return new Map(rows.map((row) => [row.phone_number_id, row.id]));
}

/** Empties the phones of the account's messages. */
export async function clearPhones(deps: PhonesDeps, accountId: string): Promise<void> {
  const senders = await sendersByNumber(deps, accountId);
  await callControl(deps, 'cloudApi', ['DELETE', `phones?${queryOf(senders)}`]);
}

const queryOf = (senders: Map<string, string>): string =>
  new URLSearchParams({ numbers: [...senders.keys()].join() }).toString();

interface Phone {
  phone: string;
  lastAt: number;
  lastNumberId: string;
  messages: number;
}

/** The phones with messages of the account's numbers. */
export async function listPhones(deps: PhonesDeps, accountId: string) {
  const senders = await sendersByNumber(deps, accountId);
  const { phones } = await callControl<{ phones: Phone[] }>(deps, 'cloudApi', [
    'GET',
    `phones?${queryOf(senders)}`,
  ]);
  return phones.map(({ phone, lastAt, lastNumberId, messages }) => ({
    ...{ phone, messages, lastAt: new Date(lastAt).toISOString() },
    senderId: senders.get(lastNumberId) ?? '',
  }));
}

interface PhoneMessage {
  id: string;
  numberId: string;
  at: number;
  direction: 'arrived' | 'wrote';
  opaque?: string | null;
  isRead?: boolean;
  type: string;
  text?: string | null;
}

/** What a phone shows. The platform knows that a message arrived; what it says is read from the gateway. */
export async function readPhone(deps: PhonesDeps, caller: Reader, phone: string) {
  const senders = await sendersByNumber(deps, caller.accountId);
  const path = `phones/${phone}/messages?${queryOf(senders)}`;
  const { messages } = await callControl<{ messages: PhoneMessage[] }>(deps, 'cloudApi', ['GET', path]);
  const rows = await findMessages(
    deps.db,
    caller.accountId,
    messages.flatMap(({ opaque }) => opaque ?? []),
  );
  const shown = await showMessagesWithParts(deps.db, caller, rows);
  const byId = new Map(shown.map((one) => [one.id, one]));
  return messages.map((one) => {
    const own = byId.get(one.opaque ?? '');
    return {
      ...{ messageId: one.id, direction: one.direction, type: one.type },
      senderId: senders.get(one.numberId) ?? '',
      at: new Date(one.at).toISOString(),
      isRead: one.isRead ?? false,
      text: one.text ?? null,
      ...{
        id: own?.id ?? null,
        status: own?.status ?? null,
        parts: own?.parts ?? null,
        reply: own?.reply ?? null,
      },
    };
  });
}

export interface PhoneAct {
  text?: string | undefined;
  senderId?: string | undefined;
  press?:
    | {
        messageId: string;
        card?: number | undefined;
        button?: number | undefined;
        row?: string | undefined;
      }
    | undefined;
}

/**
 * Lets the owner of a phone write or press something; returns the platform's id of their message. Throws 400 for anything but one of
 * both, and 404 for a number or message that the account does not have.
 */
export async function actOnPhone(
  deps: PhonesDeps,
  accountId: string,
  phone: string,
  { text, senderId, press }: PhoneAct,
): Promise<string> {
  if ((text === undefined) === (press === undefined))
    throw invalidRequest([{ path: 'text', message: 'exactly one of `text` and `press` is required' }]);
  const senders = await sendersByNumber(deps, accountId);
  const body = press
    ? { press }
    : { text, numberId: await numberFor(deps, senders, { accountId, phone, senderId }) };
  // somebody else's message is not on this phone
  const numbers = [...senders.keys()];
  const path = `phones/${phone}/messages`;
  const { messages } = await callControl<{ messages: { id: string }[] }>(deps, 'cloudApi', ['POST', path], {
    ...body,
    numbers,
  });
  return messages[0]?.id ?? '';
}

/** The number that a person writes to: the given sender's, or that of the newest message on their phone. */
async function numberFor(
  deps: PhonesDeps,
  senders: Map<string, string>,
  { accountId, phone, senderId }: { accountId: string; phone: string; senderId: string | undefined },
): Promise<string> {
  const numberOf = (id: string | undefined) => [...senders].find(([, own]) => own === id)?.[0];
  const phones = senderId === undefined ? await listPhones(deps, accountId) : [];
  const number = numberOf(senderId ?? phones.find((one) => one.phone === phone)?.senderId);
  const [first] = senders.keys();
  if (number ?? (senderId === undefined && first)) return number ?? String(first);
  throw invalidRequest([{ path: 'senderId', message: 'is not a sender of this account' }]);
}

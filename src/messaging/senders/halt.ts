// Halting numbers: what the platform refuses for a number, a token or a business account holds the queues that it concerns.
import type { Log } from '../../base/log.ts';
import type { Db } from '../../db/db.ts';
import type { RejectionClass, SenderAccess } from '../../ports/platform.ts';
import { haltSender, listBusinessNumbers } from './store.ts';

export interface HaltDeps {
  db: Db;
  log: Log;
  /** What a call of a number needs, as it is now; only asked for where a token is concerned. */
  freshAccessOf?: (senderId: string) => Promise<SenderAccess | undefined>;
}

export type HaltClass = Extract<RejectionClass, `halt_${'sender' | 'token' | 'account'}`>;

const words: Record<HaltClass, string> = {
  halt_sender: 'this number',
  halt_token: 'the access token of this number',
  halt_account: 'the business account of this number',
};

/** True if a refusal of this class holds at least one whole number. */
export const isHalt = (kind: RejectionClass): kind is HaltClass => Object.hasOwn(words, kind);

/**
 * Halts the number that an error was met by, and with it, as the error's class says, the account's numbers of the same
 * business account, all of them or those that use the same token (`used`). Each keeps the reason of its first halt;
 * those changed since `takenAt` are left alone. Answers the ids of those halted now.
 */
export async function haltNumbers(
  deps: HaltDeps,
  of: {
    senderId: string;
    kind: HaltClass;
    error: { code: number; title: string; message: string };
    used?: SenderAccess | undefined;
    takenAt?: Date | null;
  },
): Promise<string[]> {
  const { kind, error } = of;
  const reason = `The platform refused ${words[kind]} (${error.code} ${error.title}): ${error.message}`;
  const halted: string[] = [];
  for (const id of await affectedNumbers(deps, of)) {
    if (await haltSender(deps.db, id, reason, error, of.takenAt ?? null)) halted.push(id);
  }
  for (const senderId of halted) deps.log.error({ senderId, kind, error }, 'sender.halted');
  return halted;
}

/** The number itself first: should anything fail after it, each other number meets the same error by itself. */
async function affectedNumbers(
  deps: HaltDeps,
  { senderId, kind, used }: { senderId: string; kind: HaltClass; used?: SenderAccess | undefined },
): Promise<string[]> {
  if (kind === 'halt_sender' || (kind === 'halt_token' && !used)) return [senderId];
  const others = (await listBusinessNumbers(deps.db, senderId)).filter((id) => id !== senderId);
  if (kind === 'halt_account') return [senderId, ...others];
  const sharing: string[] = [];
  for (const id of others) {
    const access = await deps.freshAccessOf?.(id);
    if (access?.credential === used?.credential && access?.apiUrl === used?.apiUrl) sharing.push(id);
  }
  return [senderId, ...sharing];
}

// The halt of senders whose number, credential or business account the platform rejects.
import type { Log } from '../../base/log.ts';
import type { Db } from '../../db/db.ts';
import type { MessagingPlatform, RejectionClass, SenderAccess } from '../../ports/platform.ts';
import { haltGrew, publishSenderChange, type SenderEventDeps, statusChange } from './status-events.ts';
import { haltSender, listBusinessSenders, type SenderHalt } from './store.ts';

export interface HaltDeps extends SenderEventDeps {
  db: Db;
  log: Log;
  platform: Pick<MessagingPlatform, 'isTemporary'>;
  /** Reads what a call of a sender needs; used only if a credential was rejected. */
  freshAccessOf?: (senderId: string) => Promise<SenderAccess | undefined>;
}

export type HaltClass = Extract<RejectionClass, `halt_${'sender' | 'templates' | 'token' | 'account'}`>;

const subjects: Record<HaltClass, string> = {
  halt_sender: 'this number',
  halt_templates: 'templates of this number',
  halt_token: 'the access token of this number',
  halt_account: 'the business account of this number',
};

const repliesContinue = ' Its replies continue.';
const continues = ' The checks of the number resume it once the platform lets it send again.';

/** True if a rejection of this class halts senders. */
export const isHalt = (kind: RejectionClass): kind is HaltClass => Object.hasOwn(subjects, kind);

/** What a rejection halts: a number whose reply was rejected cannot answer people either. */
export const haltOf = (kind: HaltClass, isReply: boolean): HaltClass =>
  kind === 'halt_templates' && isReply ? 'halt_sender' : kind;

/**
 * Halts the sender that got the error. Depending on its class, also halts the senders of the same business account, all
 * or those with the same credential (`used`). Skips senders that were changed after the time of the error (`asOf`). A
 * halted sender keeps its first reason, unless only its templates were halted and now everything is. Returns the ids of the senders halted now.
 */
export async function haltSenders(
  deps: HaltDeps,
  of: {
    senderId: string;
    kind: HaltClass;
    error: { code: number; title: string; message: string };
    used?: SenderAccess | undefined;
    asOf?: Date | null;
  },
): Promise<string[]> {
  const { kind, error } = of;
  const sparesReplies = kind === 'halt_templates';
  const reason = [
    `The platform rejected ${subjects[kind]} (${error.code} ${error.title}): ${error.message}`,
    sparesReplies ? repliesContinue : '',
    deps.platform.isTemporary(error) ? continues : '',
  ].join('');
  const halted: string[] = [];
  for (const id of await affectedSenders(deps, of)) {
    if (await haltOne(deps, id, { reason, error, sparesReplies, asOf: of.asOf ?? null })) halted.push(id);
  }
  for (const senderId of halted) deps.log.error({ senderId, kind, error }, 'sender.halted');
  return halted;
}

/** Halts a sender and reports it; false if it was halted already, or changed since. */
async function haltOne(deps: HaltDeps, id: string, halt: SenderHalt): Promise<boolean> {
  const leased = await deps.db.transaction().execute(async (tx) => {
    const row = await haltSender(tx, id, halt);
    return row && publishSenderChange(deps, tx, row, [row.was_halted ? haltGrew : statusChange('halted')]);
  });
  if (leased === undefined) return false;
  deps.deliveries.offer(leased);
  return true;
}

/** Finds the senders to halt, the rejected one first: if a later halt fails, the next call of that sender repeats it. */
async function affectedSenders(
  deps: HaltDeps,
  { senderId, kind, used }: { senderId: string; kind: HaltClass; used?: SenderAccess | undefined },
): Promise<string[]> {
  if (kind !== 'halt_account' && (kind !== 'halt_token' || !used)) return [senderId];
  const others = (await listBusinessSenders(deps.db, senderId)).filter((id) => id !== senderId);
  if (kind === 'halt_account') return [senderId, ...others];
  const sharing: string[] = [];
  for (const id of others) {
    const access = await deps.freshAccessOf?.(id);
    if (access?.credential === used?.credential && access?.apiUrl === used?.apiUrl) sharing.push(id);
  }
  return [senderId, ...sharing];
}

// One-time codes: masked in platform errors, and removed from messages that expired.
import { redactError } from '../../base/outgoing/secrets.ts';
import type { Db } from '../../db/db.ts';
import type { FilledTemplate } from '../../ports/platform.ts';
import { removeExpiredCodes, removeOldCodes } from '../messages/codes-store.ts';
import type { LeasedMessage } from '../messages/message.ts';
import { authenticationPriority } from '../messages/priority.ts';

/** The error of a call without the message's one-time code, which platforms and proxies may repeat in it. */
export function withoutCode(message: LeasedMessage, error: unknown): unknown {
  if (message.template_name === null) return error;
  return message.priority === authenticationPriority ? redactError(error, valuesOf(message.content)) : error;
}

function valuesOf({ header, body, buttons }: FilledTemplate): string[] {
  const texts = [...(header?.kind === 'text' ? header.values : []), ...body].map(({ text }) => text);
  return [...texts, ...buttons.map((button) => ('value' in button ? button.value : ''))].filter(
    (value) => value !== '',
  );
}

const expiredPerRound = 500;
/** The messages searched in one step: about 100 ms on cold pages. */
const searchedPerStep = 5_000;
/** The search pauses this many times as long as it took: it reads every queued code. */
const searchPauseFactor = 20;

/**
 * Opens the worker's round: removes expired codes, and step by step those that earlier versions left. The round returns how
 * many expired if there may be more, else 0.
 */
export function openCodeRemoval({ hot }: { hot: Db }): () => Promise<number> {
  let nextSearchAtMs = 0;
  let hasOld = true;

  async function removeExpired(): Promise<number> {
    const startedAtMs = performance.now();
    if (startedAtMs < nextSearchAtMs) return 0;
    const found = await removeExpiredCodes(hot, expiredPerRound);
    if (found === expiredPerRound) return found;
    const now = performance.now();
    nextSearchAtMs = now + searchPauseFactor * (now - startedAtMs);
    return 0;
  }

  return async () => {
    if (hasOld) hasOld = !(await removeOldCodes(hot, searchedPerStep));
    return removeExpired();
  };
}

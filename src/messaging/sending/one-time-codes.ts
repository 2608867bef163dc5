// One-time codes beyond their statements: cut out of vendors' errors, and removed at their expiry.
import { cutFromError } from '../../base/outgoing-secrets.ts';
import type { Db } from '../../db/db.ts';
import type { FilledTemplate } from '../../ports/platform.ts';
import { authenticationPriority } from './message.ts';
import { removeExpiredCodes, removeOldCodes } from './messages-codes-store.ts';

/** An error of the call of a message, without the code of an authentication message: platforms and proxies may repeat it. */
export function withoutCode(message: { priority: number; content: FilledTemplate }, error: unknown): unknown {
  return message.priority === authenticationPriority ? cutFromError(error, valuesOf(message.content)) : error;
}

function valuesOf({ header, body, buttons }: FilledTemplate): string[] {
  const texts = [...(header?.kind === 'text' ? header.values : []), ...body].map(({ text }) => text);
  return [...texts, ...buttons.map(({ value }) => value)].filter((value) => value !== '');
}

const expiredAtOnce = 500;
/** Some 100 ms a step on cold pages. */
const oldAtOnce = 5_000;
/** The search for expired ones rests this many times as long as it took: it reads all codes that wait. */
const searchShare = 20;

/**
 * Returns the worker's round: removes codes at their expiry, and, a step each round, those of messages that earlier versions
 * ended. Answers how many expired there were if more may wait, else 0.
 */
export function openCodeRemoval({ hot }: { hot: Db }): () => Promise<number> {
  let searchFrom = 0;
  let hasOld = true;

  async function removeExpired(): Promise<number> {
    const startedAt = performance.now();
    if (startedAt < searchFrom) return 0;
    const found = await removeExpiredCodes(hot, expiredAtOnce);
    if (found === expiredAtOnce) return found;
    const now = performance.now();
    searchFrom = now + searchShare * (now - startedAt);
    return 0;
  }

  return async () => {
    if (hasOld) hasOld = !(await removeOldCodes(hot, oldAtOnce));
    return removeExpired();
  };
}

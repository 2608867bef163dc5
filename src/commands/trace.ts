// `trace`: prints everything known of a message, send, booking or delivery, in one timeline.
import { type Trace, traceOf } from '../operator/trace.ts';
import { onDatabase } from './database.ts';
import { say } from './output.ts';

const shown = (details: Trace['facts']): string =>
  Object.entries(details)
    .filter(([, value]) => value !== null && value !== undefined)
    // an error of another system must not look like a line of the timeline
    .map(([name, value]) => `${name}=${String(value).replace(/[\r\n]+/g, ' ')}`)
    .join('  ');

/** Prints the timeline. Throws `not_found` for an unknown id. */
export async function trace(id: string): Promise<Trace> {
  const found = await onDatabase(({ db }) => traceOf(db, id));
  const { kind, accountId, account, facts, timeline } = found;
  say(`${kind} ${found.id} of ${account} (${accountId})`);
  say(`  ${shown(facts)}`);
  for (const { at, what, details } of timeline) say(`${at}  ${what}  ${shown(details)}`.trimEnd());
  return found;
}

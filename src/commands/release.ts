// `release`: ends the held state after a restore, decides what becomes of queued messages, and prints what the backup cannot know.
import { countKeys, revokeAllKeys } from '../accounts/release-store.ts';
import { findUnknownEvents, type UnknownEvents } from '../appointments/booking/unknown-events.ts';
import { openCipher } from '../base/cipher.ts';
import { systemClock } from '../base/clock.ts';
import { counted } from '../base/counted.ts';
import { openLog } from '../base/log.ts';
import { openOutgoing } from '../base/outgoing/outgoing.ts';
import { readConfig } from '../config.ts';
import { openDb } from '../db/db.ts';
import { endHeld, findHeldSince } from '../db/gateway-state.ts';
import { openKeyRing } from '../encryption-keys.ts';
import { releaseRestored } from '../messaging/campaigns/release-restored.ts';
import { openCompletionWaiters } from '../messaging/messages/completion-waiters.ts';
import type { OpenDatabase } from '../open-database.ts';
import { openCalendars } from '../parts.ts';
import { onDatabase } from './database.ts';
import { say } from './output.ts';

export interface ReleaseOptions {
  queued: 'fail' | 'send';
  revokeKeys: boolean;
  /** Only reads the calendars again, also after the release. */
  check: boolean;
}

const listedMax = 20;

/** Publishes to endpoints whose deliveries a running gateway claims. */
const deliveries = { offer: () => undefined, busyEndpoints: () => [], processId: 0 };

/**
 * Releases a held gateway. Running processes notice it within about two seconds. Throws if the gateway is not held. `check`: changes
 * nothing, and only prints the bookings that the database does not have.
 */
export async function release(options: ReleaseOptions): Promise<object> {
  const run = options.check ? checkCalendars : releaseHeld;
  return onDatabase((database) => run(database, options), 'use', 'error');
}

async function checkCalendars(database: OpenDatabase): Promise<object> {
  const unknown = await unknownEvents(database);
  printBookings(unknown);
  return { unknownBookings: unknown };
}

async function releaseHeld(database: OpenDatabase, options: ReleaseOptions): Promise<object> {
  const heldSince = await findHeldSince(database.db);
  if (heldSince === null) throw new Error('The gateway is not held. Only a restore holds it.');
  const unknown = await unknownEvents(database);
  const messages = await releaseMessages(database, heldSince, options.queued);
  const keys = await releaseKeys(database, options.revokeKeys);
  printUnknown(heldSince, unknown);
  await endHeld(database.db);
  say('Released. Running gateways send and book again within a few seconds.');
  return { heldSince: heldSince.toISOString(), ...messages, ...keys, unknownBookings: unknown };
}

async function releaseMessages({ db, connection }: OpenDatabase, heldSince: Date, queued: 'fail' | 'send') {
  const hot = openDb(connection, { maxConnections: 2, applicationName: 'gateway release', hot: true });
  try {
    const completions = openCompletionWaiters();
    const deps = { db, hot, clock: systemClock, completions, deliveries };
    const { failed, paused } = await releaseRestored(deps, { heldSince, queued });
    say(
      queued === 'fail'
        ? `${counted(failed, 'message that was queued', 'messages that were queued')} in the backup ended with 900006, as possibly sent since.`
        : 'Messages that were queued in the backup will be sent. Some of them may be sent a second time.',
    );
    if (paused > 0)
      say(
        `${counted(paused, 'marketing, scheduled or unfinished send is', 'marketing, scheduled or unfinished sends are')} paused. Resume or cancel each of them.`,
      );
    return { failedMessages: failed, pausedSends: paused };
  } finally {
    await hot.destroy();
  }
}

async function releaseKeys({ db }: OpenDatabase, revokes: boolean) {
  const now = new Date(systemClock.now());
  if (revokes) {
    const revokedKeys = await revokeAllKeys(db, now);
    say(`Revoked ${counted(revokedKeys, 'API key')}. Create new ones with "key create".`);
    return { revokedKeys };
  }
  const activeKeys = await countKeys(db, now);
  say(
    `${counted(activeKeys, 'API key is', 'API keys are')} active again, also those that were revoked after the backup: see "key list". Run this with --revoke-keys to revoke all.`,
  );
  return { activeKeys };
}

async function unknownEvents({ db }: OpenDatabase) {
  const config = readConfig();
  const guard = { allowCidrs: config.allowPrivateAddresses, httpsOnly: !config.allowHttpReceivers };
  const outgoing = openOutgoing({ connectionsPerOrigin: 4, keepAliveMs: 1_000 });
  const guarded = openOutgoing({ connectionsPerOrigin: 4, keepAliveMs: 1_000, guard });
  try {
    return await findUnknownEvents({
      ...{ db, deliveries, clock: systemClock, log: openLog('error') },
      cipher: openCipher(await openKeyRing(config, db)),
      calendars: openCalendars(config, { outgoing, guarded, clock: systemClock }),
    });
  } finally {
    await Promise.all([outgoing.close(), guarded.close()]);
  }
}

function printUnknown(heldSince: Date, unknown: UnknownEvents): void {
  // just after a restore, the stored time may lie ahead
  const until = new Date(Math.min(heldSince.getTime(), systemClock.now()));
  say(`What the backup cannot know, from before ${until.toISOString()}:`);
  say('  opt-outs     people who opted out after the backup: import them with POST /v1/opt-outs/import');
  say('  repeats      requests with an Idempotency-Key that ran after the backup run again if repeated');
  printBookings(unknown);
}

function printBookings({ events, unread, unreadStaffIds }: UnknownEvents): void {
  const inCalendars = events.length === 0 ? 'none was found in connected calendars' : `${events.length}:`;
  say(`  bookings     made after the backup: ${inCalendars}`);
  for (const { bookingId, staffId, start } of events.slice(0, listedMax))
    say(
      `    ${start === null ? 'unknown time' : new Date(start).toISOString()}  staff ${staffId}  booking ${bookingId}`,
    );
  if (events.length > listedMax) say(`    and ${events.length - listedMax} more`);
  if (unread === 0) return;
  const more = unread > listedMax ? ` and ${unread - listedMax} more` : '';
  say(
    `    ${counted(unread, 'calendar')} could not be read, of the staff ${unreadStaffIds.slice(0, listedMax).join(', ')}${more}. Read them later with "release --check".`,
  );
}

// The composition root: settings in, running parts out. The only file that names an adapter.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openAuthenticator } from './accounts/authenticate.ts';
import { caldavCalendar } from './adapters/caldav/calendar.ts';
import { openFilesystemStore } from './adapters/filesystem/object-store.ts';
import { googleCalendar } from './adapters/google/calendar.ts';
import { openMetaPlatform } from './adapters/meta/platform.ts';
import { followChanges } from './appointments/booking/follow.ts';
import { openBookingLanes } from './appointments/booking/lanes.ts';
import { settleDue } from './appointments/booking/settle.ts';
import { releaseBookings } from './appointments/booking/store.ts';
import { openBusyTimes } from './appointments/calendar/busy-times.ts';
import type { Calendars } from './appointments/calendar/connection.ts';
import { openReadDay } from './appointments/slots/readings.ts';
import { type KeyRing, openCipher } from './base/cipher.ts';
import { type Clock, systemClock } from './base/clock.ts';
import type { Log } from './base/log.ts';
import { openMetrics } from './base/metrics.ts';
import { type Outgoing, type OutgoingOptions, openOutgoing } from './base/outgoing.ts';
import { openRedis } from './base/redis.ts';
import type { Config } from './config.ts';
import { type Db, openDb } from './db/db.ts';
import { gatewayConnections } from './db/gateways.ts';
import { releaseKeysOf } from './db/idempotency-keys.ts';
import type { OpenDatabase } from './db/open-database.ts';
import { openProcessSession } from './db/process-session.ts';
import { checkDatabase } from './db/ready.ts';
import { openKeyRing } from './encryption-keys.ts';
import { listen } from './http/listen.ts';
import { ensureRegistered, forgetLost } from './messaging/media/register.ts';
import { removeLeftovers } from './messaging/media/remove.ts';
import { openVault } from './messaging/media/vault.ts';
import { wantReading } from './messaging/senders/readings-store.ts';
import { openAccessOf } from './messaging/senders/remembered.ts';
import { openApplyReports } from './messaging/sending/apply-statuses.ts';
import { openDispatcher } from './messaging/sending/dispatch.ts';
import { openOutcomes } from './messaging/sending/outcomes.ts';
import { doQueueChores } from './messaging/sending/queue-chores.ts';
import { openQueueLimit } from './messaging/sending/queue-limit.ts';
import { restartWaiting } from './messaging/sending/queue-store.ts';
import { syncDue } from './messaging/templates/readings.ts';
import { markTemplateRefused } from './messaging/templates/refuse.ts';
import type { ObjectStore } from './ports/object-store.ts';
import { buildServer } from './server.ts';
import { doWebhookChores } from './webhooks/chores/chores.ts';
import { releaseDeliveriesOf } from './webhooks/delivering/store.ts';
import { openDeliveryThread } from './webhooks/thread/client.ts';
import { releaseLeasesOfEnded } from './work/ended-processes.ts';
import { openReleases } from './work/releases.ts';
import { startWorkers, stopWorkers, type Workers } from './workers.ts';

export interface AppOptions {
  log: Log;
  /** Keys that somebody else keeps (tests); else the settings or the key file. */
  keyRing?: KeyRing;
}

/** The directory of stored files; undefined if they lie in a bucket. */
export function objectsFolder({ objectStoreUrl }: Config): string | undefined {
  if (objectStoreUrl.startsWith('s3:')) return undefined;
  return objectStoreUrl.startsWith('file://')
    ? fileURLToPath(objectStoreUrl)
    : objectStoreUrl.replace(/^file:/, '');
}

/** Where stored files are kept: a directory, or a bucket. */
export async function openObjects(
  config: Config,
  tools: { outgoing: Outgoing; clock: Clock },
): Promise<ObjectStore> {
  const directory = objectsFolder(config);
  if (directory === undefined) {
    // loaded only where it is used
    const [{ openS3Store }, { parseS3Address }] = await Promise.all([
      import('./adapters/s3/object-store.ts'),
      import('./adapters/s3/place.ts'),
    ]);
    return openS3Store({ place: parseS3Address(config.objectStoreUrl), ...tools });
  }
  return openFilesystemStore({ directory, clock: tools.clock });
}

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** What everything rests on: settings, database, keys, clocks, and the outside. */
async function openParts(config: Config, options: AppOptions, { connection, db }: OpenDatabase) {
  const { log } = options;
  const clock = systemClock;
  const processSession = await openProcessSession({ connection, log });
  const ring = options.keyRing ?? (await openKeyRing(config));
  const hot = openDb(connection, { maxConnections: 16, applicationName: gatewayConnections, hot: true });
  const outgoing = openOutgoing({ connectionsPerOrigin: 128, keepAliveMs: 30_000 });
  const webhookCalls: OutgoingOptions = {
    // bounded by the deliverer, for each endpoint: a limit for each host would let one hanging endpoint starve its neighbours
    connectionsPerOrigin: null,
    keepAliveMs: 30_000,
    guard: { allowCidrs: config.allowPrivateAddresses, httpsOnly: !config.allowHttpReceivers },
  };
  const webhookOutgoing = openOutgoing(webhookCalls);
  const { clientId, clientSecret, ...googleUrls } = config.google;
  const calendars: Calendars = { caldav: caldavCalendar({ outgoing: webhookOutgoing, clock }) };
  if (clientId !== null && clientSecret !== null) {
    calendars.google = googleCalendar({ clientId, clientSecret, ...googleUrls, outgoing, clock });
  }
  return {
    config,
    log,
    clock,
    db,
    hot,
    processSession,
    cipher: openCipher(ring),
    vault: openVault(),
    objects: await openObjects(config, { outgoing, clock }),
    outgoing,
    webhookOutgoing,
    platform: openMetaPlatform({
      outgoing,
      guardedOutgoing: webhookOutgoing,
      apiVersion: config.messaging.apiVersion,
    }),
    calendars,
    metrics: openMetrics(),
    outcomes: openOutcomes(),
    authenticator: openAuthenticator({ db, clock, log }),
    messagingApiUrl: config.messaging.apiUrl,
    meetingUrl: config.meetingUrl,
    webhookTimeoutMs: config.webhookTimeoutMs,
    sendWaitMs: config.sendWaitMs,
    rateLimitPerMinute: config.rateLimitPerMinute,
    corsOrigins: config.corsOrigins,
    role: config.role,
    checkQueue: openQueueLimit({ db, clock }),
    releases: openReleases({ clock, log }, (ids) => releaseKeysOf(db, ids)),
    bookingReleases: openReleases({ clock, log }, (ids) => releaseBookings(db, ids)),
    version,
    /** What the thread that delivers opens anew for itself. */
    forDeliveries: {
      connection,
      processId: processSession.id,
      keyRing: ring,
      outgoing: webhookCalls,
      webhookTimeoutMs: config.webhookTimeoutMs,
      logLevel: log.level,
    },
  };
}

/** What counts, remembers and waits in this process, and the doers that work with it. */
async function openDoers(parts: Awaited<ReturnType<typeof openParts>>) {
  const { metrics } = parts;
  const deliveries = await openDeliveryThread(
    { ...parts.forDeliveries, graceMs },
    {
      log: parts.log,
      onAttempts: (attempts) => {
        for (const [outcome, times] of Object.entries(attempts)) metrics.deliveries.inc({ outcome }, times);
      },
    },
  );
  const access = openAccessOf(parts);
  const dispatcher = openDispatcher({
    ...parts,
    deliveries,
    ...access,
    onOutcome: (outcome) => metrics.messages.inc({ outcome }),
    registeredMedia: (of) => ensureRegistered(parts, of),
    forgetMedia: (of) => forgetLost(parts, of),
    templateOutdated: async (message) => {
      const sender = await access.accessOf(message.sender_id);
      if (sender) await wantReading(parts.db, sender);
    },
    templateRefused: async (message, error) => {
      const sender = await access.accessOf(message.sender_id);
      if (!sender) return;
      const { template_name: name, language } = message;
      await markTemplateRefused({ ...parts, deliveries }, { ...sender, name, language }, error);
    },
  });
  return {
    deliveries,
    dispatcher,
    applyReports: openApplyReports({ ...parts, deliveries }),
    busyTimes: openBusyTimes(parts),
    readDay: openReadDay(parts),
    bookings: openBookingLanes({ ...parts, deliveries }),
  };
}

/** How long calls under way may take to end once the process is told to. */
const graceMs = 4_000;

export interface App {
  /** `http://HOST:PORT` of the server that listens, as this machine reaches it. */
  url: string;
  db: Db;
  clock: Clock;
  /** Stops taking requests and work, lets what is under way end, and closes everything. */
  close(): Promise<void>;
}

/**
 * Opens the gateway on an open database, which stays the caller's to close: everything wired, listening, and working
 * as its role says.
 */
export async function openApp(config: Config, database: OpenDatabase, options: AppOptions): Promise<App> {
  const parts = await openParts(config, options, database);
  const doers = await openDoers(parts);
  const redis = await openRedis(config.redisUrl, options.log);
  let workers: Workers | undefined;
  let url = '';
  const draining = false;
  const deps = {
    ...parts,
    ...doers,
    redis,
    readiness: {
      required: { database: () => checkDatabase(parts.db) },
      // only uploads, downloads and registrations need it
      optional: { objectStore: () => parts.objects.check() },
    },
    isDraining: () => draining,
    nudgeDispatch: () => workers?.dispatch.nudge(),
    nudgeQueue: () => workers?.queue.nudge(),
    nudgeSync: () => workers?.sync.nudge(),
    nudgeSettle: () => workers?.settle.nudge(),
    publicUrl: () => config.publicUrl ?? url,
  };
  const server = await buildServer(deps);
  let closed: Promise<void> | undefined;
  const close = async () => {
    parts.outcomes.end();
    const quiet = Promise.all([
      server.close(),
      workers && stopWorkers(workers),
      doers.dispatcher.stop(),
      doers.deliveries.stop(),
    ]);
    // what the outside does not answer by then is cut off: its rows say that it was under way
    await Promise.race([quiet, sleep(graceMs, undefined, { ref: false })]);
    server.server.closeAllConnections();
    await Promise.all([parts.outgoing.close(), parts.webhookOutgoing.close()]);
    await quiet;
    await Promise.all([parts.releases.stop(), parts.bookingReleases.stop()]);
    await parts.authenticator.flush();
    redis?.disconnect();
    await parts.processSession.close();
    await parts.hot.destroy();
  };
  try {
    if (config.role !== 'api') {
      await restartWaiting(parts.hot);
      // templates may have changed while nobody listened
      await wantReading(parts.db, null);
    }
    url = await listen(server, config);
  } catch (error) {
    await close();
    throw error;
  }
  if (config.role !== 'api') {
    doers.deliveries.onRoom(() => workers?.deliver.nudge());
    workers = startWorkers({
      ...parts,
      flushKeys: () => parts.authenticator.flush(),
      sweepObjects: () => parts.objects.sweep(),
      doers: {
        dispatch: () => doers.dispatcher.round(),
        queue: () => doQueueChores(deps),
        deliver: () => doers.deliveries.claimDue(),
        deliverChores: () => doWebhookChores(parts),
        settle: () => settleDue(deps),
        follow: () => followChanges(deps),
        register: () => removeLeftovers(parts),
        sync: () => syncDue(deps),
        releaseLeases: () => releaseLeasesOfEnded(parts, [releaseDeliveriesOf]),
      },
    });
  }
  return {
    url,
    db: parts.db,
    clock: parts.clock,
    close() {
      closed ??= close();
      return closed;
    },
  };
}

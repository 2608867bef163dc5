// The composition root: parts in, running program out.

import { openBookingSteps } from './appointments/booking/booking-steps.ts';
import { syncCalendars } from './appointments/booking/calendar-sync.ts';
import { reconcileDue } from './appointments/booking/reconcile.ts';
import { openBusyTimes } from './appointments/calendar/busy-times.ts';
import { openReadDay } from './appointments/slots/readings.ts';
import type { Clock } from './base/clock.ts';
import { openRedis } from './base/redis.ts';
import type { Config } from './config.ts';
import type { Db } from './db/db.ts';
import type { OpenDatabase } from './db/open-database.ts';
import { checkDatabase } from './db/ready.ts';
import { openEnding, within } from './http/draining.ts';
import { listen } from './http/listen.ts';
import { ensureRegistered, forgetRejectedRegistration } from './messaging/media/register.ts';
import { removeLeftovers } from './messaging/media/remove.ts';
import { openAccessCache } from './messaging/senders/access-cache.ts';
import { rehashAllSenders } from './messaging/senders/rehash.ts';
import { requestReading } from './messaging/senders/template-readings-store.ts';
import { openApplyReports } from './messaging/sending/apply-statuses.ts';
import { recordCallbackUptime } from './messaging/sending/callback-uptime-store.ts';
import { openDispatcher } from './messaging/sending/dispatcher.ts';
import { releaseMessagesOfProcesses } from './messaging/sending/messages-claims-store.ts';
import { openCodeRemoval } from './messaging/sending/one-time-codes.ts';
import { maintainQueue } from './messaging/sending/queue-maintenance.ts';
import { holdRejectedTemplate } from './messaging/templates/hold.ts';
import { syncDue } from './messaging/templates/sync-schedule.ts';
import { type AppOptions, openParts, type Parts } from './parts.ts';
import { buildServer } from './server.ts';
import { releaseDeliveriesOf } from './webhooks/delivery/store.ts';
import { openDeliveryThread } from './webhooks/delivery/thread/client.ts';
import { doWebhookChores } from './webhooks/maintenance/maintenance.ts';
import { releaseLeasesOfEnded } from './work/ended-processes.ts';
import type { Worker } from './work/worker.ts';
import { startClockWatch, startUptime, startWorkers, stopWorkers, type Workers } from './workers.ts';

/** What counts, remembers and waits in this process, and the workers that work with it. */
async function openDoers(parts: Parts) {
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
  const access = openAccessCache(parts);
  const dispatcher = openDispatcher({
    ...parts,
    deliveries,
    ...access,
    onOutcome: (outcome) => metrics.messages.inc({ outcome }),
    registeredMedia: (of) => ensureRegistered(parts, of),
    forgetMedia: (of) => forgetRejectedRegistration(parts, of),
    templateOutdated: async (message) => {
      const sender = await access.accessOf(message.sender_id);
      if (sender) await requestReading(parts.db, sender);
    },
    templateRefused: async (message, error) => {
      const sender = await access.accessOf(message.sender_id);
      if (!sender) return;
      const { template_name: name, language } = message;
      await holdRejectedTemplate({ ...parts, deliveries }, { ...sender, name, language }, error);
    },
  });
  return {
    deliveries,
    dispatcher,
    applyReports: openApplyReports({ ...parts, deliveries }),
    busyTimes: openBusyTimes({ ...parts, deliveries }),
    readDay: openReadDay(parts),
    bookings: openBookingSteps({ ...parts, deliveries }),
  };
}

/** How long calls under way may take to end once the process is told to. */
const graceMs = 4_000;

export interface App {
  /** `http://HOST:PORT` of the server that listens, as this machine reaches it. */
  url: string;
  db: Db;
  clock: Clock;
  /** Announces the end: for `ms` it is not ready and every answer ends its connection, but all that comes is served. */
  drain(ms: number): Promise<void>;
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
  let clockWatch: Worker | undefined;
  let uptime: Worker | undefined;
  let url = '';
  const ending = openEnding(graceMs);
  const deps = {
    ...parts,
    ...doers,
    redis,
    readiness: {
      required: { database: () => checkDatabase(parts.db) },
      // only uploads, downloads and registrations need it
      optional: { objectStore: () => parts.objects.check() },
    },
    isDraining: ending.isBegun,
    nudgeDispatch: () => workers?.dispatch.nudge(),
    nudgeQueue: () => workers?.queue.nudge(),
    nudgeSync: () => workers?.sync.nudge(),
    nudgeSettle: () => workers?.settle.nudge(),
    publicUrl: () => config.publicUrl ?? url,
  };
  const server = await buildServer(deps);
  let closed: Promise<void> | undefined;
  const close = async () => {
    ending.begin();
    parts.completions.end();
    const served = server.close();
    const quiet = Promise.all([
      workers && stopWorkers(workers),
      clockWatch?.stop(),
      uptime?.stop(),
      doers.dispatcher.stop(),
      doers.deliveries.stop(),
    ]);
    // what the outside does not answer by then is cut off: its rows say that it was under way
    await Promise.all([within(served, ending.requestsEndWithinMs()), within(quiet, graceMs)]);
    server.server.closeAllConnections();
    await Promise.all([parts.outgoing.close(), parts.webhookOutgoing.close()]);
    await Promise.all([served, quiet]);
    await Promise.all([parts.releases.stop(), parts.bookingReleases.stop()]);
    await parts.authenticator.flush();
    redis?.disconnect();
    await parts.processSession.close();
    await parts.hot.destroy();
  };
  try {
    await rehashAllSenders(parts);
    if (config.role !== 'api') {
      // templates may have changed while nobody listened
      await requestReading(parts.db, null);
    }
    url = await listen(server, config);
    clockWatch = startClockWatch(parts);
    if (config.role !== 'worker') {
      await recordCallbackUptime(parts.hot);
      uptime = startUptime(parts);
    }
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
        queue: () => maintainQueue(deps),
        removeCodes: openCodeRemoval(deps),
        deliver: () => doers.deliveries.claimDue(),
        deliverChores: () => doWebhookChores(parts),
        settle: () => reconcileDue(deps),
        follow: () => syncCalendars(deps),
        register: () => removeLeftovers(parts),
        sync: () => syncDue(deps),
        releaseLeases: () => releaseLeasesOfEnded(parts, [releaseMessagesOfProcesses, releaseDeliveriesOf]),
      },
    });
  }
  return {
    url,
    db: parts.db,
    clock: parts.clock,
    drain: ending.announce,
    close() {
      closed ??= close();
      return closed;
    },
  };
}

// The composition root: opens the program from its parts.
import { syncCalendars } from './appointments/booking/calendar-sync.ts';
import { reconcileDue } from './appointments/booking/reconcile.ts';
import { openAppointments } from './appointments/open-appointments.ts';
import type { Clock } from './base/clock.ts';
import { timed } from './base/metrics.ts';
import { openRedis } from './base/redis.ts';
import { reloadAfterEnd } from './changes/changes.ts';
import type { Config } from './config.ts';
import type { Db } from './db/db.ts';
import { checkDatabase } from './db/ready.ts';
import { notifyWork } from './db/wake-notifications.ts';
import { continueErasures } from './erasure/request.ts';
import { openShutdown, within } from './http/draining.ts';
import { openExports } from './http/exports.ts';
import { listen } from './http/listen.ts';
import { once } from './http/once.ts';
import { browserOrigins } from './http/session-cookie.ts';
import { feedSends } from './messaging/campaigns/feed.ts';
import { releaseSendsOf } from './messaging/campaigns/release-leases.ts';
import { foldConversations } from './messaging/conversations/fold.ts';
import { releaseMessagesOfProcesses } from './messaging/dispatch/claims-store.ts';
import { openDispatcher } from './messaging/dispatch/dispatcher.ts';
import { findTemplatesInUse } from './messaging/dispatch/holds-store.ts';
import { openCodeRemoval } from './messaging/dispatch/one-time-codes.ts';
import { maintainQueue } from './messaging/dispatch/queue-maintenance.ts';
import { ensureRegistered, forgetRejectedRegistration } from './messaging/media/register.ts';
import { removeLeftovers } from './messaging/media/remove.ts';
import { changeOptOuts } from './messaging/opt-outs/change.ts';
import { openRestoreErased } from './messaging/opt-outs/erased.ts';
import { type LinkRecipients, openLinkRecipients } from './messaging/opt-outs/link-recipients.ts';
import { optOutByError } from './messaging/opt-outs/opt-out.ts';
import { openApplyReceived } from './messaging/received/apply-received.ts';
import { resendReply } from './messaging/replies/resend-reply.ts';
import { openAccessCache } from './messaging/senders/access-cache.ts';
import { openCallbackApps } from './messaging/senders/callback-apps.ts';
import { openLastCallbacks } from './messaging/senders/last-callbacks.ts';
import { rehashAllSenders } from './messaging/senders/rehash.ts';
import { checkDue } from './messaging/senders/run-checks.ts';
import { requestReading } from './messaging/senders/template-readings-store.ts';
import type { ResendDeps } from './messaging/sending/resend.ts';
import { openSendSteps } from './messaging/sending/send-steps.ts';
import { openApplyReports } from './messaging/status-reports/apply-statuses.ts';
import { recordCallbackUptime } from './messaging/status-reports/callback-uptime-store.ts';
import { templateHolds } from './messaging/templates/hold.ts';
import { syncDue } from './messaging/templates/sync-schedule.ts';
import type { OpenDatabase } from './open-database.ts';
import { type AppOptions, openParts, type Parts } from './parts.ts';
import { openRetention } from './retention/retention.ts';
import { type BackupSchedule, openBackupSchedule } from './run-backup/schedule.ts';
import { buildServer } from './server.ts';
import { foldStatistics } from './statistics/fold.ts';
import { openListeners } from './stream/listeners.ts';
import { releaseDeliveriesOfProcesses, takeOverExpired } from './webhooks/delivery/take-over.ts';
import { type DeliveryThread, openDeliveryThread } from './webhooks/delivery/thread/client.ts';
import { maintainWebhooks } from './webhooks/maintenance/maintenance.ts';
import { announceOperational } from './webhooks/operational.ts';
import { openClockWatch } from './work/clock-watch.ts';
import { releaseLeasesOfEnded } from './work/ended-processes.ts';
import { watchHeld } from './work/held.ts';
import type { IdleLoop } from './work/idle-watch.ts';
import type { Worker } from './work/worker.ts';
import {
  startClockWatch,
  startIdleWatch,
  startUptime,
  startWorkers,
  stopWorkers,
  type WorkerRounds,
  type Workers,
} from './workers.ts';

/** Time for in-flight calls to end when the process stops. */
const graceMs = 4_000;

/** The dispatcher of one process, connected to the other modules. */
function openMessageDispatcher(
  parts: Parts & LinkRecipients & { deliveries: DeliveryThread; publicUrl: () => string },
) {
  const access = openAccessCache(parts);
  return openDispatcher({
    ...parts,
    ...access,
    onOutcome: (outcome, ms) => {
      parts.metrics.messages.inc({ outcome });
      if (ms !== undefined) parts.metrics.platformCalls.observe(ms / 1000);
    },
    registeredMedia: (of) => ensureRegistered(parts, of),
    forgetMedia: (of) => forgetRejectedRegistration(parts, of),
    templateOutdated: async (message) => {
      const sender = await access.accessOf(message.sender_id);
      if (sender) await requestReading(parts.db, sender);
    },
    recipientOptedOut: async ({ account_id: accountId, phone }, error) => {
      if (phone === null) return;
      const act = optOutByError(error.message, parts.clock.now());
      await changeOptOuts(parts, [{ accountId, person: { phone }, act }]);
    },
    ...templateHolds(parts, access.accessOf),
  });
}

/** Queues, caches and batches that requests and workers of one process share. */
function openShared(parts: Parts, publicUrl: () => string) {
  const { metrics } = parts;
  const deliveries = openDeliveryThread({ ...parts.forDeliveries, graceMs }, parts);
  const common = { deliveries, publicUrl, ...openLinkRecipients({ ...parts, deliveries }) };
  const dispatcher = openMessageDispatcher({ ...parts, ...common });
  metrics.watchQueue('messages', () => dispatcher.queued);
  metrics.watchQueue('deliveries', () => deliveries.queued);
  const callbackApps = openCallbackApps(parts);
  parts.processSession.onWork(callbackApps.clear);
  return {
    ...common,
    callbackApps,
    async announceNumber() {
      callbackApps.clear();
      await notifyWork(parts.db, parts.processId);
    },
    lastCallbacks: openLastCallbacks(parts),
    exports: openExports(),
    dispatcher,
    sendSteps: openSendSteps(parts),
    templatesInUse: findTemplatesInUse,
    restoreErased: openRestoreErased(parts),
    applyReports: openApplyReports({ ...parts, deliveries, publicUrl }),
    applyReceived: openApplyReceived({ ...parts, deliveries }),
    ...openAppointments({ ...parts, deliveries }),
  };
}

type Shared = ReturnType<typeof openShared>;

/** The loops of this process, depending on its role. */
interface Running {
  workers?: Workers;
  clockWatch?: Worker;
  uptime?: Worker;
  idleWatch?: Worker;
  backups?: BackupSchedule;
}

export interface App {
  /** The URL at which this machine reaches the server. */
  url: string;
  db: Db;
  clock: Clock;
  /** The cell that new keys name; null: none. */
  cell: string | null;
  /** Announces shutdown: for `ms`, readiness fails and responses close their connections, but every request is served. */
  drain(ms: number): Promise<void>;
  /** Stops accepting requests and work, waits for those in flight, and closes everything. */
  close(): Promise<void>;
}

/** Opens the gateway on an open database, which the caller closes. Listens, and runs workers depending on its role. */
export async function openApp(config: Config, database: OpenDatabase, options: AppOptions): Promise<App> {
  const parts = await openParts(config, options, database);
  let url = '';
  const shared = openShared(parts, () => config.publicUrl ?? url);
  const redis = await openRedis(config.redisUrl, options.log);
  const running: Running = {};
  // the port is known when the server listens
  const origins = once(() => browserOrigins(config.publicUrl, url));
  const shutdown = openShutdown(graceMs);
  const deps = {
    ...parts,
    ...shared,
    redis,
    readiness: {
      required: { database: () => checkDatabase(parts.db) },
      // only needed for uploads, downloads and registrations
      optional: { objectStore: () => parts.objects.check() },
    },
    isDraining: shutdown.isBegun,
    browserOrigins: origins,
    // never beside a real platform, whatever the caller says
    sandbox: options.sandbox?.cloudApiUrl === config.messaging.apiUrl ? options.sandbox : undefined,
    listeners: openListeners(parts, shutdown.isBegun),
    resendReply: (...of: Parameters<ResendDeps['resendReply']>) => resendReply(deps, ...of),
    nudgeDispatch: () => running.workers?.dispatch.nudge(),
    nudgeQueue: () => running.workers?.queue.nudge(),
    nudgeFeed: () => running.workers?.feed.nudge(),
    nudgeSync: () => running.workers?.templateSync.nudge(),
  };
  const server = await buildServer(deps);
  server.server.on('request', ({ method }) => {
    if (!readingMethods.has(method ?? '')) parts.activity.note();
  });
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= closeApp({ parts, shared, running, shutdown, server }).finally(() => redis?.disconnect());
    return closed;
  };
  try {
    await shared.deliveries.ready;
    await rehashAllSenders(parts);
    // templates may have changed while no process received callbacks
    if (config.role !== 'api') await requestReading(parts.db, null);
    url = await listen(server, config);
    const clockWatch = watchHeld(openClockWatch(parts), parts);
    running.clockWatch = startClockWatch(parts, clockWatch);
    const listens = config.role !== 'worker';
    const idle = { ...parts, listens, nudge: (loop: IdleLoop) => nudge(running, loop) };
    running.idleWatch = startIdleWatch(idle, clockWatch);
    if (listens) {
      await recordCallbackUptime(parts.hot);
      running.uptime = startUptime({ ...parts, flush: () => shared.lastCallbacks.flush() });
    }
  } catch (error) {
    await close();
    throw error;
  }
  // the others look more often while this process is connected
  parts.activity.note();
  if (config.role !== 'api') {
    shared.deliveries.onCapacity(() => running.workers?.deliver.nudge());
    running.backups = openBackupSchedule({ ...parts, ...parts.forDeliveries });
    running.workers = startWorkers({
      ...parts,
      backups: running.backups.round,
      retention: openRetention({ ...parts, days: config.retentionDays }),
      flushKeys: () => parts.authenticator.flush(),
      sweepObjects: () => parts.objects.sweep(),
      rounds: workerRounds(deps),
    });
  }
  return { url, db: parts.db, clock: parts.clock, cell: config.cell, drain: shutdown.announce, close };
}

/** Requests that create no work. */
const readingMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

function nudge(running: Running, loop: IdleLoop): void {
  if (loop === 'clock') running.clockWatch?.nudge();
  else running.workers?.[loop].nudge();
}

type RoundDeps = Parts & Shared & { isDraining(): boolean; nudgeDispatch(): void; nudgeQueue(): void };

/** One round of each worker. */
function workerRounds(deps: RoundDeps): WorkerRounds {
  const releases = [releaseDeliveriesOfProcesses, releaseMessagesOfProcesses, releaseSendsOf, reloadAfterEnd];
  return {
    dispatch: () => deps.dispatcher.round(),
    queue: () => maintainQueue(deps),
    feed: () => feedSends(deps),
    removeCodes: openCodeRemoval(deps),
    deliver: () => timed(deps.metrics.claims, { queue: 'deliveries' }, () => deps.deliveries.claimDue()),
    endpointMaintenance: async () => (await maintainWebhooks(deps)) + (await announceOperational(deps)),
    reconcile: () => reconcileDue(deps),
    calendarSync: () => syncCalendars(deps),
    mediaCleanup: () => removeLeftovers(deps),
    templateSync: () => syncDue(deps),
    senderChecks: () => checkDue(deps),
    erase: () => continueErasures(deps),
    foldStatistics: () => foldStatistics(deps),
    foldConversations: () => foldConversations(deps),
    releaseLeases: async () => (await releaseLeasesOfEnded(deps, releases)) + (await takeOverExpired(deps)),
  };
}

interface RunningApp {
  parts: Parts;
  shared: Shared;
  running: Running;
  shutdown: ReturnType<typeof openShutdown>;
  server: Awaited<ReturnType<typeof buildServer>>;
}

async function closeApp({ parts, shared, running, shutdown, server }: RunningApp): Promise<void> {
  shutdown.begin();
  parts.completions.end();
  const served = server.close();
  const finished = Promise.all([
    running.workers && stopWorkers(running.workers),
    running.clockWatch?.stop(),
    running.uptime?.stop(),
    running.idleWatch?.stop(),
    running.backups?.stop(),
    shared.dispatcher.stop(),
    shared.deliveries.stop(),
  ]);
  // after that, abort calls without a response; their rows record that they were in flight
  await Promise.all([within(served, shutdown.requestsEndWithinMs()), within(finished, graceMs)]);
  server.server.closeAllConnections();
  await Promise.all([parts.outgoing.close(), parts.webhookOutgoing.close()]);
  await Promise.all([served, finished]);
  await Promise.all([parts.releases.stop(), shared.bookingReleases.stop()]);
  await Promise.all([parts.changes.stop(), parts.authenticator.flush()]);
  await shared.lastCallbacks.flush();
  parts.metrics.process.stop();
  await parts.tracing?.close();
  await parts.processSession.close();
  await parts.hot.destroy();
}

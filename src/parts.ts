// The shared parts, opened from the settings: database, keys, clocks, adapters. The only file that imports adapters.
import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import { openAuthenticator } from './accounts/authenticate.ts';
import { caldavCalendar } from './adapters/caldav/calendar.ts';
import { openFilesystemStore } from './adapters/filesystem/object-store.ts';
import { googleCalendar } from './adapters/google/calendar.ts';
import { openMetaPlatform } from './adapters/meta/platform.ts';
import { traceCalendar } from './adapters/opentelemetry/traced-calendar.ts';
import { tracePlatform } from './adapters/opentelemetry/traced-platform.ts';
import type { Calendars } from './appointments/calendar/connection.ts';
import { type KeyRing, openCipher } from './base/cipher.ts';
import { type Clock, systemClock } from './base/clock.ts';
import { openKeyedHash } from './base/keyed-hash.ts';
import type { Log } from './base/log.ts';
import { type Metrics, openMetrics } from './base/metrics.ts';
import { measureOutgoing } from './base/outgoing/measured.ts';
import { type Outgoing, type OutgoingOptions, openOutgoing } from './base/outgoing/outgoing.ts';
import { rememberSecrets } from './base/remember-secrets.ts';
import { version } from './base/version.ts';
import { openChanges, reloadAfterStart } from './changes/changes.ts';
import type { Config } from './config.ts';
import { gatewayConnections, shareConnections } from './db/connections.ts';
import { findProblem } from './db/contract.ts';
import { type Connection, type Db, openDb, poolUsage } from './db/db.ts';
import { releaseKeysOf } from './db/idempotency-keys.ts';
import { openProcessSession, type ProcessSessionDeps } from './db/process-session.ts';
import { thisProgram } from './db/programs.ts';
import { notifyWork } from './db/wake-notifications.ts';
import { keyFinding, openKeyRing } from './encryption-keys.ts';
import { openFileEncryption } from './messaging/media/file-encryption.ts';
import { openKnownRegistrations } from './messaging/media/register.ts';
import { openCompletionWaiters } from './messaging/messages/completion-waiters.ts';
import { openQueueLimit } from './messaging/sending/queue-limit.ts';
import type { OpenDatabase } from './open-database.ts';
import { openFigures } from './operator/figures.ts';
import type { BackupStore } from './ports/backup-store.ts';
import type { Calendar } from './ports/calendar.ts';
import type { ObjectStore } from './ports/object-store.ts';
import type { MessagingPlatform } from './ports/platform.ts';
import type { Tracing } from './ports/tracing.ts';
import type { SandboxUrls } from './sandbox-access/control.ts';
import { openActivity } from './work/activity.ts';
import { openHeld } from './work/held.ts';
import { openReleases } from './work/releases.ts';

export interface AppOptions {
  log: Log;
  /** Overrides the keys of the settings or the key file, for tests. */
  keyRing?: KeyRing;
  /** Called when a later version has changed the database so that this process must end. */
  onOutdated?: () => void;
  /** The sandbox that this gateway runs; absent with a real platform. */
  sandbox?: SandboxUrls;
  /** Opens another messaging platform, for tests; default: the WhatsApp Cloud API. */
  openPlatform?: (ways: Record<'outgoing' | 'guardedOutgoing', Outgoing>) => MessagingPlatform;
}

/** The directory of stored files; undefined if they are in a bucket. */
export function objectsFolder({ objectStoreUrl }: Config): string | undefined {
  if (objectStoreUrl.startsWith('s3:')) return undefined;
  return objectStoreUrl.startsWith('file://')
    ? fileURLToPath(objectStoreUrl)
    : objectStoreUrl.replace(/^file:/, '');
}

/** Opens the store of files: a directory or a bucket. */
export async function openObjects(
  config: Config,
  tools: { outgoing: Outgoing; clock: Clock },
): Promise<ObjectStore> {
  const directory = objectsFolder(config);
  if (directory === undefined) {
    // loaded only if used
    const [{ openS3Store }, { parseS3Address }] = await Promise.all([
      import('./adapters/s3/object-store.ts'),
      import('./adapters/s3/location.ts'),
    ]);
    return openS3Store({ location: parseS3Address(config.objectStoreUrl), ...tools });
  }
  return openFilesystemStore({ directory, clock: tools.clock }).catch((error: Error) => {
    throw new Error(`${error.message} Set OBJECT_STORE_URL to a directory that this user may write.`, {
      cause: error,
    });
  });
}

/** Opens the configured calendar adapters. CalDAV servers are customers' addresses, so they are called through the guard. */
export function openCalendars(
  config: Config,
  { outgoing, guarded, clock }: { outgoing: Outgoing; guarded: Outgoing; clock: Clock },
): Calendars {
  const { clientId, clientSecret, ...googleUrls } = config.google;
  const calendars: Calendars = { caldav: caldavCalendar({ outgoing: guarded, clock }) };
  if (clientId !== null && clientSecret !== null)
    calendars.google = googleCalendar({ clientId, clientSecret, ...googleUrls, outgoing, clock });
  return calendars;
}

/** Opens a place of backups: a directory, or an `s3://` address. */
export async function openBackupStore(place: string, outgoing: Outgoing): Promise<BackupStore> {
  if (place.startsWith('s3:')) {
    const [{ openBackupBucket }, { parseS3Address }] = await Promise.all([
      import('./adapters/s3/backup-store.ts'),
      import('./adapters/s3/location.ts'),
    ]);
    return openBackupBucket({ location: parseS3Address(place), outgoing });
  }
  const { openBackupFolder } = await import('./adapters/filesystem/backup-store.ts');
  return openBackupFolder(place);
}

function webhookCallsOf(config: Config): OutgoingOptions {
  return {
    // the delivery queue limits each endpoint; a limit per host would let one hanging endpoint starve others
    connectionsPerOrigin: null,
    keepAliveMs: 30_000,
    guard: { allowCidrs: config.allowPrivateAddresses, httpsOnly: !config.allowHttpReceivers },
  };
}

type SessionDeps = Omit<ProcessSessionDeps, 'program'> &
  Pick<AppOptions, 'onOutdated'> & { log: Log; db: Db; clock: Clock };

/** Throws an OutdatedError if a later version has run migrations that this program cannot work with. */
async function rejectOutdated({ db }: SessionDeps): Promise<void> {
  const problem = await findProblem(db);
  if (problem !== undefined) throw new OutdatedError(problem);
}

class OutdatedError extends Error {}

function endOutdated({ log, onOutdated }: SessionDeps, error: unknown): void {
  if (!(error instanceof OutdatedError)) return;
  log.error({ reason: error.message }, 'process.outdated');
  onOutdated?.();
}

/** The session of this process, through which other processes wake it, and whether the gateway is held. */
async function openActiveSession(deps: SessionDeps) {
  const program = await thisProgram(version);
  const processSession = await openProcessSession({ ...deps, program });
  await rejectOutdated(deps).catch(async (error: unknown) => {
    await processSession.close();
    throw error;
  });
  // after a lost session, others may have taken this process for ended
  processSession.onWork(() => void rejectOutdated(deps).catch((error) => endOutdated(deps, error)));
  const activity = openActivity({ ...deps, announce: () => notifyWork(deps.db, processSession.id) });
  processSession.onWork(activity.wake);
  const changes = openChanges(deps);
  processSession.onListeners(changes.listen);
  await reloadAfterStart(deps.db, processSession.id);
  const held = await openHeld(deps);
  // after a lost session, the database may be another one: a restored backup
  processSession.onWork(() => void held.refresh(deps.db).catch(() => undefined));
  return { processSession, activity, changes, held, isHeld: held.isHeld, heldSince: held.heldSince };
}

/** Opens the connections of hot statements. */
function openHot(connection: Connection, maxConnections: number, { poolWaits, process }: Metrics): Db {
  const hot = openDb(connection, {
    maxConnections,
    applicationName: gatewayConnections,
    hot: true,
    onWait: (ms) => poolWaits.observe({ pool: 'hot' }, ms / 1000),
  });
  process.watchPool('hot', () => poolUsage(hot));
  return hot;
}

/** The metrics, with the figures of the database. */
function openMeasures({ role }: Config, db: Db) {
  const metrics = openMetrics();
  metrics.info.set({ version, role }, 1);
  metrics.process.watchPool('general', () => poolUsage(db));
  return { metrics, refreshFigures: openFigures({ db, registry: metrics.registry }) };
}

/** Traces, if a collector is configured. The SDK is loaded only then. */
async function openTracing({ tracesTo }: Config, processId: number): Promise<Tracing | undefined> {
  if (tracesTo === null) return undefined;
  const { openTelemetryTracing } = await import('./adapters/opentelemetry/tracing.ts');
  return openTelemetryTracing({ endpoint: tracesTo, version, instance: `${hostname()}/${processId}` });
}

/** The adapters of external systems, whose calls are measured, and the connections under them. */
async function openVendors(
  config: Config,
  { openPlatform }: AppOptions,
  { metrics, clock, tracing }: { metrics: Metrics; clock: Clock; tracing: Tracing | undefined },
) {
  const outgoing = openOutgoing({ connectionsPerOrigin: 160, keepAliveMs: 30_000 });
  const webhookOutgoing = openOutgoing(webhookCallsOf(config));
  const measured = (system: string, calls = outgoing) => measureOutgoing(calls, metrics.callsOf(system));
  const platformCalls = {
    outgoing: measured('platform'),
    guardedOutgoing: measured('platform', webhookOutgoing),
  };
  const { apiVersion } = config.messaging;
  const platform = openPlatform?.(platformCalls) ?? openMetaPlatform({ ...platformCalls, apiVersion });
  return {
    outgoing,
    webhookOutgoing,
    objects: await openObjects(config, { outgoing: measured('object_store'), clock }),
    platform: tracing ? tracePlatform(platform, tracing) : platform,
    calendars: openCalendars(config, {
      outgoing: measured('google'),
      guarded: measured('caldav', webhookOutgoing),
      clock,
    }),
  };
}

/** Opens the shared parts: settings, database, keys, clocks, and external systems. */
export async function openParts(config: Config, options: AppOptions, { connection, db }: OpenDatabase) {
  const clock = systemClock;
  const session = await openActiveSession({ ...options, connection, db, clock });
  return openBesides(session, config, options, { connection, db, clock }).catch(async (error: unknown) => {
    await session.processSession.close();
    throw error;
  });
}

/** Opens the other parts of a process with a session. */
async function openBesides(
  session: Awaited<ReturnType<typeof openActiveSession>>,
  config: Config,
  options: AppOptions,
  { connection, db, clock }: { connection: Connection; db: Db; clock: Clock },
) {
  const { log } = options;
  const ring = options.keyRing ?? (await openKeyRing(config, db));
  const shares = shareConnections(config.databaseConnections);
  const measures = openMeasures(config, db);
  const { metrics } = measures;
  const hot = openHot(connection, shares.hot, metrics);
  const tracing = await openTracing(config, session.processSession.id);
  return {
    config,
    log,
    clock,
    db,
    hot,
    ...session,
    processId: session.processSession.id,
    cipher: rememberSecrets(openCipher(ring), clock),
    keyedHash: openKeyedHash(ring),
    fileEncryption: openFileEncryption(),
    tracing,
    traceCalendar:
      tracing && ((calendar: Calendar, bookingId: string) => traceCalendar(calendar, bookingId, tracing)),
    ...(await openVendors(config, options, { metrics, clock, tracing })),
    ...measures,
    completions: openCompletionWaiters(),
    knownRegistrations: openKnownRegistrations(clock),
    authenticator: openAuthenticator({ db, clock, log }),
    messagingApiUrl: config.messaging.apiUrl,
    meetingUrl: config.meetingUrl,
    webhookTimeoutMs: config.webhookTimeoutMs,
    sendWaitMs: config.sendWaitMs,
    rateLimitPerMinute: config.rateLimitPerMinute,
    accountRateLimitPerMinute: config.accountRateLimitPerMinute,
    sessionRateLimitPerMinute: config.sessionRateLimitPerMinute,
    trustedProxies: config.trustedProxies,
    corsOrigins: config.corsOrigins,
    role: config.role,
    cell: config.cell,
    partitionBy: config.partitionBy,
    checkQueue: openQueueLimit({ db, clock }),
    releases: openReleases({ clock, log }, (ids) => releaseKeysOf(db, ids)),
    version,
    objectsFolder: objectsFolder(config),
    findKeys: (db: Db | undefined) => keyFinding(config, db, ring),
    /** Settings from which the delivery thread opens its own parts. */
    forDeliveries: {
      connection,
      maxConnections: shares.deliveries,
      processId: session.processSession.id,
      keyRing: ring,
      outgoing: webhookCallsOf(config),
      webhookTimeoutMs: config.webhookTimeoutMs,
      logLevel: log.level,
      isTraced: tracing !== undefined,
    },
  };
}

export type Parts = Awaited<ReturnType<typeof openParts>>;

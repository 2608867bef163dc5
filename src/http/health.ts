// Health and metrics routes: liveness, readiness and /metrics.
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, textOfError } from '../base/errors.ts';
import type { Metrics } from '../base/metrics.ts';
import { ok } from './reply.ts';
import type { Server } from './request.ts';

/** Checks a dependency; rejects with the reason if it does not work. */
type Check = () => Promise<void>;

export interface HealthDeps {
  metrics: Metrics;
  /** Updates the figures of the database that the metrics show. */
  refreshFigures: () => Promise<void>;
  /** Checks by name. A failed required one makes the process not ready; a failed optional one is listed as degraded. */
  readiness: { required: Record<string, Check>; optional: Record<string, Check> };
  /** Since when the gateway is held after a restore; null: it is not. */
  heldSince: () => Date | null;
  /** True after the stop signal: the process still serves requests but should get no new ones. */
  isDraining: () => boolean;
}

/** Timeout of one check. */
const checkMs = 2_000;
/** A result is reused for this long, so that many probes cost no more than one. */
const freshMs = 500;

/** GET /health/live, /health/ready and /metrics. */
export function healthRoutes(server: Server, deps: HealthDeps): void {
  server.get('/health/live', { schema: { hide: true } }, async () =>
    ok('The process is alive.', { status: 'live' }),
  );

  const probesOf = (checks: Record<string, Check>, required: boolean) =>
    Object.entries(checks).map(([name, check]) => ({ name, required, probe: openProbe(check) }));
  const { required, optional } = deps.readiness;
  const probes = [...probesOf(required, true), ...probesOf(optional, false)];
  server.get('/health/ready', { schema: { hide: true } }, async () => {
    if (deps.isDraining())
      throw new AppError('not_ready', 'Not ready: this process is stopping.', { retryAfterSeconds: 2 });
    const results = await Promise.all(probes.map(async (part) => ({ ...part, result: await part.probe() })));
    const checks = Object.fromEntries(results.map(({ name, result }) => [name, result]));
    const broken = results.filter(({ result }) => result !== 'ready');
    const missing = broken.filter((part) => part.required).map(({ name }) => name);
    const degraded = broken.filter((part) => !part.required).map(({ name }) => name);
    if (missing.length === 0) {
      const ready =
        degraded.length === 0 ? 'Ready.' : `Ready, except for requests that need: ${degraded.join(', ')}.`;
      const since = deps.heldSince();
      if (since === null) return ok(ready, { status: 'ready', checks, degraded });
      const heldSince = since.toISOString();
      const message = `${ready} ${heldText(heldSince)}`;
      return ok(message, { status: 'ready', checks, degraded, held: true, heldSince });
    }
    throw new AppError('not_ready', `Not ready: ${missing.join(', ')}.`, {
      extra: { checks },
      retryAfterSeconds: 2,
    });
  });

  server.get('/metrics', { schema: { hide: true } }, async (_request, reply) => {
    reply.type(deps.metrics.registry.contentType);
    await deps.refreshFigures();
    return deps.metrics.registry.metrics();
  });
}

/** What it means that the gateway is held, and what to do. */
const heldText = (since: string) =>
  `The gateway has been held since ${since}, after a restore: it neither sends nor books. Check what was restored, then run "release".`;

/** Returns a function that resolves with `ready` or the problem within 2 seconds. One check runs at a time. */
function openProbe(check: Check): () => Promise<string> {
  let running: Promise<string> | undefined;
  let last: { result: string; atMs: number } | undefined;

  async function run(): Promise<string> {
    const result = await check().then(() => 'ready', textOfError);
    last = { result, atMs: performance.now() };
    running = undefined;
    return result;
  }

  return async () => {
    if (last && performance.now() - last.atMs < freshMs) return last.result;
    running ??= run();
    const timer = new AbortController();
    const timeout = sleep(checkMs, `no response within ${checkMs / 1_000} seconds`, {
      signal: timer.signal,
      ref: false,
    }).catch(() => '');
    const result = await Promise.race([running, timeout]);
    timer.abort();
    return result;
  };
}

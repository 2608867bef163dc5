// Whether this process lives, whether it can take requests, and its figures.
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../base/errors.ts';
import type { Metrics } from '../base/metrics.ts';
import { ok } from './reply.ts';
import type { Server } from './request.ts';

/** A part's own check: rejects, saying why, when the part cannot work. */
type Check = () => Promise<void>;

export interface HealthDeps {
  metrics: Metrics;
  /** Each part by its name: without a required one no request can be taken; an optional one is listed as degraded. */
  readiness: { required: Record<string, Check>; optional: Record<string, Check> };
  /** True once the process was told to stop: it still answers, but should be sent nothing more. */
  isDraining: () => boolean;
}

/** How long one check may take. */
const checkMs = 2_000;
/** A result this young is answered again, so that probes of many cost the parts no more than those of one. */
const freshMs = 500;

/** GET /health/live, /health/ready and /metrics. */
export function healthRoutes(server: Server, deps: HealthDeps): void {
  server.get('/health/live', { schema: { hide: true } }, async () =>
    ok('The process answers.', { status: 'live' }),
  );

  const looksOf = (checks: Record<string, Check>, required: boolean) =>
    Object.entries(checks).map(([name, check]) => ({ name, required, look: openLook(check) }));
  const { required, optional } = deps.readiness;
  const looks = [...looksOf(required, true), ...looksOf(optional, false)];
  server.get('/health/ready', { schema: { hide: true } }, async () => {
    if (deps.isDraining())
      throw new AppError('not_ready', 'Not ready: this process is stopping.', { retryAfterSeconds: 2 });
    const results = await Promise.all(looks.map(async (part) => ({ ...part, word: await part.look() })));
    const checks = Object.fromEntries(results.map(({ name, word }) => [name, word]));
    const broken = results.filter(({ word }) => word !== 'ready');
    const missing = broken.filter((part) => part.required).map(({ name }) => name);
    const degraded = broken.filter((part) => !part.required).map(({ name }) => name);
    if (missing.length === 0) {
      const message =
        degraded.length === 0
          ? 'Everything needed is there.'
          : `Requests are taken, but not those that need: ${degraded.join(', ')}.`;
      return ok(message, { status: 'ready', checks, degraded });
    }
    throw new AppError('not_ready', `Not ready: ${missing.join(', ')}.`, {
      extra: { checks },
      retryAfterSeconds: 2,
    });
  });

  server.get('/metrics', { schema: { hide: true } }, async (_request, reply) => {
    reply.type(deps.metrics.registry.contentType);
    return deps.metrics.registry.metrics();
  });
}

/** A check as it is asked: `ready` or what is wrong, after 2 seconds at the latest. One runs at a time. */
function openLook(check: Check): () => Promise<string> {
  let running: Promise<string> | undefined;
  let last: { word: string; atMs: number } | undefined;

  async function run(): Promise<string> {
    const word = await check().then(
      () => 'ready',
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    last = { word, atMs: performance.now() };
    running = undefined;
    return word;
  }

  return async () => {
    if (last && performance.now() - last.atMs < freshMs) return last.word;
    running ??= run();
    const late = new AbortController();
    const tooLate = sleep(checkMs, `it did not answer within ${checkMs / 1_000} seconds`, {
      signal: late.signal,
      ref: false,
    }).catch(() => '');
    const word = await Promise.race([running, tooLate]);
    late.abort();
    return word;
  };
}

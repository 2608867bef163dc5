// The time limit of requests while the database does not answer: their callers get a 503, whatever the request waits for.
import type { FastifyReply } from 'fastify';
import { AppError } from '../base/errors.ts';
import { isStalled } from '../db/stalls.ts';
import type { Server } from './request.ts';

/** A commit that waits for a standby fails after 8 s; what waits for something else ends soon after. */
const requestMaxMs = 9_000;
const checkEveryMs = 250;

export interface RequestLimit {
  /** Resolves or rejects as `work` does; rejects earlier, with 503 `database_unavailable`, when the request is at its limit. */
  bound<T>(reply: FastifyReply, work: Promise<T>, waitsFor?: WaitsFor): Promise<T>;
}

/** What work may wait for: `body` is the caller's too, `database` only the database. */
type WaitsFor = 'body' | 'database';

interface Bounded {
  reply: FastifyReply;
  waitsFor: WaitsFor;
  fail(error: unknown): void;
}

interface Options {
  /** Whether the database leaves statements unanswered. */
  isStalled?: () => boolean;
  requestMaxMs?: number;
}

/** 503 for a request that the database did not answer in time. It may have been executed. */
export const databaseTooSlow = (cause?: unknown): AppError =>
  new AppError(
    'database_unavailable',
    'The database did not respond in time. Retry later, with the same Idempotency-Key if the request had one.',
    { retryAfterSeconds: 5, cause },
  );

/**
 * Bounds the handlers of all routes that are added later. Commits have a limit of their own, but a request may have several, or
 * wait for a connection, a lock or a batch behind them. Only while the database is stalled: a request that waits for a calendar, or
 * for a slow query, has other limits. Its work goes on, as when a caller disconnects. The server must have a log or an `onResponse`
 * hook, or Fastify measures no time.
 */
export function limitRequests(server: Server, options: Options = {}): RequestLimit {
  const { isStalled: isDatabaseStalled = isStalled, requestMaxMs: maxMs = requestMaxMs } = options;
  const running = new Set<Bounded>();
  const watch = setInterval(() => {
    if (running.size === 0 || !isDatabaseStalled()) return;
    for (const one of running) if (isOver(one, maxMs)) one.fail(databaseTooSlow());
  }, checkEveryMs);
  watch.unref();
  server.addHook('onClose', async () => clearInterval(watch));

  const bound: RequestLimit['bound'] = (reply, work, waitsFor = 'database') =>
    new Promise((resolve, reject) => {
      const one: Bounded = {
        reply,
        waitsFor,
        fail(error) {
          running.delete(one);
          // a response that the handler sends later goes nowhere
          reply.raw.once('finish', () => {
            reply.send = () => reply;
          });
          reject(error);
        },
      };
      running.add(one);
      work.then(
        (result) => {
          running.delete(one);
          resolve(result);
        },
        (error: unknown) => {
          running.delete(one);
          reject(error);
        },
      );
    });

  server.addHook('onRoute', (route) => {
    if (route.config?.isEndless) return;
    const { handler } = route;
    route.handler = function bounded(this: unknown, request, reply) {
      const result: unknown = handler.call(this as never, request, reply);
      return result instanceof Promise ? bound(reply, result, 'body') : result;
    };
  });
  return { bound };
}

/** Not while the caller still sends the request, or already gets its response. */
const isOver = ({ reply, waitsFor }: Bounded, maxMs: number): boolean =>
  reply.elapsedTime > maxMs &&
  !reply.raw.headersSent &&
  (waitsFor === 'database' || reply.request.raw.complete);

// Preload of a campaign's gateway: kills the process at the point it was given, and ends it with its parent.
import { flushCompileCache } from 'node:module';
import { isMainThread } from 'node:worker_threads';
import pg from 'pg';
import { Agent, type Dispatcher } from 'undici';
import { type Point, points, statementName } from './points.ts';

/** `NAME#N`: at the N-th pass of the point NAME; absent: never. */
const order = process.env.DIE_AT ?? '';
const [name = '', count = '1'] = order.split('#');
const point: Point | undefined = points.find((one) => one.name === name);
if (order !== '' && !point) throw new Error(`There is no point ${name}. Choose one of points.ts.`);
let left = Number(count);

/** Counts a pass; the last one is SIGKILL, after which not even a `finally` runs. */
function pass(): void {
  left -= 1;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
}

// loaded in each thread; the thread that delivers webhooks watches its own statements
if (isMainThread) {
  // when the campaign is killed, its end of this pipe closes, and no gateway is left behind
  process.stdin
    .on('end', () => process.kill(process.pid, 'SIGKILL'))
    .on('error', () => {})
    .resume();
  (process.stdin as unknown as { unref?: () => void }).unref?.();

  // a killed process writes no compile cache at its end, and the next ones would compile everything again
  if (process.env.NODE_COMPILE_CACHE) setTimeout(flushCompileCache, 1_000).unref();
}

if (point) {
  const { at } = point;
  if ('call' in at) watchCalls(at.call, at.when);
  else watchStatements(at);
}

// biome-ignore lint/suspicious/noExplicitAny: the overloads of pg, passed through
type Query = (...args: any[]) => any;

function watchStatements(at: Exclude<Point['at'], { call: unknown }>): void {
  const query = pg.Client.prototype.query as Query;
  /** Connections whose open transaction had the statement. */
  const inside = new WeakSet<object>();
  const isIt = (client: object, text: string): boolean => {
    if ('statement' in at) return statementName(text) === at.statement;
    if (statementName(text) === at.commitOf) inside.add(client);
    if (/^\s*(begin|rollback)/i.test(text)) inside.delete(client);
    return /^\s*commit/i.test(text) && inside.delete(client);
  };
  pg.Client.prototype.query = function (this: object, ...args: unknown[]) {
    const [first] = args;
    const text = typeof first === 'string' ? first : String((first as { text?: unknown } | null)?.text ?? '');
    const found = isIt(this, text);
    if (found && at.when === 'before') pass();
    const answer = query.apply(this, args);
    if (!found || at.when === 'before' || typeof answer?.then !== 'function') return answer;
    return answer.then((result: { rowCount: number | null }) => {
      // a claim that found nothing is not a step of the journey
      if ('commitOf' in at || (result.rowCount ?? 0) > 0) pass();
      return result;
    });
  } as never;
}

function watchCalls(to: 'platform' | 'receiver', when: 'before' | 'after'): void {
  const isIt = ({ method, path }: Dispatcher.DispatchOptions) =>
    method === 'POST' && (to === 'platform' ? path.endsWith('/messages') : path.startsWith('/hooks/'));
  const dispatch = Agent.prototype.dispatch;
  Agent.prototype.dispatch = function (options, handler) {
    if (!isIt(options)) return dispatch.call(this, options, handler);
    if (when === 'before') pass();
    else {
      const start = handler.onResponseStart?.bind(handler);
      handler.onResponseStart = (controller, status, headers, message) => {
        pass();
        start?.(controller, status, headers, message);
      };
    }
    return dispatch.call(this, options, handler);
  };
}

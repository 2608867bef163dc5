// Preload of a campaign's gateway: kills the process at a named point, or when its parent exits.
import { flushCompileCache } from 'node:module';
import { isMainThread } from 'node:worker_threads';
import pg from 'pg';
import { Agent, type Dispatcher } from 'undici';
import { commits, type Point, points, statementName } from './points.ts';

/** `NAME#N`: die when the point NAME is reached for the N-th time; absent: never. */
const order = process.env.DIE_AT ?? '';
const [name = '', count = '1'] = order.split('#');
const point: Point | undefined = points.find((one) => one.name === name);
if (order !== '' && !point) throw new Error(`There is no point ${name}. Choose one of points.ts.`);
let left = Number(count);

/** Counts how often the point was reached; the last time, SIGKILL ends the process before any `finally` runs. */
function countPass(): void {
  left -= 1;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
}

// loaded in each thread: the delivery thread watches its own statements
if (isMainThread) {
  // this pipe closes when the campaign is killed, so that no gateway outlives it
  process.stdin
    .on('end', () => process.kill(process.pid, 'SIGKILL'))
    .on('error', () => {})
    .resume();
  (process.stdin as unknown as { unref?: () => void }).unref?.();

  // a killed process does not write its compile cache at exit
  if (process.env.NODE_COMPILE_CACHE) setTimeout(flushCompileCache, 1_000).unref();
}

if (point) {
  const { at } = point;
  if ('call' in at) watchCalls(at.call, at.when);
  else watchStatements(at);
}

// biome-ignore lint/suspicious/noExplicitAny: the overloads of pg, passed through
type Query = (...args: any[]) => any;
/** Of one statement; of a group with `begin` or `commit`, there is one for each. */
type Result = { rowCount: number | null };

function watchStatements(at: Exclude<Point['at'], { call: unknown }>): void {
  const query = pg.Client.prototype.query as Query;
  const { bind } = pg.Connection.prototype as unknown as { bind: Query };
  /** Connections whose open transaction contains the statement. */
  const inside = new WeakSet<object>();
  const matches = (connection: object, text: string): boolean => {
    if ('statement' in at) return statementName(text) === at.statement;
    if (statementName(text) === at.commitOf) inside.add(connection);
    if (/^\s*(begin|rollback)/i.test(text)) inside.delete(connection);
    return commits(text) && inside.delete(connection);
  };
  // a hot transaction begins with its first statement, which is no call of its own
  Object.assign(pg.Connection.prototype, {
    bind(this: object, portal: { statement?: string }) {
      if (portal.statement === 'begin') inside.delete(this);
      return bind.call(this, portal);
    },
  });
  pg.Client.prototype.query = function (this: { connection: object }, ...args: unknown[]) {
    const [first] = args;
    const text = typeof first === 'string' ? first : String((first as { text?: unknown } | null)?.text ?? '');
    const found = matches(this.connection, text);
    if (found && at.when === 'before') countPass();
    const answer = query.apply(this, args);
    if (!found || at.when === 'before' || typeof answer?.then !== 'function') return answer;
    return answer.then((result: Result | Result[]) => {
      // a claim that found no rows does not count
      if ('commitOf' in at || [result].flat().some(({ rowCount }) => (rowCount ?? 0) > 0)) countPass();
      return result;
    });
  } as never;
}

function watchCalls(to: 'platform' | 'receiver', when: 'before' | 'after'): void {
  const matches = ({ method, path }: Dispatcher.DispatchOptions) =>
    method === 'POST' && (to === 'platform' ? path.endsWith('/messages') : path.startsWith('/hooks/'));
  const dispatch = Agent.prototype.dispatch;
  Agent.prototype.dispatch = function (options, handler) {
    if (!matches(options)) return dispatch.call(this, options, handler);
    if (when === 'before') countPass();
    else {
      const start = handler.onResponseStart?.bind(handler);
      handler.onResponseStart = (controller, status, headers, message) => {
        countPass();
        start?.(controller, status, headers, message);
      };
    }
    return dispatch.call(this, options, handler);
  };
}

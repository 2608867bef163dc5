// Preload: at the first statement that matches INTERRUPT_AT, a signal for this process, twice as under npm, and a statement that takes minutes instead.
import pg from 'pg';

const pattern = new RegExp(process.env.INTERRUPT_AT ?? '(?!)', 'i');
const signal = (process.env.INTERRUPT_BY ?? 'SIGINT') as NodeJS.Signals;
const long = 'select pg_sleep(600)';
let isOver = false;

const { query } = pg.Client.prototype;
// biome-ignore lint/suspicious/noExplicitAny: the overloads of pg, passed through
pg.Client.prototype.query = function interrupted(this: pg.Client, what: any, ...more: any[]): any {
  const pass = query as (...args: unknown[]) => unknown;
  const text: unknown = typeof what === 'string' ? what : what?.text;
  if (isOver || typeof text !== 'string' || !pattern.test(text)) return pass.call(this, what, ...more);
  isOver = true;
  process.kill(process.pid, signal);
  setTimeout(() => process.kill(process.pid, signal), 2);
  return pass.call(this, long);
} as typeof query;

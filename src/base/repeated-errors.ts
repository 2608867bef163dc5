// Faults that repeat: the first of a kind is logged whole, the others are counted and summed up once a minute.
import type { LogFn, Logger } from 'pino';

/** What summaries are written with, and how often. */
export interface RepeatedErrorsOptions {
  everyMs?: number;
}

interface Kind {
  msg: string;
  level: number;
  /** The error's name, code and message. */
  problem: { name: string; code?: unknown; message: string };
  /** Not logged since the last summary, and in all. */
  times: number;
  total: number;
  /** What else the lines said that were not logged: ids to begin looking with. */
  examples: object[];
}

const minuteMs = 60_000;
const warn = 40;
/** Kinds at a time; what is beyond is counted by its message alone. */
const kindsMax = 500;
const examplesMax = 5;

/**
 * Stands before a logger's write: lines of level warn or worse that carry an error (`err`) are the same fault if message,
 * `work`, the error's code and text (whatever its numbers and ids), and the place that threw it are the same. The first
 * one passes. `error.repeated` then says every minute how often it came again, and at the end that it ended: after a
 * minute without it the next one is logged whole again.
 */
export function openRepeatedErrors(logger: () => Logger, { everyMs = minuteMs }: RepeatedErrorsOptions = {}) {
  const kinds = new Map<string, Kind>();
  let timer: NodeJS.Timeout | undefined;

  function say(kind: Kind, ended: boolean): void {
    const { msg: of, problem, times, total, examples } = kind;
    const line = {
      of,
      problem,
      times,
      total,
      ...(ended ? { ended } : {}),
      ...(examples.length > 0 ? { examples } : {}),
    };
    // no `err`, so that it passes here
    if (kind.level > warn) logger().error(line, 'error.repeated');
    else logger().warn(line, 'error.repeated');
    kind.times = 0;
    kind.examples = [];
  }

  /** Says what was counted; forgets what has ended. */
  function sumUp(isEnd: boolean): void {
    for (const [key, kind] of kinds) {
      const ended = kind.times === 0;
      if (kind.times > 0 || (ended && kind.total > 0)) say(kind, ended || isEnd);
      if (ended) kinds.delete(key);
    }
    if (kinds.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  /** True if the line is to be written; else it was counted. */
  function passes(level: number, fields: unknown, msg: unknown): boolean {
    const error = fields instanceof Error ? fields : (fields as { err?: unknown } | null)?.err;
    if (level < warn || !(error instanceof Error)) return true;
    const { err: _err, ...others } = (fields instanceof Error ? {} : fields) as {
      err?: unknown;
      work?: unknown;
    };
    const text = String(msg ?? error.message);
    const whole = kinds.size < kindsMax;
    const key = whole ? [text, String(others.work ?? ''), ...signs(error)].join('\n') : text;
    const kind = kinds.get(key);
    if (kind) {
      kind.times += 1;
      kind.total += 1;
      if (kind.examples.length < examplesMax && Object.keys(others).length > 0) kind.examples.push(others);
      return false;
    }
    const { name, message } = error;
    const { code } = error as { code?: unknown };
    const problem = { name, ...(code === undefined ? {} : { code }), message };
    kinds.set(key, { msg: text, level, problem, times: 0, total: 0, examples: [] });
    timer ??= setInterval(() => sumUp(false), everyMs).unref();
    return true;
  }

  return {
    /** For pino's `hooks.logMethod`. */
    logMethod(this: Logger, args: Parameters<LogFn>, method: LogFn, level: number): void {
      if (passes(level, args[0], args[1])) method.apply(this, args);
    },
    /** Says what was counted since the last summary: the process ends. */
    flush: () => sumUp(true),
  };
}

/** What two errors of one kind have in common, their causes included. */
function signs(error: Error): string[] {
  const { code } = error as { code?: unknown };
  const own = [error.name, String(code ?? ''), withoutNumbers(error.message), placeOf(error)];
  return error.cause instanceof Error ? [...own, ...signs(error.cause)] : own;
}

/** A message without what changes from one time to the next: ids, counts, times. */
const withoutNumbers = (text: string) => text.replace(/[0-9a-f]{8}-[0-9a-f-]{27}|\d+/gi, '#').slice(0, 300);

/** The first line of ours in its stack, else the first one. */
function placeOf({ stack = '' }: Error): string {
  const lines = stack.split('\n').filter((line) => /^ {4}at /.test(line));
  return (lines.find((line) => line.includes('/src/')) ?? lines[0] ?? '').trim();
}

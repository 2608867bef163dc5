// Repeated errors in the log: the first of a kind is logged whole, the others are counted and summarized once a minute.
import type { LogFn, Logger } from 'pino';

/** How often summaries are written. */
export interface RepeatedErrorsOptions {
  everyMs?: number;
}

interface Kind {
  msg: string;
  level: number;
  /** The error's name, code and message. */
  problem: { name: string; code?: unknown; message: string };
  /** Occurrences not logged since the last summary, and in total. */
  times: number;
  total: number;
  /** Other fields of the lines that were not logged: ids for an investigation. */
  examples: object[];
}

const minuteMs = 60_000;
const warn = 40;
/** Maximum number of kinds; further errors are grouped by message only. */
const kindsMax = 500;
const examplesMax = 5;

/**
 * Filters log lines. Lines of level warn or above with an error (`err`) are of one kind if these are equal: message, `work`,
 * the error's code, its text without numbers and ids, and the code location that threw it. The first line of a kind passes.
 * Each minute, `error.repeated` reports how often it was repeated, and finally that it ended: after a minute without one.
 */
export function openRepeatedErrors(logger: () => Logger, { everyMs = minuteMs }: RepeatedErrorsOptions = {}) {
  const kinds = new Map<string, Kind>();
  let timer: NodeJS.Timeout | undefined;

  function report(kind: Kind, ended: boolean): void {
    const { msg: of, problem, times, total, examples } = kind;
    const line = {
      of,
      problem,
      times,
      total,
      ...(ended ? { ended } : {}),
      ...(examples.length > 0 ? { examples } : {}),
    };
    // no `err`: the filter lets it pass
    if (kind.level > warn) logger().error(line, 'error.repeated');
    else logger().warn(line, 'error.repeated');
    kind.times = 0;
    kind.examples = [];
  }

  /** Writes summaries and deletes the kinds that ended. */
  function summarize(isEnd: boolean): void {
    for (const [key, kind] of kinds) {
      const ended = kind.times === 0;
      if (kind.times > 0 || (ended && kind.total > 0)) report(kind, ended || isEnd);
      if (ended) kinds.delete(key);
    }
    if (kinds.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  /** True if the line must be written; otherwise counts it. */
  function passes(level: number, fields: unknown, msg: unknown): boolean {
    const error = fields instanceof Error ? fields : (fields as { err?: unknown } | null)?.err;
    if (level < warn || !(error instanceof Error)) return true;
    const { err: _err, ...others } = (fields instanceof Error ? {} : fields) as {
      err?: unknown;
      work?: unknown;
    };
    const text = String(msg ?? error.message);
    const whole = kinds.size < kindsMax;
    const key = whole ? [text, String(others.work ?? ''), ...signatureOf(error)].join('\n') : text;
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
    timer ??= setInterval(() => summarize(false), everyMs).unref();
    return true;
  }

  return {
    /** For pino's `hooks.logMethod`. */
    logMethod(this: Logger, args: Parameters<LogFn>, method: LogFn, level: number): void {
      if (passes(level, args[0], args[1])) method.apply(this, args);
    },
    /** Writes the last summaries, at the end of the process. */
    flush: () => summarize(true),
  };
}

/** The parts by which errors, including their causes, are compared. */
function signatureOf(error: Error): string[] {
  const { code } = error as { code?: unknown };
  const own = [error.name, String(code ?? ''), withoutNumbers(error.message), placeOf(error)];
  return error.cause instanceof Error ? [...own, ...signatureOf(error.cause)] : own;
}

/** A message without ids, counts and times. */
const withoutNumbers = (text: string) => text.replace(/[0-9a-f]{8}-[0-9a-f-]{27}|\d+/gi, '#').slice(0, 300);

/** The first line of the stack in our source, or else its first line. */
function placeOf({ stack = '' }: Error): string {
  const lines = stack.split('\n').filter((line) => /^ {4}at /.test(line));
  return (lines.find((line) => line.includes('/src/')) ?? lines[0] ?? '').trim();
}

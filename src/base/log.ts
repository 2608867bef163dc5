// Structured logs: one JSON line per event, with secrets redacted.
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { gatherLines } from './log-lines.ts';
import { openOutput } from './log-output.ts';
import { openRepeatedErrors, type RepeatedErrorsOptions } from './repeated-errors.ts';

export type Log = Logger;

/** Fields whose values are redacted, up to three levels deep in a logged object. */
const secretNames = [
  'authorization',
  'cookie',
  'accessToken',
  'refreshToken',
  'access_token',
  'refresh_token',
  'appSecret',
  'verifyToken',
  'secret',
  'password',
  'apiKey',
  'credential',
  'credentials',
  'x-api-key',
];

const redactedPaths = secretNames.flatMap((name) => {
  const member = /^\w+$/.test(name) ? `.${name}` : `["${name}"]`;
  const top = /^\w+$/.test(name) ? name : `["${name}"]`;
  return [top, `*${member}`, `*.*${member}`, `*.*.*${member}`];
});

/** An error as logged: without `config`, `request` and `response`, where vendor libraries keep tokens. */
function plainError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack, cause } = error;
  const code = (error as { code?: unknown }).code;
  return {
    name,
    message,
    stack,
    ...(code === undefined ? {} : { code }),
    ...(cause ? { cause: plainError(cause) } : {}),
  };
}

const flushes = new WeakMap<Logger, () => void>();

/**
 * Opens a logger that writes JSON lines to `destination`, by default standard output. A repeated error is written once and
 * then counted.
 */
export function openLog(
  level: string,
  destination?: DestinationStream,
  repeats: RepeatedErrorsOptions = {},
): Log {
  const problems = openRepeatedErrors(() => log, repeats);
  const options: LoggerOptions = {
    level,
    base: null,
    redact: { paths: redactedPaths, censor: '[secret]' },
    serializers: { err: plainError },
    hooks: { logMethod: problems.logMethod },
  };
  const output = destination ? undefined : standardOutput();
  const log: Log = pino(options, destination ?? output?.lines);
  flushes.set(log, () => {
    problems.flush();
    output?.flushNow();
  });
  return log;
}

/** Standard output, written asynchronously, because a slow reader of a pipe must not stop the process. */
function standardOutput() {
  const out = openOutput(1);
  const lines = gatherLines((text) => out.write(text));
  const flushNow = () => {
    lines.flush();
    out.flush();
  };
  process.once('exit', flushNow);
  return { lines, flushNow };
}

/** Writes the counts of repeated errors, and gathered lines. Call it before the process exits. */
export function flushLog(log: Log): void {
  flushes.get(log)?.();
}

// Structured logs: one wide line a fact, with everything secret taken out.
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { openRepeatedErrors, type RepeatedErrorsOptions } from './repeated-errors.ts';

export type Log = Logger;

/** Members whose values never reach a log, wherever they stand in a logged object. */
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

/** An error as the log keeps it: without its `config`, `request` or `response`, where vendor libraries keep tokens. */
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
 * A logger at `level` writing JSON lines to `destination` (standard output by default). A fault that repeats is written
 * once and then counted.
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
  const log: Log = destination ? pino(options, destination) : pino(options);
  flushes.set(log, problems.flush);
  return log;
}

/** Writes what a log from `openLog` has counted and not yet said; call it before the process ends. */
export function flushLog(log: Log): void {
  flushes.get(log)?.();
}

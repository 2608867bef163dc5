// The exit codes of the command line, and which error leads to which.
import { GatewayConnectionError, GatewayError } from '../../client/src/errors.ts';
import { AppError } from '../base/errors.ts';
import { ConfigError } from '../config.ts';

export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  settings: 3,
  unavailable: 4,
  notFound: 5,
  rejected: 6,
  interrupted: 130,
} as const;

/** What each code means, for people. */
export const exitCodeTexts: Record<keyof typeof exitCodes, string> = {
  done: 'done',
  failed: 'failed, or a check found a problem',
  usage: 'unknown command or option, or a wrong value',
  settings: 'wrong settings in the environment or the file .env',
  unavailable: 'the database or the gateway cannot be reached; try again later',
  notFound: 'the account, key or other object does not exist',
  rejected: 'the gateway rejected the request',
  interrupted: 'interrupted by Ctrl-C',
};

export type ExitReason = keyof typeof exitCodes;

/** An error of a command with its exit code. */
export class CommandError extends Error {
  readonly reason: ExitReason;

  constructor(reason: ExitReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CommandError';
    this.reason = reason;
  }
}

const isNotFound = (code: string) => code.endsWith('_not_found') || code === 'not_found';
const unavailableFrom = 500;

/** Why a command failed. */
export function exitReasonOf(error: unknown): ExitReason {
  if (error instanceof CommandError) return error.reason;
  if (error instanceof ConfigError) return 'settings';
  if (error instanceof AppError) return isNotFound(error.code) ? 'notFound' : 'rejected';
  if (error instanceof GatewayConnectionError) return 'unavailable';
  if (!(error instanceof GatewayError)) return 'failed';
  if (error.status >= unavailableFrom || error.status === 429) return 'unavailable';
  return isNotFound(error.code) ? 'notFound' : 'rejected';
}

/** What went wrong and what to do, in one or several lines, with every problem that the gateway listed. */
export function errorText(error: unknown): string {
  if (error instanceof GatewayError) {
    const problems = error.errors.map(({ path, message }) => `  - ${path}: ${message}`);
    const request = error.requestId === undefined ? '' : ` (request ${error.requestId})`;
    return [
      `The gateway responded ${error.status} ${error.code}: ${error.message}${request}`,
      ...problems,
    ].join('\n');
  }
  if (!(error instanceof Error)) return String(error);
  const advice = advices[(error as NodeJS.ErrnoException).code ?? ''];
  return advice === undefined ? error.message : `${error.message.replace(/\.$/, '')}. ${advice}`;
}

const fullDisk = 'The disk is full. Free space or enlarge it, then try again.';
const noRight =
  'This user may not do that. Run as the user who owns these files, or correct their owner and mode.';

/** What to do about errors of the operating system and of PostgreSQL, whose messages say only what failed. */
const advices: Record<string, string | undefined> = {
  ENOSPC: fullDisk,
  EDQUOT: fullDisk,
  // disk_full
  53100: fullDisk,
  // too_many_connections
  53300:
    'The database server has no free connection. Lower DATABASE_CONNECTIONS of the gateways, or raise max_connections of the server.',
  EROFS:
    'The file system is read-only. Check the disk (dmesg) and mount it writable, or use a folder that can be written.',
  EACCES: noRight,
  EPERM: noRight,
};

// The failures of statements that the program reacts to, by PostgreSQL's error codes (manual, appendix A).
import pg from 'pg';

const codes = {
  uniqueViolation: '23505',
  foreignKeyViolation: '23503',
  checkViolation: '23514',
  exclusionViolation: '23P01',
};
// serialization_failure, deadlock_detected: nothing was done, and the same again may succeed
const transientCodes = new Set(['40001', '40P01']);

/** True if `error` is a row rejected by the named constraint or unique index (unique, exclusion, foreign key or check). */
export function violates(error: unknown, constraint: string): boolean {
  return (
    error instanceof pg.DatabaseError &&
    error.constraint === constraint &&
    Object.values<string | undefined>(codes).includes(error.code)
  );
}

/** True if the transaction was undone only because of what others did at the same moment (deadlock, serialization). */
export function isTransient(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code !== undefined && transientCodes.has(error.code);
}

/**
 * Runs a whole transaction again when it was undone by a deadlock or a serialization failure, `attempts` times in all;
 * any other failure, and the last one, is thrown. `run` must have no effect outside its transaction.
 */
export async function retryTransient<T>(run: () => Promise<T>, attempts = 3): Promise<T> {
  for (let left = attempts - 1; ; left -= 1) {
    try {
      return await run();
    } catch (error) {
      if (left <= 0 || !isTransient(error)) throw error;
    }
  }
}

/**
 * What a server says that cannot serve us now, by PostgreSQL's manual, appendix A: class 08 (connection), 25006
 * (read-only: a standby, or set so), 25P03 and 25P04 (session or transaction timed out), 28 and 3D000 (it does not let us
 * in), 40003 (completion unknown), 53 (disk, memory, connections), 57 (shut down, crashed, starting, dropped), 58 (I/O).
 * Not 57014, a statement that ran into its own limit.
 */
const awayCodes = /^(?:08...|25006|25P0[34]|28...|3D000|40003|53...|57(?!014)...|58...)$/;
/** Where the server gives such an error under a general code, its function's name, which no language changes. */
const readOnlyRoutines = new Set(['AssignTransactionId', 'XLogInsert', 'XLogBeginInsert']);
/** Transaction ids have run out: no writes until a vacuum. */
const wraparoundRoutines = new Set(['GetNewTransactionId', 'GetNewMultiXactId']);
const readOnlyCode = '25006';
const diskFullCode = '53100';
/** Of sockets alone: a missing file is no missing server. */
const socketCalls = new Set(['connect', 'getaddrinfo', 'read', 'write']);
/** What the system says where a server cannot be reached. */
export const unreachableErrnos: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
]);
const awayErrnos = new Set([...unreachableErrnos, 'EPIPE']);
/** pg says these without a code. */
const awayWords =
  /^(?:Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect)/;

/** What an error of the server carries; errors that came from another thread have lost their class. */
interface Said {
  code?: string;
  routine?: string;
  syscall?: string;
}

const isSqlState = (code: string | undefined): code is string =>
  code !== undefined && /^[0-9][0-9A-Z]{4}$|^XX...$/.test(code);

/** True if the server takes no writes: a standby, or one that was set read-only. Nothing was done. */
export function isReadOnly(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, routine = '' } = error as Said;
  return code === readOnlyCode || (isSqlState(code) && readOnlyRoutines.has(routine));
}

/** True if the server's disk was full. Nothing was done. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && (error as Said).code === diskFullCode;
}

/**
 * True if the statement failed because the server could not be reached or cannot serve us now, or the connection was
 * lost. Whether a commit that was under way came to pass is not known then.
 */
export function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, syscall = '', routine = '' } = error as Said;
  if (isSqlState(code))
    return awayCodes.test(code) || readOnlyRoutines.has(routine) || wraparoundRoutines.has(routine);
  const isSocket = socketCalls.has(syscall) && awayErrnos.has(code ?? '');
  return isSocket || awayWords.test(error.message);
}

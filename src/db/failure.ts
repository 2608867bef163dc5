// Statement errors that the program reacts to, by PostgreSQL error code (manual, appendix A).
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const codes = {
  uniqueViolation: '23505',
  foreignKeyViolation: '23503',
  checkViolation: '23514',
  exclusionViolation: '23P01',
};
const deadlockCode = '40P01';
// serialization_failure, deadlock_detected: nothing was done, and a retry may succeed
const transientCodes = new Set(['40001', deadlockCode]);
const deadlockPauseMs = { least: 5, most: 50 };
const notSupportedCode = '0A000';

/** True if the named constraint or unique index rejected a row (unique, exclusion, foreign key or check). */
export function violates(error: unknown, constraint: string): boolean {
  return (
    error instanceof pg.DatabaseError &&
    error.constraint === constraint &&
    Object.values<string | undefined>(codes).includes(error.code)
  );
}

/**
 * True if the transaction was rolled back because of concurrent transactions (deadlock, serialization failure), or of a migration
 * that ran in the meantime.
 */
export function isTransient(error: unknown): boolean {
  if (isStalePlan(error)) return true;
  return error instanceof pg.DatabaseError && error.code !== undefined && transientCodes.has(error.code);
}

/** True if a prepared statement did nothing because its result would have other columns than when it was prepared. */
export function isStalePlan(error: unknown): boolean {
  return (
    error instanceof pg.DatabaseError &&
    error.code === notSupportedCode &&
    error.routine === 'RevalidateCachedQuery'
  );
}

/** True if the transaction was rolled back because others keep locks: a lock timeout or a deadlock. */
export function isLockFailure(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === '55P03' || error.code === deadlockCode);
}

/** True if a statement divided by zero. */
export const isDivisionByZero = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === '22012';

/** An error that makes `retryTransient` and batches repeat the transaction: another one changed what this one has read. */
export function serializationFailure(message: string): Error {
  return Object.assign(new pg.DatabaseError(message, message.length, 'error'), { code: '40001' });
}

/**
 * Lets the other transaction of a deadlock end before this one begins again. Without the pause, this one could lock the row that the other waits
 * for, and both would deadlock again. Other errors need no pause.
 */
export async function pauseAfterDeadlock(error: unknown): Promise<void> {
  if ((error as { code?: unknown } | null)?.code !== deadlockCode) return;
  const { least, most } = deadlockPauseMs;
  await sleep(least + Math.random() * (most - least));
}

/**
 * Runs a transaction up to `attempts` times, retrying it after a deadlock or serialization failure. Throws any other error, and
 * the last one. `run` must have no effect outside its transaction.
 */
export async function retryTransient<T>(run: () => Promise<T>, attempts = 3): Promise<T> {
  for (let left = attempts - 1; ; left -= 1) {
    try {
      return await run();
    } catch (error) {
      if (left <= 0 || !isTransient(error)) throw error;
      await pauseAfterDeadlock(error);
    }
  }
}

/**
 * Error codes of a server that cannot serve us now (PostgreSQL manual, appendix A): class 08 (connection), 25006
 * (read-only), 25P03 and 25P04 (session or transaction timed out), 28 and 3D000 (login rejected), 40003 (completion
 * unknown), 53 (disk, memory, connections), 57 (shut down, crashed, starting, dropped), 58 (I/O). Not 57014: the statement
 * exceeded its own time limit.
 */
const unavailableCodes = /^(?:08...|25006|25P0[34]|28...|3D000|40003|53...|57(?!014)...|58...)$/;
/** The server reports these with a general code; the function's name identifies them in every language. */
const readOnlyRoutines = new Set(['AssignTransactionId', 'XLogInsert', 'XLogBeginInsert']);
/** Transaction ids ran out: no writes until a vacuum. */
const wraparoundRoutines = new Set(['GetNewTransactionId', 'GetNewMultiXactId']);
const readOnlyCode = '25006';
const diskFullCode = '53100';
/** System calls on sockets; a missing file does not mean a missing server. */
const socketCalls = new Set(['connect', 'getaddrinfo', 'read', 'write']);
/** System errors of an unreachable server. */
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
const unavailableErrnos = new Set([...unreachableErrnos, 'EPIPE']);
/** Errors of pg that have no code. */
const unavailableMessages =
  /^(?:Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect)/;

/** Fields of a server error. Errors from another thread have lost their class. */
interface DatabaseErrorFields {
  code?: string;
  routine?: string;
  syscall?: string;
}

const isSqlState = (code: string | undefined): code is string =>
  code !== undefined && /^[0-9][0-9A-Z]{4}$|^XX...$/.test(code);

/** True if the server rejects writes: a standby, or set to read-only. Nothing was done. */
export function isReadOnly(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, routine = '' } = error as DatabaseErrorFields;
  return code === readOnlyCode || (isSqlState(code) && readOnlyRoutines.has(routine));
}

/** True if the server's disk was full. Nothing was done. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && (error as DatabaseErrorFields).code === diskFullCode;
}

/**
 * True if the statement failed because the server is unreachable or cannot serve us now, or because the connection was
 * lost. A commit in progress may or may not have succeeded.
 */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, syscall = '', routine = '' } = error as DatabaseErrorFields;
  if (isSqlState(code))
    return unavailableCodes.test(code) || readOnlyRoutines.has(routine) || wraparoundRoutines.has(routine);
  const isSocket = socketCalls.has(syscall) && unavailableErrnos.has(code ?? '');
  return isSocket || unavailableMessages.test(error.message);
}

/** True if a lock was not free within `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '55P03';
}

// Which failures of a statement the program acts on, told by PostgreSQL's error codes (its manual, appendix A).
import pg from 'pg';

const codes = {
  uniqueViolation: '23505',
  foreignKeyViolation: '23503',
  checkViolation: '23514',
  exclusionViolation: '23P01',
};
// serialization_failure, deadlock_detected: nothing was done, and the same again may succeed
const transientCodes = new Set(['40001', '40P01']);

/** True if `error` is a row refused by the named constraint or unique index (unique, exclusion, foreign key or check). */
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

// connection_exception and its kin, too_many_connections, and a server that shuts down, crashed or only starts
const awayCodes = /^(?:08...|53300|57P0[123])$/;
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
  /^(?:Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect)/;

/**
 * True if the statement failed because the server could not be reached, or the connection was lost. Whether a commit
 * that was under way came to pass is not known then.
 */
export function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (error instanceof pg.DatabaseError) return code !== undefined && awayCodes.test(code);
  const isSocket = socketCalls.has(syscall ?? '') && awayErrnos.has(code ?? '');
  return isSocket || awayWords.test(error.message);
}

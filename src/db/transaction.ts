// Transactions that are repeated when concurrent ones get in their way.
import type { Db, Tx } from './db.ts';
import { retryTransient } from './failure.ts';

/**
 * Runs `work` in a transaction, up to `attempts` times: again after a deadlock or serialization failure. Throws any other error, and the last one.
 * `work` must have no effect outside its transaction.
 */
export const inTransaction = <T>(db: Db, work: (tx: Tx) => Promise<T>, attempts?: number): Promise<T> =>
  retryTransient(() => db.transaction().execute(work), attempts);

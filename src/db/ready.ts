// Whether the database serves this process now: it takes a write, and its schema fits.
import { sql } from 'kysely';
import type { Db } from './db.ts';
import { migrationState, problemWith } from './migrate.ts';

/** Resolves if a write was committed and the schema fits this program; rejects with an Error that says why not. */
export async function checkDatabase(db: Db): Promise<void> {
  const state = await migrationState(db);
  const problem = problemWith(state);
  if (problem !== undefined) throw new Error(problem);
  if (state.pending.length > 0) throw new Error(`migrations are missing: ${state.pending.join(', ')}`);
  // a row and not only a transaction id: its commit is flushed, and waits for the standbys that commits wait for
  await sql`update readiness set written_at = now()`.execute(db);
}

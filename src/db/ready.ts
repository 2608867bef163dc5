// The readiness check of the database: it accepts a write, and its schema fits this program.
import { sql } from 'kysely';
import type { Db } from './db.ts';
import { migrationState, problemWith } from './migrate.ts';

/** Resolves if a write was committed and the schema fits. Otherwise rejects with the reason. */
export async function checkDatabase(db: Db): Promise<void> {
  const state = await migrationState(db);
  const problem = problemWith(state);
  if (problem !== undefined) throw new Error(problem);
  if (state.pending.length > 0) throw new Error(`migrations are missing: ${state.pending.join(', ')}`);
  // update a row: its commit is flushed and waits for synchronous standbys, as real commits do
  await sql`update readiness set written_at = now()`.execute(db);
}

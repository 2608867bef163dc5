// Whether the gateway is held: after a restore it sends and books nothing until "release".
import { type RawBuilder, sql } from 'kysely';
import type { Db } from './db.ts';

/**
 * True while the gateway is held. For statements that begin a call or claim work: one probe of a row in memory for each
 * statement, not for each of its rows.
 */
export const isGatewayHeld: RawBuilder<boolean> = sql`(select h.held_since is not null from gateway_state h where h.single)`;

/** Since when the gateway is held; null: it is not. */
export async function findHeldSince(db: Db): Promise<Date | null> {
  const { rows } = await sql<{ held_since: Date | null }>`
    select held_since from gateway_state where single`.execute(db);
  return rows[0]?.held_since ?? null;
}

/** Ends the held state. */
export async function endHeld(db: Db): Promise<void> {
  await sql`
    update gateway_state set held_since = null where single`.execute(db);
}

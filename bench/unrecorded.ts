// The deliveries whose records are still to be written: the last ones follow their webhooks.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../src/db/db.ts';

const patienceMs = 5_000;

/** Waits until every delivery is recorded as done, at most 5 s; returns how many are not. */
export async function countUnrecorded(db: Db): Promise<number> {
  const untilMs = performance.now() + patienceMs;
  for (;;) {
    const { rows } = await sql<{ n: number }>`
      select count(*) n from deliveries where state in (0, 3, 4)`.execute(db);
    const n = rows[0]?.n ?? 0;
    if (n === 0 || performance.now() > untilMs) return n;
    await sleep(50);
  }
}

// Bare commits on the gateway's own server and disk, as a baseline.
import { sql } from 'kysely';
import type { Db } from '../src/db/db.ts';
import { nowMs } from './child.ts';

/** Creates a table; returns a function that commits two rows and returns the milliseconds of both together. */
export async function openCommits(db: Db): Promise<() => Promise<number>> {
  await sql`create table bench_commits (at timestamptz)`.execute(db);
  const commit = () => sql`insert into bench_commits values (now())`.execute(db);
  return async () => {
    const began = nowMs();
    await commit();
    await commit();
    return nowMs() - began;
  };
}

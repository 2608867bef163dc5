// The generic plan of a statement, as PostgreSQL caches it.
import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Db, Tx } from '../../src/db/db.ts';
import { coldKysely } from './cold-kysely.ts';

/** The SQL of the single statement of `run`, without executing it. */
export async function textOf(run: (db: Db & Tx) => Promise<unknown>): Promise<string> {
  const texts: string[] = [];
  const cold = coldKysely((event) => void texts.push(event.query.sql));
  await run(cold as unknown as Db & Tx);
  expect(texts).toHaveLength(1);
  return texts[0] ?? '';
}

/** The plan of the single statement of `run`, one line per step. */
export async function planOf(db: Db, run: (db: Db & Tx) => Promise<unknown>): Promise<string> {
  const { rows } = await sql
    .raw<{ 'QUERY PLAN': string }>(`explain (generic_plan, costs off) ${await textOf(run)}`)
    .execute(db);
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

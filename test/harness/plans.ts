// The generic plan of a statement, as PostgreSQL caches it.
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from 'kysely';
import { expect } from 'vitest';
import type { Db, Tx } from '../../src/db/db.ts';

/** The SQL of the single statement of `run`, without executing it. */
export async function textOf(run: (db: Db & Tx) => Promise<unknown>): Promise<string> {
  const texts: string[] = [];
  const paper = new Kysely({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    log: (event) => void texts.push(event.query.sql),
  });
  await run(paper as unknown as Db & Tx);
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

// Every raw SQL statement compared with the schema: PostgreSQL accepts it, and its row type, parameters and inserted columns fit.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { parse } from 'libpg-query';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makePartitions } from '../../src/db/partitions.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import type { Collected, Statement } from '../harness/statements/collect.ts';
import {
  type Catalog,
  leftOutOfInserts,
  wrongInParameters,
  wrongInRow,
} from '../harness/statements/compare.ts';
import { type Described, describeAll } from '../harness/statements/describe.ts';
import { type PlanNode, pruningHazards } from '../harness/statements/pruning.ts';

const collect = fileURLToPath(new URL('../harness/statements/collect.ts', import.meta.url));
let database: TestDatabase;
let collected: Collected;
let catalog: Catalog;
let described: Described[];

beforeAll(async () => {
  const collecting = promisify(execFile)(process.execPath, [collect], { maxBuffer: 64 * 1024 * 1024 });
  database = await createTestDatabase();
  catalog = await readCatalog(database);
  collected = JSON.parse((await collecting).stdout);
  described = await describeAll(
    database.connection,
    collected.statements.map(({ text }) => text),
  );
}, 60_000);
afterAll(() => database.drop());

async function readCatalog({ db }: TestDatabase): Promise<Catalog> {
  const types = await sql<{ oid: string; category: string; name: string }>`
    select oid::text, typcategory::text as category, typname::text as name from pg_type`.execute(db);
  const columns = await sql<{
    location: string;
    table: string;
    name: string;
    nullable: boolean;
    required: boolean;
  }>`
    select format('%s:%s', c.oid, a.attnum) as location, c.relname::text as table, a.attname::text as name,
      not a.attnotnull as nullable, a.attnotnull and not a.atthasdef and a.attidentity = '' as required
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')`.execute(db);
  const required = new Map<string, string[]>();
  for (const { table, name, required: must } of columns.rows)
    required.set(table, [...(required.get(table) ?? []), ...(must ? [name] : [])]);
  return {
    types: new Map(types.rows.map(({ oid, category, name }) => [Number(oid), { category, name }])),
    nullable: new Set(columns.rows.filter(({ nullable }) => nullable).map(({ location }) => location)),
    required,
  };
}

/** Accepted differences, by the start of their location: a condition excludes nulls that the schema allows. */
const allowed: [start: string, problem: string, why: string][] = [
  ['src/db/database-clock.ts', 'mended may be null', 'its condition is "mended is not null"'],
  [
    'src/appointments/booking/',
    'phone_digits is returned, not declared',
    '"returning *" of a generated column',
  ],
  ['src/messaging/media/', 'public_id may be null', 'set in every row whose state is "ready"'],
  ['src/messaging/media/', 'size may be null', 'as above'],
  ['src/messaging/media/', 'sha256 may be null', 'as above'],
  ['src/messaging/messages/store.ts', 'wamid may be null', 'its condition is "wamid = any(…)"'],
  [
    'src/messaging/templates/readings-store.ts',
    'business_account_id may be null',
    'its condition is "is not null"',
  ],
  ['src/messaging/templates/readings-store.ts', 'provider_template_id may be null', 'as above'],
  ['src/messaging/senders/store.ts', 'halted_at may be null', 'as above'],
  ['src/appointments/calendar/connections-store.ts', 'dead_at may be null', 'as above'],
];

/** The problems of the statements, each with its location. */
function all(problems: (statement: Statement, described: Described) => string[]): string[] {
  const found = collected.statements.flatMap((statement, index) =>
    problems(statement, described[index] as Described)
      .filter(
        (problem) => !allowed.some(([start, one]) => statement.location.startsWith(start) && one === problem),
      )
      .map((problem) => `${statement.location}: ${problem}`),
  );
  return [...new Set(found)];
}

test('every raw SQL call in the stores was executed', () => {
  expect(collected.statements.length).toBeGreaterThan(200);
  expect(collected.unreached).toEqual([]);
});

test('PostgreSQL accepts every statement', () => {
  expect(all((_statement, { error }) => (error ? [error] : []))).toEqual([]);
});

/** True if the parsed statement has a subquery in FROM without an alias. */
const hasUnnamedSubquery = (node: unknown): boolean =>
  typeof node === 'object' &&
  node !== null &&
  Object.entries(node).some(
    ([name, value]) => (name === 'RangeSubselect' && !value.alias) || hasUnnamedSubquery(value),
  );

test('every subquery in FROM has an alias, which PostgreSQL 15 requires', async () => {
  expect(hasUnnamedSubquery(await parse('select from (select 1)'))).toBe(true);
  expect(hasUnnamedSubquery(await parse('select from (select 1) x'))).toBe(false);
  const found: string[] = [];
  for (const { location, text } of collected.statements)
    if (hasUnnamedSubquery(await parse(text))) found.push(location);
  expect([...new Set(found)]).toEqual([]);
});

test('every row type has the names, types and nulls of the columns', () => {
  expect(
    all((statement, described) => (described.error ? [] : wrongInRow(statement, described, catalog))),
  ).toEqual([]);
});

test('every parameter has a type that its column accepts', () => {
  expect(
    all((statement, described) => (described.error ? [] : wrongInParameters(statement, described, catalog))),
  ).toEqual([]);
});

test('every insert names the columns that are not null and have no default', () => {
  expect(all((statement) => leftOutOfInserts(statement, catalog))).toEqual([]);
});

/** The hazards of a statement's generic plan, as the hot pool makes it, with partitions. */
async function hazardsOf(text: string): Promise<string[]> {
  const { rows } = await sql
    .raw<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(`explain (generic_plan, format json) ${text}`)
    .execute(database.hot);
  return pruningHazards((rows[0] as (typeof rows)[number])['QUERY PLAN'][0].Plan);
}

describe('a lock and the pruning of partitions', () => {
  beforeAll(() => makePartitions(database.db));

  /** Scans that cannot run after the lock of their statement ended. */
  const safe: [start: string, scan: string, why: string][] = [
    ['src/webhooks/publish-store.ts', 'the scan in CTE known', 'sorted, so read before the first lock'],
    ['src/messaging/received/store.ts', 'the scan in CTE known', 'as above: the same text'],
    [
      'src/webhooks/maintenance/store.ts',
      'the scan in CTE moved',
      'runs only for rows that the lock returns',
    ],
  ];

  test('do not meet in any statement, because PostgreSQL 18.4 would crash or lose rows', async () => {
    const explained = collected.statements.filter(({ text }) =>
      /^\s*(?:\/\*.*?\*\/\s*)?(?:with|select|insert|update|delete)\b/.test(text),
    );
    expect(explained.length).toBeGreaterThan(200);
    const found: string[] = [];
    for (const { location, text } of explained)
      for (const hazard of await hazardsOf(text))
        if (!safe.some(([start, scan]) => location.startsWith(start) && hazard.startsWith(scan)))
          found.push(`${location}: ${hazard}`);
    expect([...new Set(found)]).toEqual([]);
  });

  const locked = 'select m.id from unnest($1::uuid[]) x(i) join messages m on m.id = x.i';
  test.each([
    [
      'an update in a CTE beside a lock',
      `with l as (${locked} for update of m), u as (update messages m set attempts = 0 from l where m.id = l.id returning 1) select from u`,
      ['the scan in CTE u may run after a lock ended'],
    ],
    [
      'a lock after a sort',
      `${locked} order by m.phone for update of m`,
      ['the scan in the statement is read before its rows are locked'],
    ],
    [
      'a range of partitions and a join',
      `${locked} where m.id > $2 for update of m`,
      ['the scan in the statement is also pruned at the start'],
    ],
    [
      'an update of the rows of a lock',
      `with l as (${locked} for update of m) update messages m set attempts = 0 from l where m.id = l.id`,
      [],
    ],
    [
      'a lock of sorted keys',
      `select m.id from (select i from unnest($1::uuid[]) x(i) order by i) x join messages m on m.id = x.i order by m.id for update of m`,
      [],
    ],
  ])('%s', async (_what, text, hazards) => {
    expect(await hazardsOf(text)).toEqual(hazards);
  });
});

describe('reports a difference:', () => {
  const column = { types: ['string'], nullable: false, optional: false };
  const problemsOf = async (
    statement: Omit<Statement, 'location' | 'parameters'>,
    parameters: string[] = [],
  ) => {
    const [described] = await describeAll(database.connection, [statement.text]);
    const whole = { ...statement, location: 'here', parameters };
    return [
      ...(described?.error ? [described.error] : []),
      ...wrongInRow(whole, described as Described, catalog),
      ...wrongInParameters(whole, described as Described, catalog),
      ...leftOutOfInserts(whole, catalog),
    ];
  };

  test.each([
    ['a column that does not exist', 'select nothing from accounts', null, /"nothing" does not exist/],
    ['another name', 'select id from accounts', { accountId: column }, /accountId is declared, not returned/],
    ['a column too many', 'select id, name from accounts', { id: column }, /name is returned, not declared/],
    [
      'another type',
      'select created_at as id from accounts',
      { id: column },
      /id is timestamptz, not string/,
    ],
    [
      'a null',
      'select metadata as id from messages',
      { id: { ...column, types: ['json'] } },
      /id may be null/,
    ],
    ['a column left out', "insert into accounts (name) values ('a')", null, /leaves out id/],
  ])('%s', async (_what, text, row, problem) => {
    expect((await problemsOf({ text, row })).join()).toMatch(problem);
  });

  test('a parameter of another type', async () => {
    const statement = { text: 'select id from accounts where id = $1', row: { id: column } };
    expect(await problemsOf(statement, ['string'])).toEqual([]);
    expect(await problemsOf(statement, ['number'])).toEqual(['parameter $1 is uuid, given a number']);
  });
});

// Loads the rows of a backup in one transaction: all tables, partitions and sequences, or nothing.
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import pg from 'pg';
import { type CopyStreamQuery, from as copyFrom } from 'pg-copy-streams';
import type { Connection } from './db.ts';
import { partitionOptions } from './partitions.ts';

export interface LoadPlan {
  tables: { name: string; columns: string[]; rows: number }[];
  sequences: { name: string; lastValue: string | null }[];
  partitions: { table: string; name: string; from: string; to: string }[];
}

export interface Load {
  /** Appends bytes of a table, in COPY's format. A table's bytes come together, and tables in the plan's order. */
  write(table: string, bytes: Buffer): Promise<void>;
  /** Compares every table's rows with the plan and commits. */
  commit(): Promise<void>;
  /** Rolls back what was not committed. */
  close(): Promise<void>;
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** Without timeouts, and reading what COPY wrote regardless of the server's defaults. */
const settings = [
  "set timezone = 'UTC'",
  "set datestyle = 'ISO'",
  "set intervalstyle = 'postgres'",
  "set client_encoding = 'UTF8'",
  'set statement_timeout = 0',
  'set idle_in_transaction_session_timeout = 0',
  'set synchronous_commit = on',
].join('; ');

/**
 * Begins to load into a migrated database. What migrations inserted is removed; partitions become those of the plan; the gateway
 * is held, unless `hold` is false. Nobody else can read or write these tables until the end.
 */
export async function openLoad(
  connection: Connection,
  plan: LoadPlan,
  { hold = true }: { hold?: boolean } = {},
): Promise<Load> {
  const client = new pg.Client({ ...connection, application_name: 'gateway restore', keepAlive: true });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(`${settings}; begin`);
    const names = plan.tables.map(({ name }) => quoted(name));
    // also fails if a table of the plan is missing
    if (names.length > 0) await client.query(`truncate ${names.join(', ')}`);
    await makePartitions(client, plan.partitions);
    // tables of later migrations hold the gateway themselves
    const { rows } = await client.query("select to_regclass('gateway_state') is not null as there");
    if (rows[0].there && hold) await client.query('update gateway_state set held_since = now()');
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
  return loading(client, plan);
}

function loading(client: pg.Client, plan: LoadPlan): Load {
  const columns = new Map(plan.tables.map((table) => [table.name, table.columns]));
  let open: { table: string; stream: CopyStreamQuery; failure?: unknown } | undefined;

  async function endTable(): Promise<void> {
    if (!open) return;
    const { stream, failure } = open;
    open = undefined;
    if (failure !== undefined) throw failure;
    stream.end();
    await finished(stream);
  }

  return {
    async write(table, bytes) {
      if (open?.table !== table) {
        await endTable();
        const list = columns.get(table);
        if (!list) throw new Error(`The backup has rows of an unknown table, ${table}.`);
        const text = `copy ${quoted(table)} (${list.map(quoted).join(', ')}) from stdin`;
        const opened: NonNullable<typeof open> = { table, stream: client.query(copyFrom(text)) };
        // an error between two writes is thrown by the next one
        opened.stream.on('error', (error) => {
          opened.failure = error;
        });
        open = opened;
      }
      const { stream, failure } = open;
      if (failure !== undefined) throw failure;
      if (!stream.write(Buffer.from(bytes))) await once(stream, 'drain');
    },

    async commit() {
      await endTable();
      for (const { name, lastValue } of plan.sequences)
        if (lastValue !== null)
          await client.query('select setval($1, $2::bigint)', [quoted(name), lastValue]);
      for (const { name, rows: expected } of plan.tables) {
        const { rows } = await client.query(`select count(*)::float8 as n from ${quoted(name)}`);
        if (rows[0].n !== expected)
          throw new Error(
            `The table ${name} has ${rows[0].n} rows after the restore instead of ${expected}.`,
          );
      }
      await client.query('commit');
    },

    async close() {
      await client.end().catch(() => undefined);
    },
  };
}

/** Updates the planner's statistics of all tables. */
export async function analyze(connection: Connection): Promise<void> {
  const client = new pg.Client({ ...connection, application_name: 'gateway restore' });
  await client.connect();
  try {
    await client.query('set statement_timeout = 0; analyze');
  } finally {
    await client.end();
  }
}

const identifier = /^[a-z][a-z0-9_]{0,62}$/;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Replaces the partitions of empty tables, except the default ones. */
async function makePartitions(client: pg.Client, partitions: LoadPlan['partitions']): Promise<void> {
  const { rows } = await client.query<{ name: string }>(`
    select c.relname as name from pg_inherits i join pg_class p on p.oid = i.inhparent join pg_class c on c.oid = i.inhrelid
    where p.relnamespace = current_schema()::regnamespace and p.relkind = 'p' and pg_get_expr(c.relpartbound, c.oid) <> 'DEFAULT'`);
  for (const { name } of rows) await client.query(`drop table ${quoted(name)}`);
  for (const { table, name, from, to } of partitions) {
    if (![table, name].every((text) => identifier.test(text)) || ![from, to].every((text) => uuid.test(text)))
      throw new Error(`The partition ${name} of the backup has an invalid name or range.`);
    await client.query(
      `create table ${quoted(name)} partition of ${quoted(table)} for values from ('${from}') to ('${to}') ${partitionOptions(table)}`,
    );
  }
}

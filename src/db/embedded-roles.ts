// The roles of the embedded server: the administrator makes the database and the program's role, which is no superuser.
import pg from 'pg';
import { programRole } from './embedded-cluster.ts';
import type { Address } from './embedded-guard.ts';

/** The database of the gateway in its embedded server. */
export const gatewayDatabase = 'gateway';
const connectTimeoutMs = 5000;

/**
 * What belonged to the administrator in databases of earlier versions. Indexes, sequences of columns and row types follow
 * their tables; what an extension brought stays.
 */
const takeOver = `do $$
declare statement text;
begin
  for statement in
    select format('alter table %s owner to ${programRole}', c.oid::regclass) from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm') and c.relowner <> '${programRole}'::regrole
      and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = c.oid and deptype = 'e')
    union all
    select format('alter routine %s owner to ${programRole}', p.oid::regprocedure) from pg_proc p
    where p.pronamespace = 'public'::regnamespace and p.proowner <> '${programRole}'::regrole
      and not exists (select from pg_depend where classid = 'pg_proc'::regclass and objid = p.oid and deptype = 'e')
  loop
    execute statement;
  end loop;
end $$`;

async function onServer(
  address: Address,
  database: string,
  work: (client: pg.Client) => Promise<void>,
): Promise<void> {
  const client = new pg.Client({
    ...address,
    database,
    application_name: `gateway process ${process.pid} administrator`,
    connectionTimeoutMillis: connectTimeoutMs,
  });
  client.on('error', () => {});
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/**
 * Makes the database and the program's role where they are missing, and gives the role what is in the database, in one
 * transaction: a role that can log in owns everything. Safe to repeat; for who holds the lock of DATA_DIR.
 */
export async function makeProgramRole(admin: Address, password: string): Promise<void> {
  await onServer(admin, 'postgres', async (client) => {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [gatewayDatabase]);
    if (rowCount === 0) await client.query(`create database ${gatewayDatabase}`);
  });
  await onServer(admin, gatewayDatabase, async (client) => {
    await client.query('begin');
    // a random password needs no slow hash, and each connection pays for it
    await client.query('set local scram_iterations = 1');
    const { rowCount } = await client.query('select from pg_roles where rolname = $1', [programRole]);
    const verb = rowCount === 0 ? 'create' : 'alter';
    await client.query(`${verb} role ${programRole} login password ${pg.escapeLiteral(password)}`);
    // the guard asks which data directory it reached
    await client.query(`grant pg_read_all_settings to ${programRole}`);
    await client.query(`alter database ${gatewayDatabase} owner to ${programRole}`);
    await client.query(takeOver);
    await client.query('commit');
  });
}

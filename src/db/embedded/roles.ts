// The embedded server's database and role, created by the administrator; the role is not a superuser.
import pg from 'pg';
import { programRole } from './cluster.ts';
import type { Address } from './lock.ts';

/** The database of the gateway in its embedded server. */
export const gatewayDatabase = 'gateway';
const connectTimeoutMs = 5000;

/**
 * Changes the owner of objects that earlier versions created as the administrator. Indexes, column sequences and row types
 * follow their tables. Objects of an extension keep their owner.
 */
const changeOwnerSql = `do $$
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
 * Creates the database and the program's role if they are missing, and makes the role the owner of everything in it. Role and
 * owners change in one transaction: a role that can log in owns everything. Safe to repeat. Call it with the lock held.
 */
export async function makeProgramRole(admin: Address, password: string): Promise<void> {
  await onServer(admin, 'postgres', async (client) => {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [gatewayDatabase]);
    if (rowCount === 0) await client.query(`create database ${gatewayDatabase}`);
  });
  await onServer(admin, gatewayDatabase, async (client) => {
    await client.query('begin');
    // a random password needs no slow hash, which would delay each connection
    await client.query('set local scram_iterations = 1');
    const { rowCount } = await client.query('select from pg_roles where rolname = $1', [programRole]);
    const verb = rowCount === 0 ? 'create' : 'alter';
    await client.query(`${verb} role ${programRole} login password ${pg.escapeLiteral(password)}`);
    // lockServer reads the server's data directory
    await client.query(`grant pg_read_all_settings to ${programRole}`);
    await client.query(`alter database ${gatewayDatabase} owner to ${programRole}`);
    await client.query(changeOwnerSql);
    await client.query('commit');
  });
}

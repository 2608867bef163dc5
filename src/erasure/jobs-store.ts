// Table erasures: what is still to do, so that another process finishes it after a crash.
import { sql } from 'kysely';
import type { Db, Tx } from '../db/db.ts';

/** An erasure that a process has leased. */
export interface ErasureJob {
  id: string;
  accountId: string;
  /** Encrypted. */
  subject: Buffer;
}

const lease = sql`interval '1 minute'`;

/** Stores an erasure, leased to this process. */
export async function insertJob(tx: Tx, job: ErasureJob): Promise<void> {
  await sql`
    insert into erasures (id, account_id, subject, due_at) values (${job.id}, ${job.accountId}, ${job.subject}, now() + ${lease})`.execute(
    tx,
  );
}

/** Extends the lease; false if the erasure is finished. */
export async function extendJob(db: Db, id: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update erasures set due_at = now() + ${lease} where id = ${id} and due_at is not null`.execute(db);
  return numAffectedRows === 1n;
}

/** Leases an erasure whose process died, or that had to wait. */
export async function claimJob(db: Db): Promise<ErasureJob | undefined> {
  const { rows } = await sql<ErasureJob>`
    update erasures e set due_at = now() + ${lease} from (
      select id from erasures where due_at <= now() order by due_at limit 1 for update skip locked) x
    where e.id = x.id returning e.id, e.account_id as "accountId", e.subject`.execute(db);
  return rows[0];
}

/** Ends an erasure: whom it was about is forgotten. */
export async function finishJob(db: Db, id: string): Promise<void> {
  await sql`update erasures set subject = '', due_at = null where id = ${id}`.execute(db);
}

/** Makes an erasure due after `seconds`. */
export async function delayJob(db: Db, id: string, seconds: number): Promise<void> {
  await sql`
    update erasures set due_at = now() + ${seconds}::int * interval '1 second' where id = ${id} and due_at is not null`.execute(
    db,
  );
}

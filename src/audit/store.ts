// Rows of the audit log.
import { sql } from 'kysely';
import { uuidv7 } from '../base/ids.ts';
import { lowestUuidAt } from '../base/uuid-time.ts';
import { type AuditAction, auditableFields } from '../contract/audit.ts';
import type { Db, Tx } from '../db/db.ts';
import { type Actor, currentActor } from './actor.ts';

/**
 * Records a change in its transaction, as one of the current actor, or of `actor`. Of `changes`, only the fields that the contract
 * lists for the action are kept; undefined ones are left out.
 */
export async function audit(
  tx: Tx,
  accountId: string,
  action: AuditAction,
  subjectId: string,
  changes: Record<string, unknown> = {},
  actor: Actor = currentActor(),
): Promise<void> {
  const { kind, id, name, address } = actor;
  const fields: readonly string[] = auditableFields[action];
  const kept = Object.fromEntries(fields.map((field) => [field, changes[field]]));
  await sql`
    insert into audit_log (account_id, id, actor_kind, actor_id, actor_name, address, action, subject_kind, subject_id, changes)
    values (${accountId}, ${uuidv7()}, ${kind}, ${id}, ${name}, ${address}, ${action}, ${action.split('.')[0] ?? ''}, ${subjectId},
      ${JSON.stringify(kept)}::jsonb)`.execute(tx);
}

export interface AuditRow {
  id: string;
  at: Date;
  actor_kind: string;
  actor_id: string | null;
  actor_name: string | null;
  address: string | null;
  action: string;
  subject_kind: string;
  subject_id: string;
  changes: Record<string, unknown>;
}

/** Entries of an account, newest first, before an id. */
export async function listAudit(
  db: Db,
  accountId: string,
  filter: {
    action?: string | undefined;
    subjectId?: string | undefined;
    from?: Date | undefined;
    to?: Date | undefined;
    beforeId?: string | undefined;
    limit: number;
  },
): Promise<AuditRow[]> {
  let query = db
    .selectFrom('audit_log')
    .select([
      'id',
      'at',
      'actor_kind',
      'actor_id',
      'actor_name',
      'address',
      'action',
      'subject_kind',
      'subject_id',
      'changes',
    ])
    .where('account_id', '=', accountId);
  if (filter.action) query = query.where('action', '=', filter.action);
  if (filter.subjectId) query = query.where('subject_id', '=', filter.subjectId);
  if (filter.from) query = query.where('id', '>=', lowestUuidAt(filter.from));
  if (filter.to) query = query.where('id', '<', lowestUuidAt(filter.to));
  if (filter.beforeId) query = query.where('id', '<', filter.beforeId);
  return (await query.orderBy('id', 'desc').limit(filter.limit).execute()) as AuditRow[];
}

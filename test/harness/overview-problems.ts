// Everything at once that the overview of an account shows as a problem.
import { type Kysely, sql } from 'kysely';
import { uuidv7 } from '../../src/base/ids.ts';

interface Subjects {
  senderId: string;
  endpointId: string;
  templateId: string;
}

/** Halts the sender with a failed check, disables the endpoint, pauses the template, and revokes the calendar of a staff member, whose id it returns. */
// biome-ignore lint/suspicious/noExplicitAny: of any schema
export async function makeProblems(db: Kysely<any>, subjects: Subjects): Promise<string | undefined> {
  const { senderId, endpointId, templateId } = subjects;
  await sql`update senders set halted_at = now(), halted_reason = 'token', halted_error = '{"code": 190}'
    where id = ${senderId}`.execute(db);
  const failed = { name: 'token', status: 'failed', detail: 'expired', fix: 'renew' };
  const checks = [failed, { ...failed, name: 'quality', status: 'ok' }];
  const checkedAt = '2026-03-11T09:30:02.114Z';
  await sql`update sender_states set checks = ${JSON.stringify(checks.map((one) => ({ ...one, checkedAt })))}::jsonb
    where sender_id = ${senderId}`.execute(db);
  await sql`update endpoints set status = 'disabled', disabled_reason = 'gone' where id = ${endpointId}`.execute(
    db,
  );
  await sql`update templates set status = 'submitted', provider_status = 'PAUSED' where id = ${templateId}`.execute(
    db,
  );
  const { rows } = await sql<{
    id: string;
    account: string;
  }>`select id, account_id as account from staff limit 1`.execute(db);
  await sql`insert into calendar_connections (id, account_id, staff_id, provider, credential, calendar_id, busy_calendar_ids, dead_at, failure)
    values (${uuidv7()}, ${rows[0]?.account}, ${rows[0]?.id}, 'google', '', 'c', '{}', now(), 'revoked')`.execute(
    db,
  );
  return rows[0]?.id;
}

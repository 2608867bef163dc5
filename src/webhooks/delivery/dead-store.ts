// The fragment by which statements record deliveries that became dead, for the event that announces them.
import { type RawBuilder, sql } from 'kysely';
import { operationalKinds } from '../../contract/webhooks.ts';

const operational = sql.lit(`{${operationalKinds.join()}}`);

/** Records rows of the CTE `from`, which has `account_id`, `endpoint_id` and `kind`; none that are about operational events. */
export const recordDead = (
  from: RawBuilder<unknown>,
  { where, reason }: { where: RawBuilder<unknown>; reason: RawBuilder<unknown> },
): RawBuilder<unknown> => sql`
  insert into dead_deliveries (account_id, endpoint_id, count, reason)
  select f.account_id, f.endpoint_id, count(*)::int, ${reason} from ${from} f
  where ${where} and coalesce(f.kind, '') <> all (${operational}::text[])
  group by f.account_id, f.endpoint_id, ${reason}`;

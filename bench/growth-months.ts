// A simulated time of several months with retention: claims, lists and the size of the database, month by month.
import { sql } from 'kysely';
import { noDays } from '../src/base/retention-days.ts';
import type { Db } from '../src/db/db.ts';
import { removeExpired } from '../src/retention/retention.ts';
import { recordNotices } from '../src/retention/settings-store.ts';
import { nowMs } from './child.ts';
import { addDue, idAt, makeMonth, monthStart } from './filling.ts';
import { claimPerSender, compare, type Place, timed, timedClaims, withPlace } from './growth-place.ts';
import type { Spread } from './percentiles.ts';
import { format, progress, saveFigures, table } from './print.ts';

export interface GrowthOptions {
  months: number;
  /** A month. */
  messages: number;
  rounds: number;
  /** For which everything is kept; 0: for ever. */
  days: number;
}

const tables = ['messages', 'deliveries', 'attempts', 'received_messages'] as const;
const rowsAtOnce = 100_000;

/** Adds a month of read messages, each with three deliveries and every tenth with a failed attempt and a received message. */
async function fillMonth(
  { fixture: { db }, account, numbers }: Place,
  from: Date,
  to: Date,
  count: number,
  first: number,
) {
  await makeMonth(db, from, to);
  const { rows } = await sql<{ id: string }>`
    select id from endpoints where account_id = ${account.accountId} limit 1`.execute(db);
  const endpointId = rows[0]?.id;
  const templateId = numbers.templateIds.order_update;
  for (let done = 0; done < count; done += rowsAtOnce) {
    const many = Math.min(rowsAtOnce, count - done);
    await sql`
      with n as materialized (
        select n, at, id, first_value(id) over (partition by n / 1000 order by n) as send_id from (
        select n, at, ${idAt('at')} as id from (
          select n, ${from}::timestamptz + (n - ${first + done}) * (${to}::timestamptz - ${from}::timestamptz) / ${many} as at
          from generate_series(${first + done}::bigint, ${first + done + many - 1}::bigint) n) x offset 0) y),
      s as (
        insert into sends (account_id, id, sender_id, template_id, template_name, language, total, created_at)
        select ${account.accountId}, id, ${numbers.senderIds[0]}, ${templateId}, 'order_update', 'en_US', 1000, at from n
        where id = send_id),
      m as (
        insert into messages (account_id, id, send_id, sender_id, template_id, phone, name, content, position, priority, state, emitted,
          attempts, expires_at, wamid, accepted_at, sent_at, delivered_at, read_at)
        select ${account.accountId}, id, send_id,
          (${numbers.senderIds}::uuid[])[1 + n % ${numbers.senderIds.length}::int], ${templateId}, (491700000000 + n)::text, 'Ada Lovelace',
          '{"body": [{"text": "Ada"}, {"text": "A-1001"}, {"text": "on Friday"}], "buttons": []}', 0, 1, 5, 7, 1, at + interval '1 day',
          'wamid.bench' || n, at, at, at, at + interval '1 minute' from n),
      d as (
        insert into deliveries (id, account_id, endpoint_id, subject_id, stage, body_form, made_ms, state, attempts, last_status, last_ms,
          last_attempt_at, delivered_at)
        select ${idAt('n.at')}, ${account.accountId}, ${endpointId}, n.id, stage, 1, 0, 1, 1, 200, 3, at, at
        from n cross join generate_series(3, 5) stage),
      a as (
        insert into attempts (subject_id, endpoint_id, stage, no, at, status, failure, ms, answer)
        select id, ${endpointId}, 3, 1, at, 500, 'status', 12, 'try later' from n where n % 10 = 0)
      insert into received_messages (account_id, id, sender_id, message_ref, person, phone, type, content, received_at, sent_at, raw)
      select ${account.accountId}, ${idAt('n.at')}, ${numbers.senderIds[0]}, 'wamid.in' || n, (491700000000 + n)::text,
        (491700000000 + n)::text, 'text', '{"text": "Thank you"}', at, at, '{"text": {"body": "Thank you"}}' from n where n % 10 = 0`.execute(
      db,
    );
  }
}

/** Megabytes of the tables that grow. */
async function megabytes(db: Db): Promise<number> {
  const { rows } = await sql<{ mb: number }>`
    select sum(pg_total_relation_size(t.relid))::float8 / 1e6 as mb from unnest(${[...tables, 'sends']}::regclass[]) r,
      lateral (select relid from pg_partition_tree(r) union select r) t`.execute(db);
  return rows[0]?.mb ?? 0;
}

async function measure(place: Place, rounds: number, newest: number): Promise<Record<string, Spread>> {
  const { client } = place.account;
  return {
    [`claim, ${claimPerSender} of each number`]: await timedClaims(place, rounds),
    'list of messages: first page of 50': await timed(rounds, () => client.listMessages({ limit: 50 })),
    'list of messages: one state': await timed(rounds, () =>
      client.listMessages({ limit: 50, status: 'failed' }),
    ),
    'search by phone': await timed(rounds, () =>
      client.listMessages({ phone: String(491_700_000_000 + newest) }),
    ),
    'list of deliveries: first page of 50': await timed(rounds, () => client.listDeliveries({ limit: 50 })),
  };
}

/** Runs retention to its end at a simulated time. */
async function retain(db: Db, days: number, now: Date) {
  const began = nowMs();
  const kept = { ...noDays, messages: days, received: days, deliveries: days };
  await recordNotices(db, kept, new Date(0));
  const steps = removeExpired({ db, log: { info() {}, warn() {} } as never, days: kept }, now);
  let longestMs = 0;
  for (;;) {
    const step = nowMs();
    const { done, value } = await steps.next();
    longestMs = Math.max(longestMs, nowMs() - step);
    if (done) return { ...value, seconds: (nowMs() - began) / 1000, longestMs };
  }
}

/** Simulates the months before this one. */
export async function growMonths({ months, messages, rounds, days }: GrowthOptions): Promise<void> {
  await withPlace(async (place) => {
    const { fixture, account, numbers } = place;
    await fixture.endpoint(account, 'growth');
    await addDue(fixture, account, numbers, claimPerSender * 2);
    const rows: (string | number)[][] = [
      ['month', 'MB', 'removed rows', 'whole partitions', 'seconds', 'longest step, ms'],
    ];
    const sizes: number[] = [];
    let first: Record<string, Spread> | undefined;
    for (let month = 0; month < months; month++) {
      const [from, to] = [monthStart(month - months), monthStart(month - months + 1)];
      progress(`month ${month + 1} of ${months}`);
      await fillMonth(place, from, to, messages, month * messages);
      const done = days === 0 ? undefined : await retain(fixture.db, days, to);
      for (const name of [...tables, 'sends']) await sql.raw(`vacuum analyze ${name}`).execute(fixture.db);
      sizes.push(await megabytes(fixture.db));
      const removed = Object.values(done?.rows ?? {}).reduce((sum, n) => sum + n, 0);
      rows.push([
        month + 1,
        sizes.at(-1) ?? 0,
        removed,
        done?.partitions.length ?? 0,
        done?.seconds ?? 0,
        done?.longestMs ?? 0,
      ]);
      if (month === 0) {
        await measure(place, Math.ceil(rounds / 4), messages - 1);
        first = await measure(place, rounds, messages - 1);
      }
    }
    await measure(place, Math.ceil(rounds / 4), months * messages - 1);
    const last = await measure(place, rounds, months * messages - 1);
    table(`${format(messages)} messages a month, kept for ${days === 0 ? 'ever' : `${days} days`}`, rows);
    compare(`After one month and after ${months} (ms)`, first ?? {}, last);
    saveFigures('growth', { months, messages, rounds, days }, { first, last, sizes });
  });
}

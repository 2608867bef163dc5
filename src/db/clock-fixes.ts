// Fixes after a backward step of the database's clock: due times that the step left in the future are moved back.
import { type RawBuilder, sql } from 'kysely';
import type { StepBack } from './database-clock.ts';
import type { Tx } from './db.ts';

/**
 * The fix for one part of the database. `perform` moves up to `limit` rows and returns the count; a smaller count means it is
 * done. Safe to repeat: a moved row no longer matches.
 */
export interface ClockFix {
  name: string;
  /** Delay after the step, longer than every call and lease that was active then. */
  afterSeconds: number;
  perform: (tx: Tx, step: StepBack, limit: number) => Promise<number>;
}

/**
 * States of messages and deliveries as literals, so that plans use partial indexes. db/ may not import the modules that define
 * them; a test compares the two.
 */
export const state = {
  queued: sql.raw('0'),
  dispatching: sql.raw('1'),
  ready: sql.raw('0'),
  retrying: sql.raw('4'),
};

/** The priority of one-time codes, as a literal for the same reason. */
export const codePriority = sql.raw('0');

/** Longer than a lease of messages (60 s), deliveries (75 s) and bookings (45 s), and than any call. */
const leasesOverSeconds = 120;

const back = (step: StepBack): RawBuilder<unknown> =>
  sql`(${step.before}::timestamptz - ${step.after}::timestamptz)`;
const inSeconds = (seconds: number): RawBuilder<unknown> =>
  sql`now() + ${seconds}::float8 * interval '1 second'`;

/**
 * True for due times from before the step that no process has leased. Older leases end after `before`. Newer ones, of
 * `leaseSeconds`, end within a gap that is left out; other rows in that gap become due soon anyway.
 */
const wasDue = (column: string, step: StepBack, leaseSeconds: number): RawBuilder<boolean> => sql<boolean>`(
  ${sql.ref(column)} > ${step.after} and ${sql.ref(column)} <= ${step.before}
  and (${sql.ref(column)} <= ${step.after}::timestamptz + ${leaseSeconds - 15}::float8 * interval '1 second'
    or ${sql.ref(column)} > ${inSeconds(leaseSeconds + 1)}))`;

const count = async (query: RawBuilder<unknown>, tx: Tx): Promise<number> =>
  Number((await query.execute(tx)).numAffectedRows ?? 0n);

/** For tables with few waiting rows: one statement moves all of them. */
const whole =
  (statement: (step: StepBack) => RawBuilder<unknown>) =>
  async (tx: Tx, step: StepBack): Promise<number> => {
    await statement(step).execute(tx);
    return 0;
  };

/** For tables with leases: moves rows that were due, and rows further in the future than any newer lease. */
const due = (table: string, column: string, leaseSeconds: number) =>
  whole((step) => {
    const at = sql.ref(column);
    return sql`update ${sql.table(table)} set ${at} = ${at} - ${back(step)}
      where ${wasDue(column, step, leaseSeconds)} or ${at} > greatest(${step.before}, ${inSeconds(leaseSeconds + 1)})`;
  });

const messagesWhere = (step: StepBack, state: RawBuilder<boolean>) => sql`
  select l.account_id, l.id from senders s cross join lateral (
    select account_id, id from messages m
    where m.sender_id = s.id and m.priority = any('{0,1,2}') and m.due_at > ${step.after} and ${state}
      -- suspended messages of held templates stay
      and m.due_at < m.expires_at
    for update skip locked) l`;

/**
 * Every time that something waits for. Not included: times promised to callers (`expires_at` of keys, messages and
 * consents, `overlap_until`), and times at which something happened.
 */
export const clockFixes: readonly ClockFix[] = [
  {
    // a throttled number keeps the rest of its pause; each reservation checks the next send time itself
    name: 'sender_paces',
    afterSeconds: 0,
    perform: whole(
      (step) => sql`
        update sender_paces set tat = tat - ${back(step)}, slowed_at = slowed_at - ${back(step)} where slowed_at > now()`,
    ),
  },
  {
    // pauses of resting endpoints; the duration of a failure is kept
    name: 'endpoints',
    afterSeconds: 0,
    perform: whole(
      (step) => sql`
        update endpoints e set
          paused_until = case when e.paused_until > now() then e.paused_until - ${back(step)} else e.paused_until end,
          failing_since = case when e.failing_since > now() then e.failing_since - ${back(step)} else e.failing_since end,
          recovered_at = case when e.recovered_at > now() then e.recovered_at - ${back(step)} else e.recovered_at end,
          bury_until = case when e.bury_until > now() then e.bury_until - ${back(step)} else e.bury_until end
        from (select id from endpoints where greatest(paused_until, failing_since, recovered_at, bury_until) > now()
          order by id for update) x where e.id = x.id`,
    ),
  },
  {
    // these times are compared with each other, so they move together
    name: 'template_readings',
    afterSeconds: 0,
    perform: whole(
      (step) => sql`
        update template_readings set due_at = due_at - ${back(step)}, not_before = not_before - ${back(step)},
          wanted_at = wanted_at - ${back(step)}, begun_at = begun_at - ${back(step)}, ended_at = ended_at - ${back(step)}
        where greatest(wanted_at, begun_at, ended_at) > now()`,
    ),
  },
  {
    // a template is read once a minute; a deletion reserves it for seconds
    name: 'templates',
    afterSeconds: 0,
    perform: whole(
      (step) => sql`
        update templates set read_due_at = case when read_due_at > ${inSeconds(61)} then now() else read_due_at end,
          deleting_until = case when deleting_until > now() then deleting_until - ${back(step)} else deleting_until end,
          limited_until = case when limited_until > now() then limited_until - ${back(step)} else limited_until end
        where read_due_at > ${inSeconds(61)} or greatest(deleting_until, limited_until) > now()`,
    ),
  },
  {
    // scheduled times are promised to callers: the worker looks at each send again and keeps them
    name: 'send_feeds',
    afterSeconds: 0,
    perform: whole(() => sql`update send_feeds set due_at = now() where due_at > now()`),
  },
  {
    // the lease of an upload of recipients, two minutes at most
    name: 'sends',
    afterSeconds: 0,
    perform: whole(
      () => sql`update sends set upload_until = now() where is_open and upload_until > ${inSeconds(121)}`,
    ),
  },
  { name: 'send_cancellations', afterSeconds: 0, perform: due('send_cancellations', 'due_at', 60) },
  { name: 'sender_states', afterSeconds: 0, perform: due('sender_states', 'due_at', 120) },
  // old one-time codes are deleted again a day after the first run
  { name: 'old_codes', afterSeconds: 0, perform: due('old_codes', 'due_at', 0) },
  {
    // acts of the API; a later act of a person must not seem older
    name: 'opt_outs',
    afterSeconds: 0,
    perform: whole(() => sql`update opt_outs set acted_at = now() where acted_at > now()`),
  },
  { name: 'erasures', afterSeconds: 0, perform: due('erasures', 'due_at', 60) },
  {
    // its lease lasts two minutes, its interval an hour
    name: 'retention_runs',
    afterSeconds: 0,
    perform: whole(
      () => sql`
        update retention_runs set leased_until = least(leased_until, ${inSeconds(120)}), due_at = least(due_at, now())
        where due_at > now() or leased_until > ${inSeconds(120)}`,
    ),
  },
  { name: 'bookings', afterSeconds: 0, perform: due('bookings', 'due_at', 45) },
  { name: 'media', afterSeconds: 0, perform: due('media', 'due_at', 120) },
  {
    // a missing event is checked twice, 60 s apart
    name: 'bookings that are gone',
    afterSeconds: 0,
    perform: whole(
      (step) => sql`update bookings set gone_at = gone_at - ${back(step)} where gone_at > now()`,
    ),
  },
  {
    name: 'calendar_connections',
    afterSeconds: 0,
    perform: whole(
      (step) => sql`
        update calendar_connections set
          changes_due_at = case when changes_due_at > ${inSeconds(61)} then now() else changes_due_at end,
          last_synced_at = case when last_synced_at > now() then last_synced_at - ${back(step)} else last_synced_at end,
          bookings_missing_at = case when bookings_missing_at > now() then bookings_missing_at - ${back(step)}
            else bookings_missing_at end,
          changes_read_at = least(changes_read_at, now())
        where changes_due_at > ${inSeconds(61)} or last_synced_at > now() or bookings_missing_at > now()
          or changes_read_at > now()`,
    ),
  },
  {
    // retries of an interrupted request proceed when its lease expires
    name: 'idempotency_keys',
    afterSeconds: 0,
    perform: whole(
      (step) => sql`
        update idempotency_keys set leased_until = leased_until - ${back(step)}, created_at = created_at - ${back(step)}
        where created_at > now() and status is null`,
    ),
  },
  {
    // rows of ended processes are deleted seconds later
    name: 'processes',
    afterSeconds: 0,
    perform: whole(
      (step) => sql`update processes set ended_at = ended_at - ${back(step)} where ended_at > now()`,
    ),
  },
  {
    // a day without an older program lets contract migrations run
    name: 'programs',
    afterSeconds: 0,
    perform: whole(() => sql`update programs set seen_at = now() where seen_at > now()`),
  },
  {
    // queued messages, in the order in which they were due
    name: 'messages',
    afterSeconds: 0,
    perform: (tx, step, limit) =>
      count(
        sql`
          update messages m set due_at = m.due_at - ${back(step)}
          from (${messagesWhere(step, sql`m.state = ${state.queued} and ${wasDue('m.due_at', step, 60)}`)} limit ${limit}::int) x
          where m.account_id = x.account_id and m.id = x.id`,
        tx,
      ),
  },
  {
    // due deliveries and retries; a last attempt in the future was recorded before the step
    name: 'deliveries',
    afterSeconds: 0,
    perform: (tx, step, limit) =>
      count(
        sql`
          update deliveries d set due_at = d.due_at - ${back(step)},
            retry_after = case when d.last_attempt_at > now() then d.retry_after - ${back(step)} else d.retry_after end,
            last_attempt_at = case when d.last_attempt_at > now() then d.last_attempt_at - ${back(step)} else d.last_attempt_at end
          from (select l.* from endpoints e cross join lateral (
            select subject_id, endpoint_id, stage from deliveries d
            where d.endpoint_id = e.id and d.due_at > ${step.after} and case d.state
              when ${state.ready} then ${wasDue('d.due_at', step, 75)}
              when ${state.retrying} then d.last_attempt_at > now() or (d.due_at <= ${step.before}
                -- a delivery that failed between the step and its detection keeps its delay
                and d.last_attempt_at < ${step.after}::timestamptz - interval '5 seconds')
              else false end
            for update skip locked) l limit ${limit}::int) x
          where d.subject_id = x.subject_id and d.endpoint_id = x.endpoint_id and d.stage = x.stage`,
        tx,
      ),
  },
  {
    // leases from before the step whose process died; the ten minutes of a dispatching message count from
    // there; messages postponed for longer are retried immediately
    name: 'leases of messages',
    afterSeconds: leasesOverSeconds,
    perform: (tx, step, limit) =>
      count(
        sql`
          update messages m set due_at = case when m.state = ${state.queued} then now() else m.due_at - ${back(step)} end
          from (${messagesWhere(
            step,
            sql`m.due_at > ${inSeconds(61)} and (m.state = ${state.queued} and m.due_at <= ${step.before}::timestamptz + interval '1 hour'
              or m.state = ${state.dispatching} and m.due_at <= ${step.before}::timestamptz + interval '61 seconds')`,
          )} limit ${limit}::int) x
          where m.account_id = x.account_id and m.id = x.id`,
        tx,
      ),
  },
  {
    name: 'delivery_leases',
    afterSeconds: leasesOverSeconds,
    perform: due('delivery_leases', 'due_at', 75),
  },
  {
    name: 'leases of deliveries',
    afterSeconds: leasesOverSeconds,
    perform: (tx, step, limit) =>
      count(
        sql`
          update deliveries d set due_at = now()
          from (select l.* from endpoints e cross join lateral (
            select subject_id, endpoint_id, stage from deliveries d
            where d.endpoint_id = e.id and d.state = ${state.ready} and d.due_at > ${inSeconds(76)}
              and d.due_at <= ${step.before}::timestamptz + interval '76 seconds'
            for update skip locked) l limit ${limit}::int) x
          where d.subject_id = x.subject_id and d.endpoint_id = x.endpoint_id and d.stage = x.stage`,
        tx,
      ),
  },
];

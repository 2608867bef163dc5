// The end of a run: waits until no work is open, and makes rows older so that leases and retries need no real waiting.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../../src/db/db.ts';
import type { Callers } from './callers.ts';
import type { CampaignFixture } from './campaign-fixture.ts';
import { ageRows, ageUnleasedRows } from './database.ts';
import type { Lines } from './operators.ts';

/** Longer than every lease: 60 s for a message, 75 s for a delivery, the wait of a send plus 40 s for a key. */
const leasesMs = 90_000;
const unknownMs = 10 * 60_000 + 1_000;
/** Time without progress after which the wait ends. How long all work takes depends on the machine, and is no guarantee. */
const noProgressMs = 90_000;
const doneWithinMs = 15 * 60_000;
/** Rows that are due within this time are waited for. */
const soonMs = 1_500;

interface OpenWork {
  /** Dispatching messages, whose outcome is unknown. */
  called: number;
  /** Messages and deliveries that a running gateway has leased or may lease now. */
  busy: number;
  /** Those that are due later. */
  waiting: number;
  /** Milliseconds until the first of them is due; null: none. */
  nextMs: number | null;
}

/** Counts open work. Call `ageRows` first, so that it contains no lease of a dead gateway. */
async function openWork(db: Db): Promise<OpenWork> {
  const { rows } = await sql<OpenWork>`
    with w as (
      select 'called' as kind, null::timestamptz as at from messages where state = 1
      union all
      select case when due_at > now() and attempts > 0 then 'waiting' else 'busy' end, due_at from messages
        where state = 0 and due_at is not null
      union all
      select case when d.state = 4 or (d.due_at <= now() and e.paused_until > now()) then 'waiting' else 'busy' end,
        greatest(d.due_at, e.paused_until)
      from deliveries d join endpoints e on e.id = d.endpoint_id where d.state in (0, 4)
      union all
      select 'busy', null from replays where finished_at is null
      union all
      select 'busy', null from send_feeds f join sends s on s.account_id = f.account_id and s.id = f.send_id
        where s.paused_at is null and exists (select from send_recipients r where r.send_id = s.id)
      union all
      select 'behind', null from deliveries where state = 3)
    select count(*) filter (where kind = 'called')::int as called, count(*) filter (where kind = 'busy')::int as busy,
      count(*) filter (where kind in ('waiting', 'behind'))::int as waiting,
      (extract(epoch from min(at) filter (where kind = 'waiting') - now()) * 1000)::float8 as "nextMs" from w`.execute(
    db,
  );
  return rows[0] as OpenWork;
}

/**
 * Ends a run: removes all faults, restarts the gateways, and repeats every send without a response.
 * Returns null when no work is open, or the work that was still open when it had not become less for a while.
 */
export async function waitUntilDone(
  fixture: CampaignFixture,
  { callers, lines }: { callers: Callers; lines: readonly Lines[] },
  fromMs: number,
): Promise<string | null> {
  const { database, gateways, platform, receiver } = fixture;
  await Promise.all([platform.clearFaults(), receiver.clearFaults()]);
  await gateways.stopAll();
  await ageRows(database.db, leasesMs);
  await gateways.startAll();
  const asked = callers.repeatUnanswered(noProgressMs / 2);
  let areLinesDone = false;
  void Promise.all(lines.map(({ done }) => done)).then(() => {
    areLinesDone = true;
  });
  const progress = openProgress();
  let open = await openWork(database.db);
  for (let rest = Number.POSITIVE_INFINITY; progress.continues(rest + open.waiting + open.called); ) {
    const { callbacksOpen } = await platform.counts();
    open = await openWork(database.db);
    rest = open.busy + callbacksOpen + (areLinesDone ? 0 : 1);
    if (rest === 0 && open.waiting === 0) {
      await asked;
      if (open.called > 0) await ageUnleasedRows(database.db, unknownMs);
      else if (await replayDead(fixture, fromMs)) continue;
      else if (isDone(await openWork(database.db), (await platform.counts()).callbacksOpen)) return null;
    } else if (rest === 0 && open.nextMs !== null && open.nextMs > soonMs) {
      await ageUnleasedRows(database.db, open.nextMs);
    }
    await sleep(50);
  }
  await asked;
  const { callbacksOpen } = await platform.counts();
  return JSON.stringify({ ...open, callbacksOpen, areLinesDone });
}

/** Ends a wait when the work that is open did not become less for a while, or after `doneWithinMs`. */
function openProgress() {
  const endMs = performance.now() + doneWithinMs;
  let before = Number.POSITIVE_INFINITY;
  let untilMs = performance.now() + noProgressMs;
  return {
    continues(open: number): boolean {
      const nowMs = performance.now();
      if (open < before) untilMs = Math.min(nowMs + noProgressMs, endMs);
      before = open;
      return nowMs < untilMs;
    },
  };
}

const isDone = ({ called, busy, waiting }: OpenWork, callbacksOpen: number) =>
  called + busy + waiting + callbacksOpen === 0;

/** Ids of inbound messages begin with the platform's time, in whole seconds. */
const wholeSeconds = (ms: number) => Math.floor(ms / 1000 - 1) * 1000;

/** Enables endpoints that returned 410 and replays their dead deliveries; false if there were none. */
async function replayDead({ database, call }: CampaignFixture, fromMs: number): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    select distinct endpoint_id as id from deliveries
    where state = 2 and subject_id >= uuid7_floor(to_timestamp(${wholeSeconds(fromMs)} / 1000.0))`.execute(
    database.db,
  );
  for (const { id } of rows) {
    await call('PATCH', `/v1/webhooks/endpoints/${id}`, { status: 'active' });
    await call('POST', `/v1/webhooks/endpoints/${id}/replay`, {
      from: new Date(wholeSeconds(fromMs)).toISOString(),
      to: new Date(Date.now() + 60_000).toISOString(),
      status: 'dead',
    });
  }
  return rows.length > 0;
}

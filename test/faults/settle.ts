// The end of a run, awaited by what is still open and bounded in time: leases of the dead lapse, what was put off is done, the unknown ends.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../../src/db/db.ts';
import type { Callers } from './callers.ts';
import { passRests, passTime } from './database.ts';
import type { Scene } from './scene.ts';

/** Longer than any lease: of a message 60 s, of a delivery 75 s, of a key the wait of a send and 40 s. */
const leasesMs = 90_000;
const unknownMs = 10 * 60_000 + 1_000;
const settledWithinMs = 90_000;
/** What comes due by itself so soon is waited for. */
const soonMs = 1_500;

interface Open {
  /** Messages marked for a call whose outcome is not known. */
  called: number;
  /** Messages and deliveries that a living gateway has in its hands, or may take now. */
  busy: number;
  /** Those that wait for an instant to come. */
  waiting: number;
  /** Milliseconds until the first of them is due; null: none is. */
  nextMs: number | null;
}

/** What is not ended. No lease of a dead gateway may be among it: `passTime` comes first. */
async function openWork(db: Db): Promise<Open> {
  const { rows } = await sql<Open>`
    with w as (
      select 'called' as kind, null::timestamptz as at from messages where state = 1
      union all
      select case when due_at > now() and attempts > 0 then 'waiting' else 'busy' end, due_at from messages
        where state = 0 and due_at is not null
      union all
      select case when d.state = 4 or (d.due_at <= now() and e.paused_until > now()) then 'waiting' else 'busy' end,
        greatest(d.due_at, e.paused_until)
      from deliveries d join endpoints e on e.id = d.endpoint_id where d.due_at is not null and d.state <> 3
      union all
      select 'busy', null from replays where finished_at is null
      union all
      select 'behind', null from deliveries where state = 3)
    select count(*) filter (where kind = 'called')::int as called, count(*) filter (where kind = 'busy')::int as busy,
      count(*) filter (where kind in ('waiting', 'behind'))::int as waiting,
      (extract(epoch from min(at) filter (where kind = 'waiting') - now()) * 1000)::float8 as "nextMs" from w`.execute(
    db,
  );
  return rows[0] as Open;
}

/**
 * Brings a run to its end: no more faults, gateways started anew once more, every key asked again for its answer.
 * Answers null when nothing is open any more, else what was, when the time was up.
 */
export async function settle(scene: Scene, callers: Callers, fromMs: number): Promise<string | null> {
  const { database, gateways, platform, receiver } = scene;
  await Promise.all([platform.clearFaults(), receiver.clearFaults()]);
  await gateways.stopAll();
  await passTime(database.db, leasesMs);
  await gateways.startAll();
  const asked = callers.askAgain(settledWithinMs / 2);
  const until = performance.now() + settledWithinMs;
  let open = await openWork(database.db);
  while (performance.now() < until) {
    const { callbacksOpen } = await platform.counts();
    open = await openWork(database.db);
    const rest = open.busy + callbacksOpen;
    if (rest === 0 && open.waiting === 0) {
      await asked;
      if (open.called > 0) await passRests(database.db, unknownMs);
      else if (await replayDead(scene, fromMs)) continue;
      else if (isDone(await openWork(database.db), (await platform.counts()).callbacksOpen)) return null;
    } else if (rest === 0 && open.nextMs !== null && open.nextMs > soonMs) {
      await passRests(database.db, open.nextMs);
    }
    await sleep(50);
  }
  await asked;
  const { callbacksOpen } = await platform.counts();
  return JSON.stringify({ ...open, callbacksOpen });
}

const isDone = ({ called, busy, waiting }: Open, callbacksOpen: number) =>
  called + busy + waiting + callbacksOpen === 0;

/** Brings endpoints back that answered 410, and what died meanwhile with them; false if nothing was dead. */
async function replayDead({ database, call }: Scene, fromMs: number): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    select distinct endpoint_id as id from deliveries
    where state = 2 and subject_id >= uuid7_floor(to_timestamp(${fromMs - 1} / 1000.0))`.execute(database.db);
  for (const { id } of rows) {
    await call('PATCH', `/v1/webhooks/endpoints/${id}`, { status: 'active' });
    await call('POST', `/v1/webhooks/endpoints/${id}/replay`, {
      from: new Date(fromMs).toISOString(),
      to: new Date(Date.now() + 60_000).toISOString(),
      status: 'dead',
    });
  }
  return rows.length > 0;
}

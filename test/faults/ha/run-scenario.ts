// One scenario: load and bookings, the fault, the wait until no work is open, and the final check of everything.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { googleControl } from '../../../sandbox/google/control-client.ts';
import type { CampaignFixture } from '../campaign-fixture.ts';
import type { CheckResult } from '../final-check.ts';
import type { GuaranteeName } from '../guarantees.ts';
import { seededRandom } from '../random.ts';
import { underLoad } from '../round.ts';
import { type Availability, type AvailabilityProbe, startAvailabilityProbe } from './availability.ts';
import { type Bookers, type Staff, startBookers } from './bookers.ts';
import { type BookingEvidence, checkBookings } from './check-bookings.ts';
import type { Cluster } from './cluster.ts';
import type { Mode } from './cluster-files.ts';
import { outagesOf } from './connection-losses.ts';
import type { MovableAddress } from './movable-address.ts';
import { recoveryMs } from './recovery.ts';
import type { Scenario, Scene } from './scenarios.ts';
import { startWriteProbe } from './write-probe.ts';

export interface Campaign {
  mode: Mode;
  cluster: Cluster;
  fixture: CampaignFixture;
  address: MovableAddress;
  haproxyPort: number;
  staff: Staff[];
  callerCount: number;
  report(text: string): void;
}

export interface ScenarioResult extends CheckResult {
  availability: Availability[];
  /** From the fault until the database accepted writes again. */
  databaseAwayMs: number;
}

/** Sends have to work again this long after the database accepts writes. */
const recoveryMaxMs = 6_000;
const warmUpMs = 4_000;
const bookingsDoneWithinMs = 100_000;

async function sceneOf({ mode, cluster, fixture, address, report }: Campaign): Promise<Scene> {
  const members = await cluster.patroni.untilWhole();
  if (mode !== 'async') await cluster.patroni.untilSynchronous();
  for (const url of fixture.gateways.urls)
    await cluster.patroni.until(
      'every gateway is ready',
      async () => (await fetch(`${url}/health/ready`)).status === 200,
      60_000,
    );
  const leader = await cluster.patroni.leader();
  const others = cluster.names.filter((name) => name !== leader);
  const synchronous = members.find(({ role }) => role === 'sync_standby')?.name;
  const next = synchronous ?? (others[0] as string);
  return { cluster, fixture, address, leader, next, others, report };
}

/** Runs a scenario. `position` keeps its numbers and slots apart from those of other scenarios of the campaign. */
export async function runScenario(
  campaign: Campaign,
  scenario: Scenario,
  position: number,
): Promise<ScenarioResult> {
  const { fixture, report, address } = campaign;
  const scene = await sceneOf(campaign);
  const random = seededRandom(position + 1).fork('ha');
  const { urls } = fixture.gateways;
  const { apiKey } = fixture;
  const firstNumber = position * 20_000;
  let availability: Availability[] = [];
  let faultMs = 0;
  let databaseAwayMs = 0;
  const firstSlot = position * 400;
  const ofBookers = {
    urls,
    apiKey,
    staff: campaign.staff,
    random: random.fork('bookers'),
    firstSlot,
    lines: 3,
  };
  const bookers = startBookers(ofBookers);
  let probe: AvailabilityProbe | undefined;
  const writes = startWriteProbe(scene.cluster.url);
  const load = { callerCount: campaign.callerCount, restMs: 80, random, firstNumber, report };
  try {
    const result = await underLoad(fixture, load, async () => {
      // its sends are in the evidence, which begins with the load
      probe = startAvailabilityProbe(fixture, firstNumber);
      await scenario.prepare?.(scene);
      await sleep(warmUpMs);
      faultMs = Date.now();
      const lossesBefore = address.lossesMs.length;
      const promotedMs = await scenario.act(scene);
      await sleep(scenario.afterMs ?? 12_000);
      const now = await scene.cluster.patroni.leader();
      if (scenario.failsOver && now === scene.leader)
        throw new Error(`${now} still leads: nothing failed over.`);
      await Promise.all([bookers.stop(), probe.stop(), writes.stop()]);
      // a primary without its standby accepts no commit yet
      databaseAwayMs = Math.max(promotedMs, writes.backMs(faultMs) ?? 0) - faultMs;
      availability = probe.since(faultMs);
      const wholeAfterMs = Math.max(...availability.map((one) => one.wholeAfterMs));
      fixture.gateways.outages.push({ kind: 'database', fromMs: faultMs, toMs: faultMs + wholeAfterMs });
      report(`the database accepted writes again after ${databaseAwayMs} ms`);
      for (const one of availability) report(describe(one));
      // the check needs a database, whatever this scenario did to its address
      address.pointTo(campaign.haproxyPort);
      address.cut();
      await scene.cluster.patroni.untilWhole();
      fixture.gateways.outages.push(...outagesOf(address.lossesMs.slice(lossesBefore)));
    });
    const add = (guarantee: GuaranteeName, subject: string, text: string) => {
      result.violations.push({ guarantee, subject, text });
      result.broken[guarantee] += 1;
    };
    const recovery = { backMs: faultMs + databaseAwayMs, failedWritesMs: writes.failedMs() };
    for (const { gateway, problemsMs } of availability) {
      const ms = recoveryMs(problemsMs, recovery);
      result.figures[`gateway ${gateway}: ms until sends worked`] = ms;
      if (ms > recoveryMaxMs) add('slow_recovery', `gateway ${gateway}`, `${ms} ms`);
    }
    await bookers.repeatOpen(bookingsDoneWithinMs);
    checkBookings(await bookingEvidence(campaign, bookers), add, result.figures);
    return { ...result, availability, databaseAwayMs };
  } finally {
    await Promise.all([bookers.stop(), probe?.stop(), writes.stop()]);
  }
}

const describe = ({ gateway, wholeAfterMs, sends, readiness }: Availability) =>
  `gateway ${gateway}: whole ${wholeAfterMs} ms after the fault; sends ${JSON.stringify(sends)}; readiness ${JSON.stringify(readiness)}`;

/** The responses, rows and events of all bookings so far, once no booking is in progress. */
async function bookingEvidence(
  { fixture: { database, sandbox }, staff }: Campaign,
  { wanted }: Bookers,
): Promise<BookingEvidence> {
  const google = googleControl(sandbox.googleUrl);
  const inProgress = async () => {
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from bookings where state in ('held', 'undoing') or wish is not null`.execute(
      database.db,
    );
    return rows[0]?.n ?? 0;
  };
  const until = performance.now() + bookingsDoneWithinMs;
  while ((await inProgress()) > 0 && performance.now() < until) await sleep(500);
  const { rows } = await sql<BookingEvidence['rows'][number]>`
    select id, state, event_id as "eventId" from bookings`.execute(database.db);
  const eventsOf = async ({ email }: Staff) =>
    (await google.liveEvents(email)).map(({ id, start }) => ({
      id,
      calendar: email,
      startsAt: start.dateTime ?? '',
    }));
  return { wanted, rows, events: (await Promise.all(staff.map(eventsOf))).flat() };
}

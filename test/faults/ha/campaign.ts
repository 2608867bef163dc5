// The high-availability campaign: real clusters in each mode fail over under load, and each scenario is checked like any fault.
import { join } from 'node:path';
import { openDb } from '../../../src/db/db.ts';
import { type CampaignFixture, openCampaignFixture } from '../campaign-fixture.ts';
import type { CampaignDatabase } from '../database.ts';
import type { Violation } from '../guarantees.ts';
import { createStaff } from './bookers.ts';
import { openCluster } from './cluster.ts';
import type { Mode } from './cluster-files.ts';
import { openMovableAddress } from './movable-address.ts';
import { givesUpLostLock, missingPrograms, versionsOfPrograms } from './programs.ts';
import { runScenario, type ScenarioResult } from './run-scenario.ts';
import { scenarios } from './scenarios.ts';

export interface HaOptions {
  modes: readonly Mode[];
  /** Names of scenarios; undefined: all. */
  only?: readonly string[] | undefined;
  callerCount: number;
  report(text: string): void;
  onResult(result: HaResult): void;
  /** Keeps the gateways' logs of each scenario with a violation; null: nowhere. */
  logs: string | null;
}

export interface HaResult {
  mode: Mode;
  name: string;
  /** From the fault until every gateway took every send again. */
  wholeAfterMs: number;
  databaseAwayMs: number;
  figures: Record<string, number>;
  broken: Record<string, number>;
  violations: Violation[];
  /** The scenario itself failed; null: it ran. */
  failure: string | null;
}

/** Why the campaign cannot run here; undefined if it can. */
export const haProblem = missingPrograms;

function databaseAt(url: string): CampaignDatabase {
  const options = { maxConnections: 3, applicationName: 'campaign', statementTimeoutMs: 60_000 };
  const db = openDb({ connectionString: url }, options);
  return {
    url,
    db,
    stopAndStart: async () => undefined,
    cutConnections: () => 0,
    close: () => db.destroy(),
  };
}

/** Runs the scenarios of each mode on a cluster of its own. */
export async function runHaCampaign(options: HaOptions): Promise<HaResult[]> {
  const versions = versionsOfPrograms();
  options.report(Object.values(versions).join('; '));
  const results: HaResult[] = [];
  for (const mode of options.modes) results.push(...(await runMode(mode, options, versions.patroni ?? '')));
  return results;
}

async function runMode(mode: Mode, options: HaOptions, patroniVersion: string): Promise<HaResult[]> {
  const { report } = options;
  const chosen = Object.entries(scenarios).filter(
    ([name, { modes }]) => modes.includes(mode) && (options.only?.includes(name) ?? true),
  );
  if (chosen.length === 0) return [];
  const cluster = await openCluster(mode);
  const haproxyPort = Number(new URL(cluster.url).port);
  const address = await openMovableAddress(haproxyPort);
  const results: HaResult[] = [];
  let fixture: CampaignFixture | undefined;
  try {
    const url = new URL(cluster.url);
    url.port = String(address.port);
    fixture = await openCampaignFixture(2, undefined, async () => ({
      ...databaseAt(cluster.url),
      url: url.href,
    }));
    const staff = await createStaff(fixture, 4);
    const { callerCount } = options;
    const campaign = { mode, cluster, fixture, address, haproxyPort, staff, callerCount, report };
    for (const [position, [name, scenario]] of chosen.entries()) {
      if (scenario.needsLockFix && !givesUpLostLock(patroniVersion)) {
        report(`${mode} ${name}: SKIPPED, needs Patroni 3.1 or later; this is ${patroniVersion}`);
        continue;
      }
      report(`${mode} ${name}`);
      const result = await resultOf(mode, name, () => runScenario(campaign, scenario, position));
      results.push(result);
      options.onResult(result);
      if (!isAsExpected(result) && options.logs)
        await fixture.gateways.keepLogs(join(options.logs, `${mode}-${name}`));
    }
  } finally {
    await fixture?.close();
    await address.close();
    await cluster.close();
  }
  return results;
}

async function resultOf(mode: Mode, name: string, run: () => Promise<ScenarioResult>): Promise<HaResult> {
  try {
    const { availability, databaseAwayMs, figures, broken, violations } = await run();
    const wholeAfterMs = Math.max(...availability.map((one) => one.wholeAfterMs));
    return { mode, name, wholeAfterMs, databaseAwayMs, figures, broken, violations, failure: null };
  } catch (error) {
    const nothing = { wholeAfterMs: 0, databaseAwayMs: 0, figures: {}, broken: {}, violations: [] };
    return { mode, name, ...nothing, failure: error instanceof Error ? error.message : String(error) };
  }
}

/** True without a violation. What asynchronous replication loses is expected. */
export const isAsExpected = ({ mode, violations, failure }: HaResult): boolean =>
  failure === null && (mode === 'async' || violations.length === 0);

/** True if the check saw what failovers without synchronous replication lost or repeated. */
export const provesTheCheck = (results: readonly HaResult[]): boolean =>
  results.some(({ broken: { lost = 0, duplicated = 0 } }) => lost + duplicated > 0);

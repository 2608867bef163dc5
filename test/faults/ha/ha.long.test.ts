// A PostgreSQL cluster that fails over, as planned and after a kill, under load: nothing is lost or repeated, and sends work again in time.
import { expect, test } from 'vitest';
import { type HaResult, haProblem, runHaCampaign } from './campaign.ts';

const problem = haProblem();

if (problem !== undefined)
  test(`high availability NOT TESTED: ${problem}`, () => expect(problem).toBeTruthy());
else
  test('a switchover and the kill of a primary lose and repeat nothing, and sends work again within 6 s', {
    timeout: 600_000,
  }, async () => {
    const results: HaResult[] = [];
    await runHaCampaign({
      modes: ['sync'],
      only: ['switchover', 'kill-postmaster'],
      callerCount: 4,
      report() {},
      onResult: (result) => void results.push(result),
      logs: null,
    });
    const summary = results.map(({ name, failure, violations }) => ({ name, failure, violations }));
    expect(summary).toEqual([
      { name: 'switchover', failure: null, violations: [] },
      { name: 'kill-postmaster', failure: null, violations: [] },
    ]);
    for (const { figures } of results) {
      // enough happened for the check to mean something
      expect(figures.read).toBeGreaterThan(20);
      expect(figures['bookings confirmed']).toBeGreaterThan(4);
    }
  });

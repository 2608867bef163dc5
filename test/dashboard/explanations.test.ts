// What the dashboard concludes from figures and explained starts: intervals of an endpoint, its problem, and rules that could go.
import { expect, test } from 'vitest';
import type { Endpoint, ExplainedStep, WebhookStatistics } from '../../client/src/generated.ts';
import { alikeOf } from '../../dashboard/src/users/explained.ts';
import { problemOf } from '../../dashboard/src/webhooks/endpoint-state.ts';
import { endpointFigures, queryOf } from '../../dashboard/src/webhooks/figures.ts';

const endpointId = 'endpoint';
const nowMs = Date.parse('2026-11-23T10:20:00Z');
const counted = (at: string): WebhookStatistics => ({
  ...{ at, endpointId, attempts: 3, delivered: 2, failed: 1, dead: 0 },
  ...{ p50Ms: 10, p95Ms: 20 },
});

test.each([
  ['UTC', '2026-11-22T11:00:00.000Z', '2026-11-23T10:00:00.000Z'],
  ['Asia/Kolkata', '2026-11-22T10:30:00.000Z', '2026-11-23T09:30:00.000Z'],
  ['Asia/Kathmandu', '2026-11-22T11:15:00.000Z', '2026-11-23T10:15:00.000Z'],
])('a day in %s has 24 hours of that zone, those without attempts too', (zone, first, last) => {
  expect(queryOf('day', nowMs, zone)).toEqual({ from: first, interval: 'hour' });
  const rows = endpointFigures([counted(last), { ...counted(last), endpointId: 'another' }], {
    ...{ endpointId, range: 'day', nowMs, zone },
  });
  expect(rows.map(({ at }) => at)).toHaveLength(24);
  expect(rows[0]).toMatchObject({ at: first, attempts: 0, p95Ms: null });
  expect(rows.at(-1)).toMatchObject({ at: last, attempts: 3 });
});

test('a month has 30 civil days, also over a change of the clocks', () => {
  const zone = 'Europe/Berlin';
  const at = Date.parse('2026-11-10T10:00:00Z');
  const rows = endpointFigures([counted('2026-10-25T22:00:00.000Z')], {
    ...{ endpointId, range: 'month', nowMs: at, zone },
  });
  expect(rows).toHaveLength(30);
  expect(rows[0]?.at).toBe('2026-10-11T22:00:00.000Z');
  expect(rows.at(-1)?.at).toBe('2026-11-09T23:00:00.000Z');
  expect(rows.reduce((sum, { attempts }) => sum + attempts, 0)).toBe(3);
});

const endpoint = { status: 'active', failingSince: null, restingUntil: null } as Endpoint;

test.each<[Partial<Endpoint>, string | undefined]>([
  [{}, undefined],
  [{ failingSince: '2026-11-23T09:00:00Z' }, 'failing'],
  [{ failingSince: '2026-11-23T09:00:00Z', restingUntil: '2026-11-23T10:21:00Z' }, 'resting'],
  [{ failingSince: '2026-11-23T09:00:00Z', restingUntil: '2026-11-23T10:19:00Z' }, 'failing'],
  [{ status: 'paused', failingSince: '2026-11-23T09:00:00Z' }, 'paused'],
  [{ status: 'disabled' }, 'disabled'],
])('an endpoint that is %o has the problem %s', (given, problem) => {
  expect(problemOf({ ...endpoint, ...given }, nowMs)).toBe(problem);
});

/** A start of a date that is still ahead, half an hour long. */
function step(from: string, reasons: ExplainedStep['reasons'], isTaken = false): ExplainedStep {
  const startsAt = `2999-01-01T${from}:00.000Z`;
  const endsAt = new Date(Date.parse(startsAt) + 1_800_000).toISOString();
  const by = isTaken ? { kind: 'booking' as const, id: 'booking', until: endsAt } : null;
  return { from, to: '', startsAt, endsAt, open: reasons.length === 0, reasons, by };
}
const booking = { startsAt: '2999-01-01T10:00:00.000Z', endsAt: '2999-01-01T10:30:00.000Z' };
const before = step('09:30', ['booked'], true);
const taken = step('10:00', ['booked'], true);
const after = step('10:30', ['booked'], true);
const soon = step('08:00', ['notice']);
const soonAndTaken = step('08:30', ['notice', 'booked'], true);
const steps = [soon, soonAndTaken, before, taken, after, step('11:00', [])];

test('without free minutes, only the starts that touch no booking would open', () => {
  expect(alikeOf(before, steps, [booking])).toEqual({ rule: 'booked', steps: [before, after] });
  expect(alikeOf(taken, steps, [booking])).toBeUndefined();
});

test('a rule opens a start only if nothing else stops it', () => {
  expect(alikeOf(soon, steps, [booking])).toEqual({ rule: 'notice', steps: [soon] });
  expect(alikeOf(soonAndTaken, steps, [booking])).toBeUndefined();
  expect(alikeOf(step('12:00', ['calendar_busy']), steps, [])).toBeUndefined();
  expect(alikeOf(step('12:00', []), steps, [])).toBeUndefined();
});

// The stages of a message: folded reports, implied stages, new stages, and the timeline.
import { describe, expect, it, test } from 'vitest';
import {
  attemptsMax,
  foldReports,
  newStages,
  overtakenFailure,
  ownErrors,
  retryDelaySeconds,
  stageBit,
  stateName,
  stateNumber,
} from '../../src/messaging/messages/message.ts';
import { type MessageTimes, timelineOf } from '../../src/messaging/messages/timeline.ts';
import type { StatusReport } from '../../src/ports/platform.ts';
import { fc } from '../harness/property.ts';

type Status = StatusReport['status'];
const error = { code: 131026, title: 'Message undeliverable', message: 'No such user.' };

const report = (status: Status, timestamp = 100, more: Partial<StatusReport> = {}): StatusReport => ({
  phoneNumberId: '1',
  messageRef: 'wamid.A',
  correlationId: 'id',
  status,
  timestamp,
  priceCategory: null,
  billable: null,
  error: status === 'failed' ? error : null,
  ...more,
});
const fold = (...reports: StatusReport[]) => foldReports('account', 'id', reports);
const emittedBy = (...reports: StatusReport[]) => {
  const move = fold(...reports);
  return newStages({ ...move, was: 0, emitted: move.stages }).map(({ name, at }) => `${name}@${at}`);
};

describe('reports of one message, folded', () => {
  it.each<[string, StatusReport[], number, string[]]>([
    ['sent', [report('sent', 1)], 3, ['sent@1']],
    ['delivered implies sent, at its time', [report('delivered', 2)], 4, ['sent@2', 'delivered@2']],
    ['read implies both', [report('read', 3)], 5, ['sent@3', 'delivered@3', 'read@3']],
    [
      'in any order, each with its own time',
      [report('read', 3), report('sent', 1), report('delivered', 2)],
      5,
      ['sent@1', 'delivered@2', 'read@3'],
    ],
    ['sent and read', [report('read', 3), report('sent', 1)], 5, ['sent@1', 'delivered@3', 'read@3']],
    ['a repeated report: the earliest time', [report('sent', 5), report('sent', 4)], 3, ['sent@4']],
    ['failed', [report('failed', 9)], 6, ['failed@9']],
    ['failed after sent', [report('sent', 1), report('failed', 9)], 6, ['sent@1', 'failed@9']],
    [
      'delivered wins over failed',
      [report('failed', 1), report('delivered', 2)],
      4,
      ['sent@2', 'delivered@2'],
    ],
  ])('%s', (_what, reports, state, stages) => {
    expect(fold(...reports).state).toBe(state);
    expect(emittedBy(...reports)).toEqual(stages);
  });

  it('distinguish reported and implied stages', () => {
    expect(fold(report('read'), report('sent'))).toMatchObject({
      stages: stageBit.sent | stageBit.delivered | stageBit.read,
      reported: stageBit.sent | stageBit.read,
    });
  });

  it('keep the error only if the message failed, and the first price', () => {
    expect(fold(report('failed')).error).toEqual(error);
    expect(fold(report('failed'), report('read', 1, { priceCategory: 'utility' }))).toMatchObject({
      error: null,
      failedAt: null,
      priceCategory: 'utility',
    });
  });

  it('have the same result in any order', () => {
    const any = fc.array(
      fc.record({ status: fc.constantFrom<Status>('sent', 'delivered', 'read', 'failed'), at: fc.nat(50) }),
      { minLength: 1, maxLength: 8 },
    );
    fc.assert(
      fc.property(any, fc.infiniteStream(fc.nat()), (list, random) => {
        const reports = list.map(({ status, at }) => report(status, at));
        const shuffled = reports
          .map((one) => ({ one, rank: random.next().value as number }))
          .sort((a, b) => a.rank - b.rank)
          .map(({ one }) => one);
        expect(fold(...shuffled)).toEqual(fold(...reports));
        const names = emittedBy(...reports).map((stage) => stage.split('@')[0]);
        expect(names).toEqual(['sent', 'delivered', 'read', 'failed'].filter((name) => names.includes(name)));
      }),
    );
  });
});

describe('a failure reported together with a delivery', () => {
  const overtaken = (...reports: StatusReport[]) => overtakenFailure('account', 'id', reports);
  it.each<[string, StatusReport[], string[] | null]>([
    ['before the delivery is published first', [report('delivered', 2), report('failed', 1)], ['failed@1']],
    ['of the same second is published first too', [report('failed', 2), report('read', 2)], ['failed@2']],
    [
      'after sent is published after it',
      [report('sent', 1), report('failed', 2), report('delivered', 3)],
      ['sent@1', 'failed@2'],
    ],
    [
      'before sent is published alone',
      [report('failed', 1), report('sent', 2), report('delivered', 3)],
      ['failed@1'],
    ],
    ['after the delivery is ignored', [report('delivered', 1), report('failed', 2)], null],
    ['without a delivery is not overtaken', [report('sent', 1), report('failed', 2)], null],
    ['is null without a failure', [report('delivered', 1)], null],
  ])('%s', (_what, reports, stages) => {
    const move = overtaken(...reports);
    expect(
      move && newStages({ ...move, was: 0, emitted: move.stages }).map(({ name, at }) => `${name}@${at}`),
    ).toEqual(stages);
    if (move) expect(move).toMatchObject({ state: 6, error });
  });
});

test('only stages that were not published before are published', () => {
  const times = { sentAt: 1, deliveredAt: 2, readAt: 3, failedAt: null };
  expect(newStages({ was: 1, emitted: 7, ...times }).map(({ name }) => name)).toEqual(['delivered', 'read']);
  expect(newStages({ was: 7, emitted: 7, ...times })).toEqual([]);
});

describe('the timeline', () => {
  const past: MessageTimes = {
    ...{ createdAt: new Date(0), acceptedAt: null, sentAt: null, deliveredAt: null, readAt: null },
    ...{ failedAt: null, isFailureReported: false, implied: 0 },
  };
  const at = (second: number) => new Date(second * 1000);

  it('has each stage in order, and marks implied stages', () => {
    const stages = timelineOf({
      ...past,
      ...{ acceptedAt: at(1), sentAt: at(3), deliveredAt: at(3), readAt: at(3) },
      implied: stageBit.sent | stageBit.delivered,
    });
    expect(stages.map(({ status, implied }) => `${status}${implied ? ' implied' : ''}`)).toEqual([
      ...['queued', 'accepted', 'sent implied', 'delivered implied', 'read'],
    ]);
  });

  it('raises a platform time in whole seconds to the previous stage, and keeps it as platformTimestamp', () => {
    const stages = timelineOf({ ...past, createdAt: at(1.2), acceptedAt: at(1.7), sentAt: at(1) });
    expect(stages).toEqual([
      { status: 'queued', at: at(1.2).toISOString(), platformTimestamp: null, implied: false },
      { status: 'accepted', at: at(1.7).toISOString(), platformTimestamp: null, implied: false },
      { status: 'sent', at: at(1.7).toISOString(), platformTimestamp: at(1).toISOString(), implied: false },
    ]);
  });

  it('has a platformTimestamp for a failure only if the platform reported it', () => {
    const last = (isFailureReported: boolean) =>
      timelineOf({ ...past, failedAt: at(9), isFailureReported }).at(-1)?.platformTimestamp;
    expect([last(true), last(false)]).toEqual([at(9).toISOString(), null]);
  });

  it('is in order for any times, and makes no time earlier', () => {
    const time = fc.option(fc.integer({ min: -5000, max: 5000 }).map((ms) => new Date(ms)));
    const times = fc.record({
      ...{ acceptedAt: time, sentAt: time, deliveredAt: time, readAt: time, failedAt: time },
      isFailureReported: fc.boolean(),
    });
    fc.assert(
      fc.property(times, (given) => {
        const stages = timelineOf({ ...past, ...given });
        const instants = stages.map((stage) => Date.parse(stage.at));
        expect(instants).toEqual(instants.toSorted((a, b) => a - b));
        for (const { status, at: shown } of stages) {
          const own = { ...past, ...given, queuedAt: past.createdAt }[
            `${status}At` as keyof MessageTimes
          ] as Date;
          expect(Date.parse(shown)).toBeGreaterThanOrEqual(own.getTime());
        }
      }),
    );
  });
});

test('each state number has a name that converts back to it', () => {
  for (let number = 0; number <= 6; number++) expect(stateNumber(stateName(number))).toBe(number);
});

test('the gateway’s own error codes never change', () => {
  const codes = Object.values(ownErrors).map(({ code }) => code);
  expect(codes).toEqual([900001, 900002, 900003, 900004, 900005, 900006, 900007]);
});

test('retry delays grow as 4^n seconds for pair rates and 2^n otherwise, up to a maximum', () => {
  expect([1, 2, 3, 4, 20].map((tries) => retryDelaySeconds(tries, 'pair_rate'))).toEqual([
    1, 4, 16, 64, 3600,
  ]);
  expect([1, 2, 3, 20].map((tries) => retryDelaySeconds(tries, 'retry'))).toEqual([1, 2, 4, 300]);
  expect(retryDelaySeconds(1, 'throttled')).toBe(1);
  expect(
    (['retry', 'retry_few', 'retry_once', 'template_missing', 'throttled', 'pair_rate'] as const).map(
      attemptsMax,
    ),
  ).toEqual([8, 3, 2, 3, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]);
});

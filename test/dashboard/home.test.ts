// What the start page of the dashboard says: what needs a person, the intervals of its charts, and a reply as a phone shows it.
import { describe, expect, test } from 'vitest';
import type { Overview } from '../../client/src/generated.ts';
import { weekAgo } from '../../dashboard/src/home/periods.ts';
import { problemsOf } from '../../dashboard/src/home/problems.ts';
import { partsOfReply } from '../../dashboard/src/messages/reply-parts.ts';
import { lanesOf, stepsOf } from '../../dashboard/src/messages/steps.ts';
import { intervalsOf, rowsOf } from '../../dashboard/src/text/intervals.ts';

const nowMs = Date.parse('2026-11-24T09:42:16Z');
const instant = '2026-11-24T09:00:00.000Z';
const check = (senderId: string, name: string) => ({
  ...{
    senderId,
    senderName: senderId,
    check: name,
    detail: `${name} is wrong`,
    fix: null,
    checkedAt: instant,
  },
});
const endpoint = (url: string, more: object = {}) => ({
  ...{ _id: url, url, status: 'active', disabledReason: null, failingSince: instant, restingUntil: null },
  ...more,
});
const template = (name: string, providerStatus = 'REJECTED') => ({
  ...{ _id: name, name, language: 'en', providerStatus, rejectedReason: 'NONE' },
});
const problems = (parts: Partial<Overview>) => problemsOf(parts as Overview, nowMs);

describe('what needs a person', () => {
  test('names a failed check once a number, and not for a halted one, which says so itself', () => {
    const haltedSenders = [
      { _id: 'b', name: 'b', displayPhone: null, haltedAt: instant, haltedReason: 'x', haltedCode: 190 },
    ];
    const failedChecks = [check('a', 'token'), check('a', 'templates'), check('b', 'token')];
    expect(
      problems({ haltedSenders, failedChecks }).map(({ kind, id, reason }) => [kind, id, reason]),
    ).toEqual([
      ['sender', 'b', 'x'],
      ['check', 'a', 'token is wrong'],
    ]);
  });

  test('tells endpoints of one host apart, and leaves out those that somebody paused', () => {
    const failingEndpoints = [
      endpoint('https://a.example/one'),
      endpoint('https://a.example/two', { restingUntil: '2026-11-24T09:43:00.000Z' }),
      endpoint('https://b.example/hooks', { status: 'disabled' }),
      endpoint('https://c.example/hooks', { status: 'paused' }),
    ];
    expect(problems({ failingEndpoints }).map(({ name, state }) => [name, state])).toEqual([
      ['a.example/one', 'failing'],
      ['a.example/two', 'resting'],
      ['b.example', 'disabled'],
    ]);
  });

  test('names up to three templates that cannot be sent, and counts more', () => {
    const few = [template('a'), template('b', 'PAUSED'), template('c', 'DISABLED')];
    expect(
      problems({ stoppedTemplates: few }).map(({ name, state, reason }) => [name, state, reason]),
    ).toEqual([
      ['a en', 'rejected', null],
      ['b en', 'paused', null],
      ['c en', 'disabled', null],
    ]);
    const many = problems({ stoppedTemplates: [...few, template('d')] });
    expect(many).toMatchObject([{ kind: 'templates', name: '4' }]);
  });
});

describe('the intervals of the charts', () => {
  test.each([
    ['UTC', '2026-11-23T10:00:00.000Z', '2026-11-24T10:00:00.000Z'],
    ['Asia/Kolkata', '2026-11-23T10:30:00.000Z', '2026-11-24T10:30:00.000Z'],
    ['Asia/Kathmandu', '2026-11-23T10:15:00.000Z', '2026-11-24T10:15:00.000Z'],
    ['America/St_Johns', '2026-11-23T10:30:00.000Z', '2026-11-24T10:30:00.000Z'],
  ])('are 24 hours that begin when those of %s do', (zone, first, end) => {
    const { starts, from, to, interval } = intervalsOf('day', nowMs, zone);
    expect([starts.length, from, to, interval]).toEqual([24, first, end, 'hour']);
  });

  test('are 30 days of the zone, one of them with an hour more when summer time ends', () => {
    const at = Date.parse('2026-10-30T12:00:00Z');
    const { starts, to } = intervalsOf('month', at, 'Europe/Berlin');
    expect(starts).toHaveLength(30);
    expect([new Date(starts[0] ?? 0).toISOString(), to]).toEqual([
      '2026-09-30T22:00:00.000Z',
      '2026-10-30T23:00:00.000Z',
    ]);
    const hours = starts.slice(1).map((start, index) => (start - (starts[index] ?? 0)) / 3_600_000);
    expect(hours.filter((length) => length !== 24)).toEqual([25]);
    expect(
      rowsOf([{ at: '2026-10-24T22:00:00.000Z' }], starts).filter((row) => row !== undefined),
    ).toHaveLength(1);
  });

  test('a week ago ends at the same quarter of an hour', () => {
    expect(weekAgo(nowMs, 'UTC')).toEqual({
      from: '2026-11-17T00:00:00.000Z',
      to: '2026-11-17T09:30:00.000Z',
    });
  });
});

describe('one message', () => {
  test('has a lane for each of four receivers, and one for all others of more', () => {
    const to = (count: number) =>
      lanesOf({ deliveries: Array.from({ length: count }, (_, at) => ({ endpointId: `${at}` })) as never });
    expect([to(4).lanes.length, to(4).others]).toEqual([7, 0]);
    expect([to(6).lanes.length, to(6).others]).toEqual([6, 3]);
  });

  test('ends in the gateway, in the state that it means, where the platform never said how', () => {
    const message = (code: number) => ({
      ...{ createdAt: instant, deliveries: [], status: 'failed', error: { code, title: '', message: '' } },
      timeline: [{ status: 'failed', at: instant, platformTimestamp: null, implied: false }],
    });
    const last = (code: number) => stepsOf(message(code) as never).at(-1);
    expect(last(900001)).toMatchObject({ from: 1, to: 1, state: 'outcome_unknown' });
    expect(last(131026)).toMatchObject({ from: 2, to: 1, state: 'failed' });
  });

  test('shows a reply as the person sees it: text, buttons, files by name', () => {
    const parts = partsOfReply({ text: 'Which?', buttons: [{ id: 'a', title: 'Today' }] });
    expect([parts.body, parts.buttons.map(({ text }) => text)]).toEqual(['Which?', ['Today']]);
    const file = partsOfReply({ media: { mediaId: 'm', caption: 'The offer', fileName: 'offer.pdf' } });
    expect([file.header?.fileName, file.body]).toEqual(['offer.pdf', 'The offer']);
  });
});

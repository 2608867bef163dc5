// When a template can be edited, and which time to live its category allows.
import { describe, expect, it, test } from 'vitest';
import { unapprovedTemplate } from '../../src/adapters/meta/error-codes.ts';
import { ttlProblems } from '../../src/messaging/template-editing/time-to-live.ts';
import { editability } from '../../src/messaging/templates/edit-rules.ts';

const platform = { unapprovedTemplate };
const day = 86_400_000;
const now = Date.parse('2026-11-22T00:00:00Z');
const approved = (...daysAgo: number[]) => ({
  ...{ status: 'approved', provider_status: 'APPROVED' },
  edited_at: daysAgo.map((days) => new Date(now - days * day)),
});
const ten = (last: number) => approved(...Array.from({ length: 10 }, (_, n) => last + 9 - n));

describe('an approved template can be edited', () => {
  it.each([
    ['if it was never', approved(), true, null],
    ['after exactly 24 hours', approved(1), true, null],
    ['not before', approved(0.75), false, 0.25],
    ['nine times in 30 days', approved(10, 9, 8, 7, 6, 5, 4, 3, 2), true, null],
    ['not eleven times in 30 days, but when the first is 30 days old', ten(2), false, 19],
    ['when the first of ten is 30 days old', ten(21), true, null],
  ])('%s', (_name, row, isEditable, days) => {
    const at = days === null ? null : new Date(now + days * day);
    expect(editability(platform, row, now)).toEqual({ isEditable, at });
  });
});

test('a rejected or paused template can always be edited, others never', () => {
  const words = ['REJECTED', 'PAUSED', 'PENDING', 'DISABLED', 'PENDING_DELETION', 'IN_APPEAL'];
  const editable = words.filter(
    (word) =>
      editability(platform, { ...approved(0.1), status: 'submitted', provider_status: word }, now).isEditable,
  );
  expect(editable).toEqual(['REJECTED', 'PAUSED']);
  expect(
    editability(platform, { ...approved(), status: 'draft', provider_status: null }, now).isEditable,
  ).toBe(true);
});

test('a time to live fits its category', () => {
  const allows = (category: string, seconds: number | null) => ttlProblems(category, seconds).length === 0;
  for (const [category, good, bad] of [
    ['AUTHENTICATION', [30, 900, -1], [29, 901, 0]],
    ['UTILITY', [30, 43_200, -1], [29, 43_201]],
    ['MARKETING', [43_200, 2_592_000], [43_199, 2_592_001, -1]],
  ] as [string, number[], number[]][]) {
    for (const seconds of [...good, null])
      expect([category, seconds, allows(category, seconds)]).toEqual([category, seconds, true]);
    for (const seconds of bad)
      expect([category, seconds, allows(category, seconds)]).toEqual([category, seconds, false]);
  }
});

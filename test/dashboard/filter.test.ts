// The search of messages in the dashboard: what somebody types, the address, and the query of the API.
import { expect, test } from 'vitest';
import {
  exportOf,
  filterOf,
  queryOf,
  searchOf,
  typedOf,
  withSearch,
} from '../../dashboard/src/messages/filter.ts';

test.each([
  ['019a0b5e-7c00-7000-8000-000000000004', { id: '019a0b5e-7c00-7000-8000-000000000004' }],
  ['wamid.HBgL', { messageId: 'wamid.HBgL' }],
  ['+1 (555) 123-0001', { phone: '15551230001' }],
  ['order=A-1001', { metadata: 'order=A-1001' }],
  [' Ada Lovelace ', { name: 'Ada Lovelace' }],
  ['', {}],
])('%s is searched as what it is', (typed, found) => {
  expect(searchOf(typed)).toEqual(found);
});

test('another search replaces the one before and keeps the other filters', () => {
  const filter = { name: 'Ada', status: 'failed', hours: 24 } as const;
  expect(withSearch(filter, { metadata: 'a=b' })).toEqual({ metadata: 'a=b', status: 'failed', hours: 24 });
  expect(typedOf(filter)).toBe('Ada');
});

test('an address with unknown values filters by the others', () => {
  expect(filterOf({ status: 'nonsense', hours: 5, phone: 15551230001, name: '', templateId: 't' })).toEqual({
    phone: '15551230001',
    templateId: 't',
  });
});

test('a time is counted back from now', () => {
  const now = Date.UTC(2026, 0, 1);
  const from = '2025-12-31T23:00:00.000Z';
  expect(queryOf({ hours: 1, name: 'Ada' }, now, 'UTC')).toEqual({ name: 'Ada', kind: 'all', from });
  expect(exportOf({ hours: 1, name: 'Ada', kind: 'reply' }, now, 'UTC')).toBe(
    `/v1/messages.csv?${new URLSearchParams({ kind: 'reply', from })}`,
  );
});

test.each([
  ['UTC', '2026-03-29T00:00:00.000Z'],
  ['Asia/Kolkata', '2026-03-29T18:30:00.000Z'],
  ['America/New_York', '2026-03-29T04:00:00.000Z'],
  ['Europe/Berlin', '2026-03-28T23:00:00.000Z'],
])('today begins at midnight in %s, as on the start page', (zone, from) => {
  const filter = filterOf({ hours: 'today' });
  expect(queryOf(filter, Date.UTC(2026, 2, 29, 20), zone)).toEqual({ kind: 'all', from });
});

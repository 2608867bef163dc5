// Lists of the dashboard that update themselves: what stays when their first page is read again.
import { expect, test } from 'vitest';
import {
  arrived,
  type HeldRows,
  waitingCount,
  withChanged,
  withFirst,
  withOlder,
} from '../../dashboard/src/api/live-rows.ts';

const idOf = (row: { id: number }) => row.id.toString();
const page = (ids: number[], nextCursor: string | null) => ({
  items: ids.map((id) => ({ id, is: 'new' })),
  pagination: { nextCursor },
});
const rows = (ids: number[], next: string | null, ends: [string, string][] = []) => ({
  items: ids.map((id) => ({ id, is: 'old' })),
  next,
  ends: new Map(ends),
});
const shown = ({ items, next }: { items: { id: number; is: string }[]; next: string | null }) => [
  items.map(({ id, is }) => (is === 'new' ? `${id}!` : `${id}`)).join(' '),
  next,
];

test('keeps rows that new ones push out of the first page, and older pages', () => {
  expect(shown(withFirst(rows([5, 4, 3, 2, 1], 'after 1'), page([7, 6, 5], 'after 5'), idOf))).toEqual([
    '7! 6! 5! 4 3 2 1',
    'after 1',
  ]);
});

test('begins again when rows are missing between the page and what was known', () => {
  expect(shown(withFirst(rows([3, 2, 1], 'after 1'), page([9, 8, 7], 'after 7'), idOf))).toEqual([
    '9! 8! 7!',
    'after 7',
  ]);
});

test('drops a row of the first page that is gone', () => {
  expect(shown(withFirst(rows([5, 4, 3, 2], null), page([5, 3, 2], 'after 2'), idOf))).toEqual([
    '5! 3! 2!',
    'after 2',
  ]);
});

test('a row that moves to the top leaves its place, and no other', () => {
  expect(shown(withFirst(rows([5, 4, 3, 2, 1], null), page([2, 5, 4], 'after 4'), idOf))).toEqual([
    '2! 5! 4! 3 1',
    null,
  ]);
});

test('a whole list in one page is that page', () => {
  expect(shown(withFirst(rows([3, 2, 1], 'after 1'), page([3], null), idOf))).toEqual(['3!', null]);
});

test('adds an older page once, and newer states of its rows', () => {
  const more = withOlder(rows([3, 2], 'after 2'), page([2, 1], null), idOf);
  expect(shown(more)).toEqual(['3 2 1!', null]);
  expect(shown(withChanged(rows([3, 2], null), [{ id: 2, is: 'new' }], idOf))).toEqual(['3 2!', null]);
});

test('a list that grows by itself is cut where a page ended, and continues there', () => {
  const known = withFirst(
    rows([4, 3, 2, 1], 'after 1', [['3', 'after 3']]),
    page([6, 5, 4], 'after 4'),
    idOf,
    5,
  );
  expect(shown(known)).toEqual(['6! 5! 4! 3', 'after 3']);
  let list = known;
  for (let id = 7; id <= 100; id++) {
    list = withFirst(list, page([id, id - 1, id - 2], `after ${id - 2}`), idOf, 5);
    expect(list.items.length).toBeLessThanOrEqual(5);
    expect(list.ends.size).toBeLessThanOrEqual(5);
  }
  expect(shown(list)).toEqual(['100! 99! 98! 97! 96!', 'after 96']);
});

test('a list that was searched on from an empty page keeps what was found', () => {
  expect(shown(withFirst(rows([2, 1], null), page([], 'after 9'), idOf))).toEqual(['2 1', null]);
  expect(shown(withFirst(undefined, page([], 'after 9'), idOf))).toEqual(['', 'after 9']);
});

test('while a list is held, new rows wait and are counted, and known ones change in their places', () => {
  type Held = HeldRows<{ id: number; is: string }>;
  const before: Held = { shown: rows([3, 2, 1], null, [['1', 'after 1']]), waiting: undefined };
  const held = { isHeld: true, keep: 100 };
  const once = arrived(before, page([5, 4, 3], 'after 3'), idOf, held);
  expect(shown(once.shown)).toEqual(['3! 2 1', null]);
  expect(waitingCount(once, idOf)).toEqual({ count: 2, isMore: false });
  const gap = arrived(once, page([99, 98, 97], 'after 97'), idOf, held);
  expect(shown(gap.shown)).toEqual(['3! 2 1', null]);
  expect(waitingCount(gap, idOf)).toEqual({ count: 3, isMore: true });
  const released = arrived(gap, page([99, 98, 97], 'after 97'), idOf, { ...held, isHeld: false });
  expect(shown(released.shown)).toEqual(['99! 98! 97!', 'after 97']);
  expect(waitingCount(released, idOf)).toEqual({ count: 0, isMore: false });
});

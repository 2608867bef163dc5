// Lists of the dashboard that update themselves: what stays when their first page is read again.
import { expect, test } from 'vitest';
import { withChanged, withFirst, withOlder } from '../../dashboard/src/api/live-rows.ts';

const idOf = (row: { id: number }) => row.id.toString();
const page = (ids: number[], nextCursor: string | null) => ({
  items: ids.map((id) => ({ id, is: 'new' })),
  pagination: { nextCursor },
});
const rows = (ids: number[], next: string | null) => ({ items: ids.map((id) => ({ id, is: 'old' })), next });
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

// Nothing moves under the hand: new rows wait behind a button unless the list is at its top.
import { useState } from 'react';

interface Row {
  id: string;
}

interface Held<T> {
  rows: T[];
  /** New rows that wait. */
  heldCount: number;
  /** Shows them. */
  show: () => void;
}

const topPx = 8;

/** Splits the rows, newest first, into those that are shown and those that wait. `key` names the list: another list begins anew. */
export function useHeldRows<T extends Row>(rows: T[], key: string): Held<T> {
  const newest = rows[0]?.id;
  const [shown, setShown] = useState({ key, first: newest });
  const isOther = shown.key !== key || shown.first === undefined;
  const at = isOther
    ? 0
    : Math.max(
        0,
        rows.findIndex(({ id }) => id === shown.first),
      );
  const mayShow = isOther || (at > 0 && window.scrollY <= topPx && !isRowFocused());
  if (mayShow && (shown.key !== key || shown.first !== newest)) setShown({ key, first: newest });
  const heldCount = mayShow ? 0 : at;
  return { rows: rows.slice(heldCount), heldCount, show: () => setShown({ key, first: newest }) };
}

/** True while the keyboard is on a row. */
const isRowFocused = (): boolean => document.activeElement?.closest('tbody') != null;

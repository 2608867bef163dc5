// Nothing moves under the hand: new rows wait behind a button unless the page is at its top and the keyboard is on no row.

const topPx = 8;

/** True while somebody reads or walks through the rows. */
export const isListHeld = (): boolean =>
  window.scrollY > topPx || document.activeElement?.closest('tbody') != null;

// What can be done with a booking. Pure.
import type { Booking } from '../../../client/src/generated.ts';

/** The scope that cancels and moves. */
export const changeScope = 'appointments:manage';

/** True while it can be moved or cancelled: confirmed, and no change in progress. */
export const isChangeable = ({ status, pendingChange }: Booking): boolean =>
  status === 'confirmed' && pendingChange === null;

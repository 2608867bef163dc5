// A booking that is being moved: the open slots of its staff member, and the one that was chosen.
import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import type { Booking, Slot } from '../../../client/src/generated.ts';
import { slotsQuery } from './queries.ts';

/** An open slot with its date, both in the viewer's zone. */
export interface DatedSlot extends Slot {
  date: string;
}

export interface Move {
  booking: Booking;
  /** Of the dates that the calendar shows. */
  slots: DatedSlot[];
  isLoading: boolean;
  error: unknown;
  chosen: DatedSlot | undefined;
  choose: (slot: DatedSlot | undefined) => void;
}

/** The move of `booking` in the calendar of `dates`; undefined while none is moved. */
export function useMove(booking: Booking | undefined, dates: string[]): Move | undefined {
  const [kept, keep] = useState<{ id: string; slot: DatedSlot | undefined }>();
  const answers = useQueries({
    queries: booking ? dates.map((date) => slotsQuery(booking.appointmentUserId, date)) : [],
    combine: (results) => ({
      slots: results.flatMap(({ data }) =>
        data ? data.slots.map((slot): DatedSlot => ({ ...slot, date: data.date })) : [],
      ),
      isLoading: results.some(({ isPending }) => isPending),
      error: results.find(({ error }) => error !== null)?.error,
    }),
  });
  if (!booking) return undefined;
  return {
    ...{ booking, ...answers },
    chosen: kept?.id === booking._id ? kept.slot : undefined,
    choose: (slot) => keep({ id: booking._id, slot }),
  };
}

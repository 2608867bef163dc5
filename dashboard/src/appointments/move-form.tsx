// Moving a booking: a date and one of its open slots, chosen here or in the calendar, then confirmed.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Booking } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { Button } from '../design/button.tsx';
import { Form } from '../design/form.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { civilDate } from '../text/civil.ts';
import { formatDate, zone } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import type { DatedSlot, Move } from './move.ts';
import { SlotChoice } from './slot-choice.tsx';
import { isStaffHidden } from './staff-hidden.tsx';

interface Props {
  move: Move;
  onMoved: (booking: Booking) => void;
  onStay: () => void;
}

export function MoveForm({ move: { booking, chosen, choose, error: slotsError }, onMoved, onStay }: Props) {
  const text = textsOf('appointments');
  const queries = useQueryClient();
  const [asked, setDate] = useState(() => civilDate(new Date(booking.startsAt), zone));
  const date = chosen?.date ?? asked;
  const { mutate, isPending, error } = useMutation({
    mutationFn: ({ date: on, from, to }: DatedSlot) =>
      api.rescheduleBooking({ id: booking._id, body: { date: on, from, to, timezone: zone } }),
    onSuccess: (moved) => onMoved(moved),
    onSettled: () => queries.invalidateQueries({ queryKey: ['bookings'] }),
  });
  return (
    <Form
      className="note-box accent column"
      aria-label={text('move')}
      onSubmit={() => {
        if (chosen) mutate(chosen);
      }}
    >
      <div className="strong">{text('moveTitle')}</div>
      <div className="muted wide-only">{text('moveHow')}</div>
      <SlotChoice
        appointmentUserId={booking.appointmentUserId}
        date={date}
        chosen={chosen?.startsAt}
        onDate={(next) => {
          choose(undefined);
          setDate(next);
        }}
        onChoose={choose}
      />
      {slotsError != null && !isStaffHidden(slotsError) && <ErrorNote error={slotsError} />}
      {error && <ErrorNote error={error} />}
      <div className="row wrap">
        <Button type="submit" kind="primary" isBusy={isPending} isDisabled={!chosen}>
          {chosen ? text('moveTo', { date: formatDate(chosen.date), time: chosen.from }) : text('chooseSlot')}
        </Button>
        <Button kind="quiet" onClick={onStay}>
          {text('stay')}
        </Button>
      </div>
    </Form>
  );
}

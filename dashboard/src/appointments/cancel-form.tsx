// Cancelling a booking: asked once, with a reason for those who read it later.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Booking } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { Button } from '../design/button.tsx';
import { Form } from '../design/form.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { textsOf } from '../text/texts.ts';

const reasonMax = 500;

export function CancelForm({ booking: { _id: id }, onKeep }: { booking: Booking; onKeep: () => void }) {
  const text = textsOf('appointments');
  const queries = useQueryClient();
  const [reason, setReason] = useState('');
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      api.cancelBooking({ id, ...(reason.trim() === '' ? {} : { body: { reason: reason.trim() } }) }),
    // a 503 means that it is still in progress
    onSettled: () => queries.invalidateQueries({ queryKey: ['bookings'] }),
  });
  return (
    <Form className="note-box column" onSubmit={mutate}>
      <div className="strong">{text('cancelTitle')}</div>
      <div className="muted">{text('cancelEffect')}</div>
      <label className="column">
        {text('reason')}
        <input
          className="input"
          dir="auto"
          maxLength={reasonMax}
          value={reason}
          onChange={({ target }) => setReason(target.value)}
        />
      </label>
      {error && <ErrorNote error={error} />}
      <div className="row wrap">
        <Button type="submit" kind="danger" isBusy={isPending}>
          {text('cancelNow')}
        </Button>
        <Button kind="quiet" onClick={onKeep}>
          {text('keep')}
        </Button>
      </div>
    </Form>
  );
}

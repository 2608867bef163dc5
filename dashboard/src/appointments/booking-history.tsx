// What happened to a booking, newest first: from the booking itself and, where the session may read it, the audit log.
import { useQuery } from '@tanstack/react-query';
import type { AuditEntry, Booking } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { StateBadge } from '../design/state-badge.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { useMay } from '../session/session.tsx';
import { formatMoment } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { sourceWord } from './source-word.ts';

interface Step {
  key: string;
  state: string;
  words: string;
  at: string | null;
}

export function BookingHistory({ booking }: { booking: Booking }) {
  const text = textsOf('appointments');
  const mayAudit = useMay('manage');
  const { data } = useQuery({
    queryKey: ['bookings', 'history', booking._id],
    queryFn: async () => (await api.listAudit({ subjectId: booking._id, limit: 100 })).items,
    enabled: mayAudit,
  });
  return (
    <div>
      <h3>{text('history')}</h3>
      <ol className="history">
        {stepsOf(booking, data ?? []).map(({ key, state, words, at }) => (
          <li key={key}>
            <StateBadge state={state} iconOnly quiet />
            <span dir="auto" className="grow">
              {words}
            </span>
            {at && (
              <span className="note">
                <Timestamp at={at} form="clock" />
              </span>
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}

function stepsOf(booking: Booking, entries: AuditEntry[]): Step[] {
  const text = textsOf('appointments');
  const { pendingChange, status, cancelledAt, cancelReason, createdAt, source } = booking;
  const steps: Step[] = entries.flatMap((entry): Step[] => {
    const name = entry.actor.name ?? text('somebody');
    if (entry.action === 'booking.rescheduled')
      return [{ key: entry._id, state: 'moved', words: text('movedBy', { name }), at: entry.at }];
    return [];
  });
  if (pendingChange) {
    const time = pendingChange.startsAt ? formatMoment(new Date(pendingChange.startsAt)) : '';
    const words = pendingChange.kind === 'cancel' ? text('cancelling') : text('moving', { time });
    steps.unshift({ key: 'pending', state: 'changing', words, at: null });
  }
  if (cancelledAt) {
    const by = entries.find(({ action }) => action === 'booking.cancelled')?.actor.name;
    const words = by ? text('cancelledBy', { name: by }) : text('cancelledStep');
    const withReason = cancelReason === null ? words : `${words}: ${cancelReason}`;
    steps.unshift({ key: 'cancelled', state: 'cancelled', words: withReason, at: cancelledAt });
  }
  if (status === 'undoing' || status === 'undone')
    steps.unshift({ key: 'undone', state: status, words: text('notConfirmed'), at: null });
  return [
    ...steps,
    {
      key: 'booked',
      state: 'confirmed',
      words: text('bookedBy', { source: sourceWord(source) }),
      at: createdAt,
    },
  ];
}

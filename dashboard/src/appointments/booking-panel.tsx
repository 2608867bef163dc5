// One booking beside the calendar: when, who, answers, what happened, and what can be done.
import IconCalendarEvent from '@tabler/icons-react/dist/esm/icons/IconCalendarEvent.mjs';
import IconVideo from '@tabler/icons-react/dist/esm/icons/IconVideo.mjs';
import IconX from '@tabler/icons-react/dist/esm/icons/IconX.mjs';
import { useState } from 'react';
import type { Booking, StaffMember } from '../../../client/src/generated.ts';
import { Button, IconButton } from '../design/button.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { usePageKeys } from '../design/use-page-keys.ts';
import { useMay } from '../session/session.tsx';
import { civilDate } from '../text/civil.ts';
import { formatDate, formatTimes, zone } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { guestOf, stateOf } from './blocks.ts';
import { BookingFacts } from './booking-facts.tsx';
import { BookingHistory } from './booking-history.tsx';
import { CancelForm } from './cancel-form.tsx';
import type { Move } from './move.ts';
import { MoveForm } from './move-form.tsx';
import { changeScope, isChangeable } from './state.ts';

interface Props {
  booking: Booking | undefined;
  error: unknown;
  member: StaffMember | undefined;
  move: Move | undefined;
  onMove: () => void;
  onMoved: (booking: Booking) => void;
  onStay: () => void;
  onClose: () => void;
}

export function BookingPanel({ booking, error, member, move, onMove, onMoved, onStay, onClose }: Props) {
  const text = textsOf('appointments');
  return (
    <aside className="booking-panel" aria-label={text('booking')}>
      <header className="row">
        <div className="grow">
          <h2 className="panel-title">
            <bdi>{booking ? guestOf(booking) : text('booking')}</bdi>
          </h2>
          {booking && <StateBadge state={stateOf(booking)} />}
        </div>
        <IconButton label={text('close')} onClick={onClose}>
          <IconX size={17} aria-hidden />
        </IconButton>
      </header>
      <div className="panel-body column loose">
        {error != null && <ErrorNote error={error} />}
        {booking && (
          <>
            <When booking={booking} member={member} />
            {move ? (
              <MoveForm key={booking._id} {...{ move, onMoved, onStay }} />
            ) : (
              <Actions key={booking._id} {...{ booking, onMove }} />
            )}
            <BookingFacts booking={booking} />
            <BookingHistory booking={booking} />
          </>
        )}
      </div>
    </aside>
  );
}

/** When it is, for the viewer and for the guest, and with whom. */
function When({ booking, member }: { booking: Booking; member: StaffMember | undefined }) {
  const text = textsOf('appointments');
  const [start, end] = [new Date(booking.startsAt), new Date(booking.endsAt)];
  const guestSees = `${formatDate(booking.date)}, ${formatTimes(start, end, booking.timezone)}`;
  return (
    <div>
      <div className="panel-when number">
        {formatDate(civilDate(start, zone))}, {formatTimes(start, end)}
      </div>
      {booking.timezone !== zone && (
        <div className="muted number">{text('guestSees', { time: guestSees, zone: booking.timezone })}</div>
      )}
      <div className="muted">
        <bdi>
          {member
            ? [member.name, member.title].filter((part) => part !== null).join(', ')
            : text('formerStaff')}
        </bdi>
      </div>
    </div>
  );
}

function Actions({ booking, onMove }: { booking: Booking; onMove: () => void }) {
  const text = textsOf('appointments');
  const mayChange = useMay(changeScope);
  const [isCancelling, setCancelling] = useState(false);
  const canChange = mayChange && isChangeable(booking);
  usePageKeys([{ text: 'cancelBooking', run: { x: canChange ? () => setCancelling(true) : undefined } }]);
  const link = booking.status === 'confirmed' ? booking.meetingLink : null;
  if (link === null && !canChange) return null;
  if (isCancelling && canChange) return <CancelForm booking={booking} onKeep={() => setCancelling(false)} />;
  return (
    <div className="row wrap">
      {link !== null && (
        <a className="button default" href={link} target="_blank" rel="noreferrer">
          <IconVideo size={15} aria-hidden />
          {text('join')}
        </a>
      )}
      {canChange && (
        <>
          <Button icon={<IconCalendarEvent size={15} aria-hidden />} onClick={onMove}>
            {text('move')}
          </Button>
          <Button kind="quiet" onClick={() => setCancelling(true)}>
            {text('cancel')}
          </Button>
        </>
      )}
    </div>
  );
}

// A date, and its open slots as buttons.
import { useQuery } from '@tanstack/react-query';
import { isDate } from '../text/civil.ts';
import { formatDate, zone } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { CalendarUnknown } from './calendar-unknown.tsx';
import type { DatedSlot } from './move.ts';
import { slotsQuery } from './queries.ts';
import { isStaffHidden, StaffHidden } from './staff-hidden.tsx';
import '../design/slots.css';

interface Props {
  appointmentUserId: string;
  date: string;
  /** Start of the chosen slot. */
  chosen: string | undefined;
  onDate: (date: string) => void;
  onChoose: (slot: DatedSlot) => void;
}

export function SlotChoice({ appointmentUserId, date, chosen, onDate, onChoose }: Props) {
  const text = textsOf('appointments');
  const { data, error, isFetching, isPending, refetch } = useQuery(slotsQuery(appointmentUserId, date));
  return (
    <div className="column">
      <label className="row wrap">
        {text('date')}
        <input
          className="input"
          type="date"
          required
          value={date}
          onChange={({ target }) => isDate(target.value) && onDate(target.value)}
        />
        <span className="note small">{text('timesIn', { zone })}</span>
      </label>
      {isStaffHidden(error) ? (
        <StaffHidden memberId={appointmentUserId} />
      ) : (
        error && <CalendarUnknown error={error} memberId={appointmentUserId} onRetry={() => void refetch()} />
      )}
      <div aria-live="polite" aria-busy={isFetching}>
        {isPending && <p className="muted">{text('asking')}</p>}
        {data && data.slots.length === 0 && (
          <p className="muted">{text('noSlots', { date: formatDate(date) })}</p>
        )}
      </div>
      {data && data.slots.length > 0 && (
        <fieldset className="slots" aria-label={text('slotsOf', { date: formatDate(date) })}>
          {data.slots.map((slot) => (
            <button
              key={slot.startsAt}
              type="button"
              className="slot number"
              aria-pressed={slot.startsAt === chosen}
              onClick={() => onChoose({ ...slot, date: data.date })}
            >
              {slot.from}
            </button>
          ))}
        </fieldset>
      )}
    </div>
  );
}

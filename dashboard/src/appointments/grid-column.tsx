// One date of one staff member: closed hours, bookings, and the open slots while a booking is moved.
import type { Booking, Schedule, StaffMember } from '../../../client/src/generated.ts';
import { useNow } from '../design/use-now.ts';
import { civilDate, minuteOf } from '../text/civil.ts';
import { formatDate, zone } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { blocksOf } from './blocks.ts';
import { BookingBlock, placeOf } from './booking-block.tsx';
import type { CalendarProblem } from './calendar-states.tsx';
import type { DatedSlot, Move } from './move.ts';
import { closedMinutes, type Minutes, openMinutes } from './open-hours.ts';

export interface ColumnActions {
  onOpen: (booking: Booking) => void;
  onMove: (booking: Booking) => void;
}

interface Props extends ColumnActions {
  date: string;
  member: StaffMember;
  /** Undefined: the session may not read it. */
  schedule: Schedule | undefined;
  bookings: readonly Booking[];
  hours: Minutes;
  openId: string | undefined;
  mayMove: boolean;
  move: Move | undefined;
  /** Of the calendar. */
  problem: CalendarProblem | undefined;
}

export function GridColumn(props: Props) {
  const text = textsOf('appointments');
  const { problem, date, member, schedule, bookings, hours, openId, mayMove, move, onOpen, onMove } = props;
  const closed = schedule ? closedMinutes(openMinutes(schedule, date, zone), hours) : [];
  const slots =
    move && move.booking.appointmentUserId === member._id
      ? move.slots.filter((slot) => slot.date === date)
      : [];
  return (
    <div className="grid-column">
      {closed.map((span) => (
        <div key={span[0]} className="closed" style={placeOf(span, hours)} />
      ))}
      {problem && <p className={`column-note ${problem}`}>{text(`column_${problem}`)}</p>}
      <NowLine date={date} hours={hours} />
      <ul aria-label={`${formatDate(date)}, ${member.name}`}>
        {blocksOf(bookings, date, zone).map((block) => (
          <BookingBlock
            key={block.booking._id}
            {...{ block, hours, mayMove }}
            isOpen={block.booking._id === openId}
            onOpen={() => onOpen(block.booking)}
            onMove={() => onMove(block.booking)}
            onDrop={(startsAt) => move?.choose(move.slots.find((slot) => slot.startsAt === startsAt))}
          />
        ))}
        {slots.map((slot) => (
          <SlotTarget
            key={slot.startsAt}
            {...{ slot, hours }}
            isChosen={slot.startsAt === move?.chosen?.startsAt}
            onChoose={() => move?.choose(slot)}
          />
        ))}
      </ul>
    </div>
  );
}

/** A slot onto which the booking can be dropped, or moved by a click. */
function SlotTarget({
  slot,
  hours,
  isChosen,
  onChoose,
}: {
  slot: DatedSlot;
  hours: Minutes;
  isChosen: boolean;
  onChoose: () => void;
}) {
  const text = textsOf('appointments');
  const [start, end] = [new Date(slot.startsAt), new Date(slot.endsAt)];
  const from = minuteOf(start, zone);
  const to = from + (end.getTime() - start.getTime()) / 60_000;
  return (
    <li className="block-place" style={placeOf([from, to], hours)}>
      <button
        type="button"
        className="slot-target number"
        data-slot={slot.startsAt}
        aria-pressed={isChosen}
        aria-label={text('moveToSlot', { date: formatDate(slot.date), time: slot.from })}
        onClick={onChoose}
      >
        {slot.from}
      </button>
    </li>
  );
}

/** Where the day is now. */
function NowLine({ date, hours }: { date: string; hours: Minutes }) {
  const now = new Date(useNow());
  const minute = minuteOf(now, zone);
  if (civilDate(now, zone) !== date || minute < hours[0] || minute > hours[1]) return null;
  return <div className="now-line" style={placeOf([minute, minute], hours)} />;
}

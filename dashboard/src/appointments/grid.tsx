// The calendar: dates beside each other, and in each of them the staff.
import { useQueries } from '@tanstack/react-query';
import { useLayoutEffect, useRef } from 'react';
import type { StaffMember } from '../../../client/src/generated.ts';
import { ErrorNote } from '../design/messages.tsx';
import { useMay } from '../session/session.tsx';
import { clockOf, weekdayOf } from '../text/civil.ts';
import { formatColumnDate, zone } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { blocksOf, hoursShown } from './blocks.ts';
import { CalendarNotes, useCalendarProblems } from './calendar-states.tsx';
import { type ColumnActions, GridColumn } from './grid-column.tsx';
import type { Move } from './move.ts';
import { type Minutes, openMinutes } from './open-hours.ts';
import { bookingsQuery } from './queries.ts';
import { scheduleQuery } from './schedule-query.ts';

const hourPx = 68;
const hoursPx = 52;
/** The least width of a column. */
const weekColumnPx = 76;
const dayColumnPx = 120;
const minuteOfHour = 60;
const saturday = 5;

interface Props extends ColumnActions {
  dates: string[];
  staff: StaffMember[];
  today: string;
  openId: string | undefined;
  mayMove: boolean;
  move: Move | undefined;
}

/** What the columns show, as far as it is loaded. A Saturday or Sunday without hours and bookings is left out of a week. */
function useColumns(dates: string[], staff: StaffMember[]) {
  const maySeeHours = useMay('manage');
  const range = [dates[0] ?? '', dates.at(-1) ?? ''] as const;
  const bookings = useQueries({
    queries: staff.map(({ _id }) => bookingsQuery(...range, _id)),
  });
  const schedules = useQueries({
    queries: maySeeHours ? staff.map(({ _id }) => scheduleQuery(_id)) : [],
  });
  const members = staff.map((member, index) => ({
    member,
    bookings: bookings[index]?.data?.bookings ?? [],
    schedule: schedules[index]?.data,
  }));
  const spansOf = (date: string) =>
    members.flatMap((one) => [
      ...blocksOf(one.bookings, date, zone).map(({ from, to }): Minutes => [from, to]),
      ...(one.schedule ? openMinutes(one.schedule, date, zone) : []),
    ]);
  const isKnown = members.every(({ schedule }) => schedule !== undefined);
  const isFree = (date: string) => isKnown && weekdayOf(date) >= saturday && spansOf(date).length === 0;
  const busy = dates.length === 1 ? dates : dates.filter((date) => !isFree(date));
  const failed = [...bookings, ...schedules].find(({ error }) => error !== null);
  return { members, dates: busy, hours: hoursShown(busy.flatMap(spansOf)), failed };
}

export function Grid({ dates: range, staff, today, openId, mayMove, move, onOpen, onMove }: Props) {
  const text = textsOf('appointments');
  const { members, dates, hours, failed } = useColumns(range, staff);
  const problems = useCalendarProblems(staff);
  const todayHead = useRef<HTMLSpanElement>(null);
  const isWeek = dates.length > 1;
  const columnCount = Math.max(1, dates.length * members.length);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other dates and columns are what moves today
  useLayoutEffect(() => {
    if (isWeek) todayHead.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [isWeek, columnCount, dates[0]]);
  const [first, last] = hours;
  const labels = Array.from(
    { length: (last - first) / minuteOfHour },
    (_, hour) => first + hour * minuteOfHour,
  );
  const columnPx = isWeek ? weekColumnPx : dayColumnPx;
  const template = {
    gridTemplateColumns: `${hoursPx}px repeat(${columnCount}, minmax(0, 1fr))`,
    minWidth: hoursPx + columnCount * columnPx,
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keyboard
    <section className="calendar-grid" aria-label={text('title')} tabIndex={0}>
      {failed && <ErrorNote error={failed.error} onRetry={() => void failed.refetch()} />}
      <CalendarNotes staff={staff} problems={problems} />
      <div className="grid-head" style={template} aria-hidden="true">
        <span className="corner" />
        {dates.map((date) => (
          <span
            key={date}
            ref={date === today ? todayHead : null}
            className={`grid-date ${date === today ? 'today' : ''}`}
            style={{ gridColumn: `span ${Math.max(1, members.length)}` }}
          >
            {formatColumnDate(date)}
          </span>
        ))}
        <span className="corner" />
        {dates.flatMap((date) =>
          members.map(({ member }) => (
            <span key={`${date} ${member._id}`} className="grid-name cut" dir="auto" title={member.name}>
              {member.name}
            </span>
          )),
        )}
      </div>
      <div
        className="grid-body"
        style={{ ...template, blockSize: `${((last - first) / minuteOfHour) * hourPx}px` }}
      >
        <div className="grid-hours number" aria-hidden="true">
          {labels.map((minutes) => (
            <span key={minutes} style={{ insetBlockStart: `${((minutes - first) / (last - first)) * 100}%` }}>
              {minutes === first ? '' : clockOf(minutes)}
            </span>
          ))}
        </div>
        {dates.flatMap((date) =>
          members.map(({ member, bookings, schedule }) => (
            <GridColumn
              key={`${date} ${member._id}`}
              {...{ date, member, bookings, schedule, hours, openId, mayMove, move, onOpen, onMove }}
              problem={problems.get(member._id)}
            />
          )),
        )}
      </div>
    </section>
  );
}

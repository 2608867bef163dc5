// The hours of a schedule in a column of the calendar, whose date is one of the viewer's zone. Pure.
import type { Schedule } from '../../../client/src/generated.ts';
import {
  addDays,
  civilDate,
  instantOf,
  minuteOf,
  minutesOfClock,
  minutesOfDay,
  weekdayOf,
} from '../text/civil.ts';

/** Minutes of a date, half-open. */
export type Minutes = [from: number, to: number];

const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

type Hours = Pick<Schedule, 'timezone' | 'weekly' | 'overrides'>;

/** The windows of a date of the schedule's own zone, as minutes; those that run into the next date end after 24 hours. */
function windowsOf({ weekly, overrides }: Hours, date: string): Minutes[] {
  const override = overrides.find((one) => one.date === date);
  const weekday = weekdays[weekdayOf(date)];
  const windows = override ? override.windows : weekly.filter((one) => one.weekday === weekday);
  const isNextOwn = overrides.some((one) => one.date === addDays(date, 1));
  return windows.map(({ from, to }): Minutes => {
    const start = minutesOfClock(from);
    const end = minutesOfClock(to);
    const last = end > start ? end : end + minutesOfDay;
    // a date with hours of its own drops what runs into it
    return [start, isNextOwn ? Math.min(last, minutesOfDay) : last];
  });
}

/** When the schedule is open on a date of the viewer's zone; in order, not overlapping. */
export function openMinutes(schedule: Hours, date: string, zone: string): Minutes[] {
  const start = instantOf(date, 0, zone);
  const end = instantOf(addDays(date, 1), 0, zone);
  const own = civilDate(start, schedule.timezone);
  const spans = [-1, 0, 1, 2].flatMap((days) => {
    const day = addDays(own, days);
    return windowsOf(schedule, day).map(([from, to]) => [
      Math.max(start.getTime(), instantOf(day, from, schedule.timezone).getTime()),
      Math.min(end.getTime(), instantOf(day, to, schedule.timezone).getTime()),
    ]);
  });
  const minutes = spans
    .filter(([from = 0, to = 0]) => from < to)
    .map(
      ([from = 0, to = 0]): Minutes => [
        minuteOf(new Date(from), zone),
        to === end.getTime() ? minutesOfDay : minuteOf(new Date(to), zone),
      ],
    )
    .sort(([one], [other]) => one - other);
  return merged(minutes);
}

function merged(spans: Minutes[]): Minutes[] {
  const result: Minutes[] = [];
  for (const [from, to] of spans) {
    const last = result.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
}

/** What is left of a range. */
export function closedMinutes(open: readonly Minutes[], [first, last]: Minutes): Minutes[] {
  const edges = [first, ...open.flat().map((edge) => Math.min(last, Math.max(first, edge))), last];
  const gaps: Minutes[] = [];
  for (let index = 0; index < edges.length; index += 2) {
    const [from = 0, to = 0] = edges.slice(index, index + 2);
    if (from < to) gaps.push([from, to]);
  }
  return gaps;
}

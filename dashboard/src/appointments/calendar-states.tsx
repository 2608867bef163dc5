// Calendars that do not work: whose, what it means for visitors, and where it is fixed.
import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { StaffMember } from '../../../client/src/generated.ts';
import { shapes } from '../design/icons.tsx';
import { formatList } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { calendarQuery } from '../users/queries.ts';

/** `silent`: it does not answer. */
export type CalendarProblem = 'disconnected' | 'silent';

const askEveryMs = 60_000;

/** The problems of calendars by staff member; what works is not in it. */
export function useCalendarProblems(staff: readonly StaffMember[]): Map<string, CalendarProblem> {
  const connected = staff.filter(({ calendarConnected }) => calendarConnected);
  const answers = useQueries({
    queries: connected.map(({ _id }) => ({
      ...calendarQuery(_id),
      // asks the provider itself
      staleTime: askEveryMs,
      refetchInterval: askEveryMs,
      retry: false,
    })),
  });
  const silent = connected.flatMap(({ _id }, index): [string, CalendarProblem][] => {
    const { data, error } = answers[index] ?? {};
    if (data && !data.connected) return [[_id, 'disconnected']];
    return error != null || (data && data.error !== null) ? [[_id, 'silent']] : [];
  });
  const disconnected = staff
    .filter(({ calendar, calendarConnected }) => calendar === 'required' && !calendarConnected)
    .map(({ _id }): [string, CalendarProblem] => [_id, 'disconnected']);
  return new Map([...disconnected, ...silent]);
}

interface Props {
  staff: readonly StaffMember[];
  problems: Map<string, CalendarProblem>;
}

export function CalendarNotes({ staff, problems }: Props) {
  const text = textsOf('appointments');
  return (['disconnected', 'silent'] as const).map((problem) => {
    const members = staff.filter(({ _id }) => problems.get(_id) === problem);
    const [first] = members;
    if (!first) return null;
    const names = formatList(members.map(({ name }) => `\u2068${name}\u2069`));
    return (
      <div key={problem} className={`note-box ${problem === 'silent' ? 'warn' : 'bad'}`} role="status">
        {problem === 'silent' ? shapes.hourglass : shapes.slashedRing}
        <span className="grow">{text(`calendar_${problem}`, { names, count: members.length })}</span>
        <Link to="/users/$id/$tab" params={{ id: first._id, tab: 'calendar' }}>
          {text(problem === 'silent' ? 'checkCalendar' : 'connectCalendar')}
        </Link>
      </div>
    );
  });
}

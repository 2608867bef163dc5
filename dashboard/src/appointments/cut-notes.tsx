// What is not shown because there is too much of it, and how to see it.
import { formatNumber } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { bookingsMax, type StaffOfCalendar } from './queries.ts';

/** That there are more staff than one list has; `hasDepartments`: there is something to narrow by. */
export function StaffCut({
  staff: { items, total },
  hasDepartments,
}: {
  staff: StaffOfCalendar;
  hasDepartments: boolean;
}) {
  const text = textsOf('appointments');
  if (total <= items.length) return null;
  return (
    <p className="note-box" role="status">
      {text('staffCut', { count: formatNumber(items.length), total: formatNumber(total) })}{' '}
      {text(hasDepartments ? 'staffCutChoose' : 'staffCutDivide')}
    </p>
  );
}

/** That the day has more appointments than are loaded. */
export function BookingsCut() {
  const text = textsOf('appointments');
  return (
    <p className="note-box warn" role="status">
      {text('bookingsCut', { count: formatNumber(bookingsMax) })}
    </p>
  );
}

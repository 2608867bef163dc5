// Each start with its reasons, what stands in the way, and where that is changed.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ExplainedStep, Schedule, StaffMember } from '../../../client/src/generated.ts';
import { guestOf } from '../appointments/blocks.ts';
import { bookingQuery } from '../appointments/queries.ts';
import { StateBadge } from '../design/state-badge.tsx';
import { Table } from '../design/table.tsx';
import { formatClock, formatTimes } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { isOnlyBuffer, type Reason } from './explained.ts';

/** As in design/states.ts. */
const stateOf: Record<Reason, string> = {
  outside_hours: 'closed',
  window: 'scheduled',
  notice: 'scheduled',
  clock_change: 'unknown',
  daily_limit: 'accepted',
  booked: 'accepted',
  calendar_busy: 'busy',
};

interface Props {
  member: StaffMember;
  steps: ExplainedStep[];
  /** Undefined: the session may not read it. */
  schedule: Schedule | undefined;
  zone: string;
  /** Local start of the one that is explained. */
  chosen: string | undefined;
  onChoose: (from: string) => void;
}

export function StepTable({ member, steps, schedule, zone, chosen, onChoose }: Props) {
  const text = textsOf('users');
  if (steps.length === 0) return <p className="muted list-row">{text('noSteps')}</p>;
  return (
    <Table
      columns={[
        { label: text('start'), widthPx: 90 },
        { label: text('reason'), widthPx: 220 },
        { label: text('because') },
        { label: text('fix'), widthPx: 170, isLabelHidden: true },
      ]}
    >
      {steps.map((step) => (
        <tr key={`${step.from} ${step.startsAt}`} className={step.from === chosen ? 'current' : ''}>
          <td>
            <button
              type="button"
              className="text-button number strong"
              aria-pressed={step.from === chosen}
              onClick={() => onChoose(step.from)}
            >
              {step.from}
            </button>
          </td>
          <td>
            {step.open ? (
              <StateBadge state="ok" label={text('show_open')} quiet />
            ) : (
              step.reasons.map((reason) => (
                <div key={reason}>
                  <StateBadge state={stateOf[reason]} label={text(`reason_${reason}`)} quiet />
                </div>
              ))
            )}
          </td>
          <td className="muted full wraps" dir="auto">
            <Because {...{ step, schedule, zone }} />
          </td>
          <td className="figure full">
            <Fix {...{ member, step, schedule }} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

/** The first reason, with its figures. */
function Because({ step, schedule, zone }: Pick<Props, 'schedule' | 'zone'> & { step: ExplainedStep }) {
  const text = textsOf('users');
  const { by, reasons } = step;
  const { data: booking } = useQuery({ ...bookingQuery(by?.id ?? ''), enabled: by?.id != null });
  if (booking) {
    const times = formatTimes(new Date(booking.startsAt), new Date(booking.endsAt), zone);
    // isolated: the name may be read in the other direction
    const name = `\u2068${guestOf(booking)}\u2069`;
    return text(isOnlyBuffer(step, booking) ? 'becauseBuffer' : 'becauseGuest', { name, times });
  }
  if (by) {
    const until = formatClock(new Date(by.until), zone);
    return text(by.kind === 'event' ? 'becauseEvent' : 'becauseBooking', { until });
  }
  if (!schedule) return null;
  switch (reasons[0]) {
    case 'notice':
      return text('becauseNotice', { minutes: schedule.minimumNoticeMinutes });
    case 'window':
      return text('becauseWindow', { days: schedule.bookingWindowDays });
    case 'daily_limit':
      return text('becauseLimit', { limit: schedule.dailyLimit ?? 0 });
    default:
      return null;
  }
}

/** Where the first reason is changed. */
function Fix({
  member,
  step: { by, reasons },
  schedule,
}: {
  member: StaffMember;
  step: ExplainedStep;
  schedule: Schedule | undefined;
}) {
  const text = textsOf('users');
  const id = member._id;
  if (by?.kind === 'booking' && by.id !== null)
    return (
      <Link to="/appointments" search={{ view: 'list', booking: by.id }}>
        {text('openBooking')}
      </Link>
    );
  if (by)
    return (
      <Link to="/users/$id/$tab" params={{ id, tab: 'calendar' }}>
        {text('openCalendar')}
      </Link>
    );
  if (reasons.length === 0 || reasons[0] === 'clock_change' || !schedule) return null;
  return (
    <Link to="/users/$id/$tab" params={{ id, tab: 'hours' }}>
      {text('changeRule')}
    </Link>
  );
}

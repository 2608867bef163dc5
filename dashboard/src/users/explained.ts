// The explained steps of a date: which are shown, and what would have to change. Pure.
import type { Booking, ExplainedStep } from '../../../client/src/generated.ts';

export const stepFilters = ['open', 'closed', 'hours'] as const;
export type StepFilter = (typeof stepFilters)[number];
export type Reason = ExplainedStep['reasons'][number];

/** Outside the hours and nothing else: most of a day, and of little interest. */
export const isClosed = ({ reasons }: ExplainedStep): boolean => reasons[0] === 'outside_hours';

/** Without a filter, everything but what is only outside the hours. */
export function shownSteps(steps: readonly ExplainedStep[], filter: StepFilter | undefined): ExplainedStep[] {
  if (filter === 'open') return steps.filter(({ open }) => open);
  if (filter === 'closed') return steps.filter((step) => !step.open && !isClosed(step));
  if (filter === 'hours') return steps.filter(isClosed);
  return steps.filter((step) => !isClosed(step));
}

/** True if the step and the booking do not overlap: only the free minutes around them collide. */
export const isOnlyBuffer = (
  { startsAt, endsAt }: ExplainedStep,
  booking: Pick<Booking, 'startsAt' | 'endsAt'>,
): boolean =>
  startsAt !== null &&
  endsAt !== null &&
  (Date.parse(booking.endsAt) <= Date.parse(startsAt) || Date.parse(booking.startsAt) >= Date.parse(endsAt));

/** The rules in the order in which a start has to pass them. */
export const rules = [
  'outside_hours',
  'clock_change',
  'window',
  'notice',
  'daily_limit',
  'booked',
  'calendar_busy',
] as const satisfies readonly Reason[];

/** Rules of the schedule without which a start would be open. `booked`: without the free minutes around bookings. */
type Removable = 'window' | 'notice' | 'daily_limit' | 'booked';
const removable: readonly Reason[] = ['window', 'notice', 'daily_limit', 'booked'] satisfies Removable[];

/**
 * The starts that only the same rule stops as this one, with this one; undefined if no rule of the schedule alone stops it, or it has
 * passed. `bookings` are those that occupy their time.
 */
export function alikeOf(
  step: ExplainedStep,
  steps: readonly ExplainedStep[],
  bookings: readonly Pick<Booking, 'startsAt' | 'endsAt'>[],
): { rule: Removable; steps: ExplainedStep[] } | undefined {
  const [rule] = step.reasons;
  const isAlone = (one: ExplainedStep) =>
    one.reasons.length === 1 &&
    one.reasons[0] === rule &&
    one.startsAt !== null &&
    Date.parse(one.startsAt) > Date.now() &&
    // a booking of another account in the same calendar is not known here
    (rule !== 'booked' || (one.by?.id != null && bookings.every((booking) => isOnlyBuffer(one, booking))));
  if (!rule || !removable.includes(rule) || !isAlone(step)) return undefined;
  return { rule: rule as Removable, steps: steps.filter(isAlone) };
}

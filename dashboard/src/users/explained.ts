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

// The steps of a date beside each other: open ones with their time, the others by their reason.
import type { ExplainedStep } from '../../../client/src/generated.ts';
import { textsOf } from '../text/texts.ts';
import { isClosed } from './explained.ts';

export function StepStrip({ steps }: { steps: ExplainedStep[] }) {
  const text = textsOf('users');
  const first = steps.findIndex((step) => !isClosed(step));
  const last = steps.findLastIndex((step) => !isClosed(step));
  if (first < 0) return <p className="muted">{text('noHours')}</p>;
  return (
    <>
      <ol className="step-strip number" aria-label={text('everyStart')}>
        {steps.slice(first, last + 1).map((step) => (
          <li
            key={`${step.from} ${step.startsAt}`}
            className={`step ${step.open ? 'open' : (step.reasons[0] ?? '')}`}
            title={step.reasons.map((reason) => text(`reason_${reason}`)).join(', ')}
          >
            {step.from}
            <span className="hidden-text">
              {step.open
                ? text('show_open')
                : step.reasons.map((reason) => text(`reason_${reason}`)).join(', ')}
            </span>
          </li>
        ))}
      </ol>
      <ul className="row wrap loose small muted step-legend" aria-hidden="true">
        {(['open', 'booked', 'calendar_busy', 'notice', 'outside_hours'] as const).map((kind) => (
          <li key={kind} className="row tight">
            <span className={`step ${kind}`} />
            {kind === 'open' ? text('show_open') : text(`reason_${kind}`)}
          </li>
        ))}
      </ul>
    </>
  );
}

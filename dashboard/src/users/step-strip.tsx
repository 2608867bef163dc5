// The steps of a date beside each other: open ones with their time, the others by their reason.
import type { ExplainedStep } from '../../../client/src/generated.ts';
import { textsOf } from '../text/texts.ts';
import { isClosed } from './explained.ts';

interface Props {
  steps: ExplainedStep[];
  /** Local start of the one that is explained. */
  chosen: string | undefined;
  onChoose: (from: string) => void;
}

export function StepStrip({ steps, chosen, onChoose }: Props) {
  const text = textsOf('users');
  const first = steps.findIndex((step) => !isClosed(step));
  const last = steps.findLastIndex((step) => !isClosed(step));
  if (first < 0) return <p className="muted">{text('noHours')}</p>;
  return (
    <>
      <ol className="step-strip number" aria-label={text('everyStart')}>
        {steps.slice(first, last + 1).map((step) => (
          <li key={`${step.from} ${step.startsAt}`}>
            <button
              type="button"
              className={`step ${step.open ? 'open' : (step.reasons[0] ?? '')}`}
              aria-pressed={step.from === chosen}
              title={step.reasons.map((reason) => text(`reason_${reason}`)).join(', ')}
              onClick={() => onChoose(step.from)}
            >
              {step.from}
              <span className="hidden-text">
                {step.open
                  ? text('show_open')
                  : step.reasons.map((reason) => text(`reason_${reason}`)).join(', ')}
              </span>
            </button>
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

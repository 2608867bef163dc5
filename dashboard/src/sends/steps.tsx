// The steps of a new campaign: where one is, and which are done.
import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import { textsOf } from '../text/texts.ts';
import './sends.css';

export const steps = ['template', 'recipients', 'timing', 'check'] as const;
export type Step = (typeof steps)[number];

interface Props {
  current: Step;
  /** Opens a step that is done; undefined: there is none behind this one. */
  onGo?: (step: Step) => void;
}

export function StepBar({ current, onGo }: Props) {
  const text = textsOf('sends');
  const at = steps.indexOf(current);
  return (
    <ol className="steps" aria-label={text('steps')}>
      {steps.map((step, index) => {
        const content = (
          <>
            <span className="step-number number">
              {index < at ? <IconCheck size={13} stroke={2.4} aria-hidden /> : index + 1}
            </span>
            <span className="step-word">{text(`step_${step}`)}</span>
          </>
        );
        return (
          <li
            key={step}
            className={index < at ? 'done' : ''}
            {...(index === at ? { 'aria-current': 'step' as const } : {})}
          >
            {/* the template of a draft cannot be changed */}
            {onGo && index < at && step !== 'template' ? (
              <button type="button" onClick={() => onGo(step)}>
                {content}
              </button>
            ) : (
              content
            )}
          </li>
        );
      })}
    </ol>
  );
}

// The steps of a new campaign: where one is, and which are done.
import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import { textsOf } from '../text/texts.ts';
import './sends.css';

export const steps = ['template', 'recipients', 'timing', 'check'] as const;
export type Step = (typeof steps)[number];

export function StepBar({ current }: { current: Step }) {
  const text = textsOf('sends');
  const at = steps.indexOf(current);
  return (
    <ol className="steps" aria-label={text('steps')}>
      {steps.map((step, index) => (
        <li
          key={step}
          className={index < at ? 'done' : ''}
          {...(index === at ? { 'aria-current': 'step' as const } : {})}
        >
          <span className="step-number number">
            {index < at ? <IconCheck size={13} stroke={2.4} aria-hidden /> : index + 1}
          </span>
          <span className="step-word">{text(`step_${step}`)}</span>
        </li>
      ))}
    </ol>
  );
}

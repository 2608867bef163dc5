// A field of the editor: what is typed, its rule, how much of its limit is used, and what is wrong with it.
import type { ReactNode } from 'react';
import { formatNumber } from '../../text/format.ts';
import { textsOf } from '../../text/texts.ts';
import { lengthOf, type RuleProblem } from './draft-rules.ts';
import { FixButton } from './fix-button.tsx';
import { ruleText } from './rule-text.ts';

interface Props {
  id: string;
  /** Read aloud, if no title stands above. */
  label: string;
  value: string;
  onChange: (value: string) => void;
  problems?: RuleProblem[];
  /** The rule, in a sentence. */
  note?: ReactNode;
  most?: number;
  rows?: number;
  placeholder?: string;
  isLtr?: boolean;
}

export function Field({
  id,
  label,
  value,
  onChange,
  problems = [],
  note,
  most,
  rows,
  placeholder,
  isLtr,
}: Props) {
  const text = textsOf('editor');
  const [problem] = problems;
  // an empty field is not wrong yet
  const isWrong = problem !== undefined && value !== '';
  const shared = {
    id,
    value,
    dir: isLtr ? 'ltr' : 'auto',
    'aria-label': label,
    'aria-describedby': `${id}-note`,
    'aria-invalid': isWrong,
    placeholder,
  };
  return (
    <div>
      {rows === undefined ? (
        <input {...shared} className="input wide-input" onChange={({ target }) => onChange(target.value)} />
      ) : (
        <textarea
          {...shared}
          rows={rows}
          className="input editor-area"
          onChange={({ target }) => onChange(target.value)}
        />
      )}
      <div id={`${id}-note`} className="row wrap field-note">
        <span className={isWrong ? 'bad-text' : ''}>{isWrong ? ruleText(problem) : note}</span>
        {isWrong && <FixButton problem={problem} />}
        {most !== undefined && (
          <span className="end number">
            {text('ofLength', { used: formatNumber(lengthOf(value)), most: formatNumber(most) })}
          </span>
        )}
      </div>
    </div>
  );
}

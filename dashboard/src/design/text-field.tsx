// A field to type in: its label above, and below it a rule or what is wrong.
import { type InputHTMLAttributes, type ReactNode, useId } from 'react';

type InputProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'children'>;

interface Props extends InputProps {
  label: string;
  /** Beside the label, such as the key of a value. */
  tag?: string;
  note?: ReactNode;
  isWrong?: boolean;
  onChange: (value: string) => void;
}

/** Takes what an input takes; what is typed has its own direction unless `dir` says another. */
export function TextField({ label, tag, note, isWrong, className = '', onChange, ...input }: Props) {
  const made = useId();
  const id = input.id ?? made;
  return (
    <div className="field">
      <label className="field-head" htmlFor={id}>
        {label}{' '}
        {tag && (
          <span className="mono note" dir="ltr">
            {tag}
          </span>
        )}
      </label>
      <input
        dir="auto"
        aria-invalid={isWrong}
        aria-describedby={note ? `${id}-note` : undefined}
        {...input}
        id={id}
        className={`input ${className}`}
        onChange={({ target }) => onChange(target.value)}
      />
      {note && (
        <div id={`${id}-note`} className={`field-note ${isWrong ? 'bad-text' : ''}`}>
          {note}
        </div>
      )}
    </div>
  );
}

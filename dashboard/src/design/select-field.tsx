// A choice from a list: its label above, and below it what the choice means.
import { type ReactNode, type SelectHTMLAttributes, useId } from 'react';

interface Props extends Omit<SelectHTMLAttributes<HTMLSelectElement>, 'onChange'> {
  label: string;
  note?: ReactNode;
  onChange: (value: string) => void;
}

/** Takes what a select takes; its options are the children. */
export function SelectField({ label, note, children, onChange, ...select }: Props) {
  const made = useId();
  const id = select.id ?? made;
  return (
    <div className="field">
      <label className="field-head" htmlFor={id}>
        {label}
      </label>
      <select
        aria-describedby={note ? `${id}-note` : undefined}
        {...select}
        id={id}
        className="input"
        onChange={({ target }) => onChange(target.value)}
      >
        {children}
      </select>
      {note && (
        <div id={`${id}-note`} className="field-note">
          {note}
        </div>
      )}
    </div>
  );
}

// One choice of a few that stand together.
import './segments.css';

interface Props<T extends string> {
  label: string;
  values: readonly T[];
  chosen: T;
  wordOf: (value: T) => string;
  onChoose: (value: T) => void;
}

export function Segments<T extends string>({ label, values, chosen, wordOf, onChoose }: Props<T>) {
  return (
    <fieldset className="segments" aria-label={label}>
      {values.map((value) => (
        <button key={value} type="button" aria-pressed={value === chosen} onClick={() => onChoose(value)}>
          {wordOf(value)}
        </button>
      ))}
    </fieldset>
  );
}

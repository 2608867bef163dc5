// One choice of a few that stand together.
import type { Choice } from './choice.ts';
import './segments.css';

export function Segments<T extends string>({ label, values, chosen, wordOf, onChoose }: Choice<T>) {
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

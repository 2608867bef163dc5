// One choice of several, as chips; the first chip takes the choice back.
interface Props<T extends string> {
  label: string;
  /** What the first chip says: "All". */
  allLabel: string;
  values: readonly T[];
  chosen: T | undefined;
  wordOf: (value: T) => string;
  onChoose: (value: T | undefined) => void;
}

export function Chips<T extends string>({ label, allLabel, values, chosen, wordOf, onChoose }: Props<T>) {
  return (
    <fieldset className="chips" aria-label={label}>
      {[undefined, ...values].map((value) => (
        <button
          key={value ?? 'all'}
          type="button"
          className="chip"
          aria-pressed={chosen === value}
          onClick={() => onChoose(value)}
        >
          {value === undefined ? allLabel : wordOf(value)}
        </button>
      ))}
    </fieldset>
  );
}

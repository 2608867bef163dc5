// The views of one object, one of which is shown. They are links of the address, so they are buttons of a navigation.
import './tabs.css';

interface Props<T extends string> {
  label: string;
  values: readonly T[];
  chosen: T;
  wordOf: (value: T) => string;
  onChoose: (value: T) => void;
}

export function Tabs<T extends string>({ label, values, chosen, wordOf, onChoose }: Props<T>) {
  return (
    <nav className="tabs" aria-label={label}>
      {values.map((value) => (
        <button
          key={value}
          type="button"
          {...(value === chosen ? { 'aria-current': 'page' as const } : {})}
          onClick={() => onChoose(value)}
        >
          {wordOf(value)}
        </button>
      ))}
    </nav>
  );
}

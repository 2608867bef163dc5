// The views of one object, one of which is shown. They are links of the address, so they are buttons of a navigation.
import type { Choice } from './choice.ts';
import './tabs.css';

export function Tabs<T extends string>({ label, values, chosen, wordOf, onChoose }: Choice<T>) {
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

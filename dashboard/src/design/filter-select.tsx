// A filter of a list: one of several values, or any of them.
interface Props<T extends string | number> {
  label: string;
  /** What the first option says: "Any time". It takes the choice back. */
  anyLabel: string;
  /** Each value with its word. */
  options: readonly (readonly [value: T, word: string])[];
  chosen: T | undefined;
  onChoose: (value: T | undefined) => void;
  className?: 'input filter-choice' | 'input' | 'chip';
}

export const FilterSelect = <T extends string | number>(props: Props<T>) => {
  const { label, anyLabel, options, chosen, onChoose, className = 'input filter-choice' } = props;
  return (
    <select
      className={className}
      aria-label={label}
      value={chosen ?? ''}
      onChange={({ target }) => onChoose(options.find(([value]) => `${value}` === target.value)?.[0])}
    >
      <option value="">{anyLabel}</option>
      {options.map(([value, word]) => (
        <option key={value} value={value}>
          {word}
        </option>
      ))}
    </select>
  );
};

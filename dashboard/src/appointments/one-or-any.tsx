// A choice of one of some named things, or of any.

interface Props {
  className: 'chip' | 'input';
  label: string;
  /** The word for no choice. */
  any: string;
  items: readonly { _id: string; name: string }[];
  /** An id; empty: any. */
  value: string;
  onChoose: (id: string) => void;
}

export const OneOrAny = ({ className, label, any, items, value, onChoose }: Props) => (
  <select
    className={className}
    aria-label={label}
    value={value}
    onChange={({ target }) => onChoose(target.value)}
  >
    <option value="">{any}</option>
    {items.map(({ _id, name }) => (
      <option key={_id} value={_id}>
        {name}
      </option>
    ))}
  </select>
);

// The place of a header: where it is, its name and its address.
import { TextField } from '../design/text-field.tsx';
import { textsOf } from '../text/texts.ts';
import { placeParts, type Typed } from './values.ts';

interface Props {
  /** Of the input. */
  name: string;
  typed: Typed;
  problem: string | undefined;
  onChange: (typed: Typed) => void;
}

const isNumber = (part: string): boolean => part === 'latitude' || part === 'longitude';

export function LocationField({ name, typed, problem, onChange }: Props) {
  const text = textsOf('templates');
  return placeParts.map((part, index) => {
    const key = `${name}.${part}`;
    return (
      <TextField
        key={key}
        label={text(`place_${part}`)}
        tag={key}
        value={typed[key] ?? ''}
        {...(isNumber(part) ? { type: 'number', step: 'any', dir: 'ltr' } : {})}
        note={index === 0 ? problem : undefined}
        onChange={(value) => onChange({ ...typed, [key]: value })}
      />
    );
  });
}

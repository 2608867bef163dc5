// A field for each value that a template takes, with its key, its limit and its problem.
import type { PreviewProblem, TemplateInput } from '../../../client/src/generated.ts';
import { TextField } from '../design/text-field.tsx';
import { formatNumber } from '../text/format.ts';
import { textIfAny, textsOf } from '../text/texts.ts';
import { FileField } from './file-field.tsx';
import { LocationField } from './location-field.tsx';
import { isAddress, isTyped, problemOf, type Typed } from './values.ts';

interface Props {
  inputs: TemplateInput[];
  typed: Typed;
  problems: PreviewProblem[];
  onChange: (typed: Typed) => void;
}

export function ValueForm({ inputs, typed, problems, onChange }: Props) {
  const text = textsOf('templates');
  if (inputs.length === 0) return <p className="muted">{text('noValues')}</p>;
  return (
    <div className="value-grid">
      {inputs.map((input) => (
        <FieldOf
          key={input.key}
          input={input}
          typed={typed}
          problem={problemOf(input, problems)}
          onChange={onChange}
        />
      ))}
    </div>
  );
}

interface InputProps {
  input: TemplateInput;
  typed: Typed;
  problem: string | undefined;
  onChange: (typed: Typed) => void;
}

/** Files and places have fields of their own. */
function FieldOf({ input, typed, problem, onChange }: InputProps) {
  const { key, kind } = input;
  if (kind === 'location') return <LocationField name={key} {...{ typed, problem, onChange }} />;
  const own = {
    ...{ input, problem, value: typed[key] ?? '' },
    onChange: (value: string) => onChange({ ...typed, [key]: value }),
  };
  return isAddress(input) ? <FileField {...own} place={labelOf(key, input.part)} /> : <Field {...own} />;
}

interface FieldProps {
  input: TemplateInput;
  value: string;
  problem: string | undefined;
  onChange: (value: string) => void;
}

function Field({ input, value, problem, onChange }: FieldProps) {
  const text = textsOf('templates');
  const { key, part, maxLength, example, required } = input;
  const canType = isTyped(input);
  const limit =
    maxLength === null
      ? ''
      : text('ofLength', { used: formatNumber([...value].length), most: formatNumber(maxLength) });
  const note = wordsOf(problem) ?? [limit, required ? '' : text('optional')].filter(Boolean).join(', ');
  return (
    <TextField
      label={labelOf(key, part)}
      tag={key}
      value={value}
      disabled={!canType}
      placeholder={canType ? (example ?? '') : text('byApi')}
      note={note}
      isWrong={problem !== undefined && value !== ''}
      onChange={onChange}
    />
  );
}

/** A problem of the API in the viewer's language, if it is the usual one. */
const wordsOf = (problem: string | undefined): string | undefined =>
  problem === 'is missing' ? textsOf('templates')('isMissing') : problem;

/** Where the value goes, in words: `Card 2, button 1` for `cards.1.buttons.0`, and the name of a named one. */
function labelOf(key: string, part: string): string {
  const text = textsOf('templates');
  const [, card, place = ''] = /^(?:cards\.(\d+)\.?)?(.*)$/.exec(part) ?? [];
  const [kind = '', at] = place.split('.');
  const word = textIfAny('templates', `part_${kind}`) ?? text('value');
  const name = key.split('.').at(-1) ?? '';
  const words = [
    card === undefined ? '' : text('cardNumber', { number: Number(card) + 1 }),
    at === undefined ? (/^\d+$/.test(name) ? `${word} ${name}` : word) : `${word} ${Number(at) + 1}`,
    /^(\d+|payload|mediaId)$/.test(name) ? '' : name.replaceAll('_', ' '),
  ];
  return words.filter(Boolean).join(', ');
}

// A field for each value that a template takes, with its key, its limit and its problem.
import type { PreviewProblem, TemplateInput } from '../../../client/src/generated.ts';
import { TextField } from '../design/text-field.tsx';
import { formatNumber } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { FileField } from './file-field.tsx';
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
          value={typed[input.key] ?? ''}
          problem={problemOf(input, problems)}
          onChange={(value) => onChange({ ...typed, [input.key]: value })}
        />
      ))}
    </div>
  );
}

/** A file has a field of its own. */
function FieldOf(props: FieldProps) {
  const { input, value, problem, onChange } = props;
  return isAddress(input) ? (
    <FileField input={input} value={value} problem={problem} onChange={onChange} />
  ) : (
    <Field {...props} />
  );
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
  const note = problem ?? [part, limit, required ? '' : text('optional')].filter(Boolean).join(', ');
  return (
    <TextField
      label={text('value')}
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

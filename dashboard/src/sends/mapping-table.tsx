// Which column is what: each with its first value, where it goes, and what becomes of it.
import type { TemplateInput } from '../../../client/src/generated.ts';
import { Card } from '../design/card.tsx';
import { Table } from '../design/table.tsx';
import { isAddress, isTyped } from '../templates/values.ts';
import { textsOf } from '../text/texts.ts';
import { type Mapping, phoneOf, type Target } from './mapping.ts';
import type { Source } from './source.ts';

interface Props {
  source: Source;
  inputs: TemplateInput[];
  mapping: Mapping;
  onChange: (mapping: Mapping) => void;
}

export function MappingTable({ source: { columns, sample }, inputs, mapping, onChange }: Props) {
  const text = textsOf('sends');
  const { targets, countryCode } = mapping;
  const move = (at: number, to: Target) =>
    onChange({
      ...mapping,
      // a field takes one column
      targets: targets.map((target, index) =>
        index === at ? to : target === to && to !== 'metadata' ? undefined : target,
      ),
    });
  return (
    <Card title={text('columns')} note={text('columnsNote')} isPadded={false}>
      <Table
        columns={[
          { label: text('column') },
          { label: text('firstRow') },
          { label: text('goesTo'), widthPx: 240 },
          { label: text('becomes') },
        ]}
      >
        {columns.map((column, index) => {
          const target = targets[index];
          const cell = sample[0]?.[index] ?? '';
          return (
            <tr key={column} className={target === undefined ? 'note' : ''}>
              <td className="mono" dir="auto">
                {column}
              </td>
              <td className="wide-only" dir="auto">
                {cell}
              </td>
              <td>
                <TargetChoice
                  label={text('columnGoesTo', { column })}
                  column={column}
                  target={target}
                  inputs={inputs}
                  onChoose={(to) => move(index, to)}
                />
              </td>
              <td className="muted wide-only">
                {target === 'phone' ? (
                  <span className="mono" dir="ltr">
                    {phoneOf(cell, countryCode)}
                  </span>
                ) : (
                  inputs.some(({ key, required }) => key === target && required) && text('required')
                )}
              </td>
            </tr>
          );
        })}
      </Table>
    </Card>
  );
}

interface ChoiceProps {
  label: string;
  column: string;
  target: Target;
  inputs: TemplateInput[];
  onChoose: (target: Target) => void;
}

function TargetChoice({ label, column, target, inputs, onChoose }: ChoiceProps) {
  const text = textsOf('sends');
  const fillable = inputs.filter((input) => isTyped(input) || isAddress(input));
  const metadata = target?.startsWith('metadata.') ? target : 'metadata';
  return (
    <select
      className="input wide-input"
      aria-label={label}
      value={target ?? ''}
      onChange={({ target: { value } }) => onChoose(value === '' ? undefined : value)}
    >
      <option value="">{text('leaveOut')}</option>
      <option value="phone">{text('phone')}</option>
      <option value="name">{text('personName')}</option>
      {fillable.map(({ key, example }) => (
        <option key={key} value={key}>
          {example ? `${key} (${example})` : key}
        </option>
      ))}
      <option value={metadata}>{`metadata.${column}`}</option>
    </select>
  );
}

// Rows that were rejected: what is wrong, and one change for all rows that are alike.
import IconDownload from '@tabler/icons-react/dist/esm/icons/IconDownload.mjs';
import { useState } from 'react';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { Form } from '../design/form.tsx';
import { Table } from '../design/table.tsx';
import { TableFoot } from '../design/table-foot.tsx';
import { formatNumber } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { lineOf } from './csv.ts';
import { download } from './download.ts';
import { type Fault, type Fix, fixesOf } from './faults.ts';
import type { Mapping } from './mapping.ts';
import type { Source } from './source.ts';

const shownFirst = 8;

interface Props {
  faults: Fault[];
  /** All of them; more than `faults` if the file has very many. */
  count: number;
  source: Source;
  mapping: Mapping;
  isDisabled: boolean;
  onFix: (fix: Fix, typed: string) => void;
}

export function RowFaults({ faults, count, source, mapping, isDisabled, onFix }: Props) {
  const text = textsOf('sends');
  const [isAll, showAll] = useState(false);
  const fixes = fixesOf(faults, mapping);
  const shown = isAll ? faults : faults.slice(0, shownFirst);
  const save = () =>
    download(
      text('faultsFile'),
      [
        lineOf([...source.columns, text('whatIsWrong')]),
        ...faults.map(({ row, message }) => lineOf([...row.cells, message])),
      ].join(''),
    );
  return (
    <Card
      title={text('faults', { count })}
      note={text('faultsNote')}
      isPadded={false}
      end={
        <Button icon={<IconDownload size={14} aria-hidden />} onClick={save}>
          {text('faultRows')}
        </Button>
      }
    >
      <Table
        columns={[
          { label: text('row'), widthPx: 84, isFigure: true },
          { label: text('column'), widthPx: 130 },
          { label: text('value'), widthPx: 180 },
          { label: text('whatIsWrong') },
        ]}
      >
        {shown.map((fault) => {
          const { row, column, path, message } = fault;
          const fix = fixes.get(fault);
          const cell = column === undefined ? '' : (row.cells[column] ?? '');
          return (
            <tr key={row.number}>
              <td className="figure number muted">{formatNumber(row.number)}</td>
              <td className="mono" dir="auto">
                {column === undefined ? path : source.columns[column]}
              </td>
              <td className="mono bad-text wide-only" dir="auto">
                {cell || text('empty')}
              </td>
              <td className="full fault-text">
                <span className="muted" dir="auto">
                  {message}
                </span>
                {fix && fix.faults[0] === fault && (
                  <FixForm fix={fix} isDisabled={isDisabled} onFix={(typed) => onFix(fix, typed)} />
                )}
              </td>
            </tr>
          );
        })}
      </Table>
      {faults.length > shownFirst && !isAll && (
        <TableFoot onMore={() => showAll(true)} label={text('showAll')}>
          <span className="number">{text('someOf', { shown: shownFirst, count: formatNumber(count) })}</span>
        </TableFoot>
      )}
    </Card>
  );
}

interface FixFormProps {
  fix: Fix;
  isDisabled: boolean;
  onFix: (typed: string) => void;
}

function FixForm({ fix: { kind, count }, isDisabled, onFix }: FixFormProps) {
  const text = textsOf('sends');
  const [typed, setTyped] = useState('');
  if (kind === 'spaces')
    return (
      <Button isDisabled={isDisabled} onClick={() => onFix('')}>
        {text('fixSpaces', { count })}
      </Button>
    );
  const isCode = kind === 'countryCode';
  return (
    <Form className="row tight" onSubmit={() => onFix(typed.trim())}>
      <input
        className="input short-input"
        dir={isCode ? 'ltr' : 'auto'}
        required
        inputMode={isCode ? 'numeric' : 'text'}
        aria-label={text(isCode ? 'countryCode' : 'value')}
        placeholder={isCode ? '91' : text('value')}
        value={typed}
        onChange={({ target }) => setTyped(isCode ? target.value.replace(/\D/g, '') : target.value)}
      />
      <Button type="submit" isDisabled={isDisabled}>
        {text('fixWith', { count })}
      </Button>
    </Form>
  );
}

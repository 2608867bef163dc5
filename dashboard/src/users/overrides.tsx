// Single dates with hours of their own; without any, the date is closed.
import IconPlus from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs';
import IconTrash from '@tabler/icons-react/dist/esm/icons/IconTrash.mjs';
import { useState } from 'react';
import { Button, IconButton } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { addDays, isDate } from '../text/civil.ts';
import { formatDate } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { type Draft, nextWindow } from './schedule-draft.ts';
import { WindowList } from './window-list.tsx';

type OverrideList = Draft['overrides'];

interface Props {
  overrides: OverrideList;
  onChange: (overrides: OverrideList) => void;
}

const datesMax = 60;

/** The civil dates of a range, `until` included; one date without it; none for a range that is reversed or too long. */
function datesBetween(from: string, until: string): string[] {
  if (!isDate(from)) return [];
  if (!isDate(until)) return [from];
  const dates: string[] = [];
  for (let date = from; date <= until && dates.length <= datesMax; date = addDays(date, 1)) dates.push(date);
  return dates.length > datesMax ? [] : dates;
}

export function Overrides({ overrides, onChange }: Props) {
  const text = textsOf('users');
  const [date, setDate] = useState('');
  const [until, setUntil] = useState('');
  const dates = datesBetween(date, until);
  const isKnown = dates.every((one) => overrides.some((other) => other.date === one));
  const isWrong = date !== '' && dates.length === 0;
  const add = () => {
    const others = dates.filter((one) => overrides.every((other) => other.date !== one));
    const added = [...overrides, ...others.map((one) => ({ date: one, windows: [] }))];
    onChange(added.sort((one, other) => one.date.localeCompare(other.date)));
    setDate('');
    setUntil('');
  };
  return (
    <Card title={text('singleDates')} note={text('singleDatesNote')} isPadded={false}>
      <ul>
        {overrides.map((override, index) => (
          <OverrideRow
            key={override.date}
            override={override}
            onChange={(next) => onChange(overrides.with(index, next))}
            onRemove={() => onChange(overrides.toSpliced(index, 1))}
          />
        ))}
      </ul>
      <div className="list-row">
        <input
          className="input"
          type="date"
          aria-label={text('newDate')}
          value={date}
          onChange={({ target }) => setDate(target.value)}
        />
        <label className="row tight">
          <span className="note">{text('newUntil')}</span>
          <input
            className="input"
            type="date"
            min={date}
            value={until}
            onChange={({ target }) => setUntil(target.value)}
          />
        </label>
        <Button icon={<IconPlus size={15} aria-hidden />} isDisabled={isKnown || isWrong} onClick={add}>
          {dates.length > 1 ? text('addDates', { count: dates.length }) : text('addDate')}
        </Button>
        {isWrong && <span className="bad-text small">{text('datesMost', { count: datesMax })}</span>}
      </div>
    </Card>
  );
}

interface RowProps {
  override: OverrideList[number];
  onChange: (override: OverrideList[number]) => void;
  onRemove: () => void;
}

function OverrideRow({ override: { date, windows }, onChange, onRemove }: RowProps) {
  const text = textsOf('users');
  const day = formatDate(date);
  const set = (next: typeof windows) => onChange({ date, windows: next });
  return (
    <li className="list-row">
      <span className="strong number date-name">{day}</span>
      <div className="row wrap loose grow">
        <WindowList windows={windows} label={day} onChange={set} />
      </div>
      <span className="row tight">
        <IconButton label={text('addHours', { day })} onClick={() => set([...windows, nextWindow(windows)])}>
          <IconPlus size={16} aria-hidden />
        </IconButton>
        <IconButton label={text('removeDate', { day })} onClick={onRemove}>
          <IconTrash size={15} aria-hidden />
        </IconButton>
      </span>
    </li>
  );
}

// What the calendar shows: the range, the staff and the view.
import IconChevronLeft from '@tabler/icons-react/dist/esm/icons/IconChevronLeft.mjs';
import IconChevronRight from '@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs';
import IconPlus from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs';
import { Link } from '@tanstack/react-router';
import type { StaffMember } from '../../../client/src/generated.ts';
import { Button, IconButton } from '../design/button.tsx';
import { LinkButton } from '../design/link-button.tsx';
import { Segments } from '../design/segments.tsx';
import { useMay } from '../session/session.tsx';
import { firstWeekday, formatDate, formatDates, zone } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { type CalendarAddress, datesOf, staffMax, stepped, views } from './address.ts';
import { Narrow } from './narrow.tsx';

interface Props {
  address: CalendarAddress;
  today: string;
  staff: StaffMember[];
  /** Ids of those who are shown. */
  shown: string[];
  onChange: (change: Partial<CalendarAddress>) => void;
}

export function Toolbar({ address, today, staff, shown, onChange }: Props) {
  const text = textsOf('appointments');
  const mayBook = useMay('appointments:book');
  const { view, date } = address;
  const dates = datesOf(view, date, firstWeekday());
  const range =
    view === 'week' ? formatDates(dates[0] ?? date, dates.at(-1) ?? date) : formatDate(date, true);
  const step = (direction: 1 | -1) => onChange({ date: stepped(view, date, direction) });
  return (
    <div className="calendar-bar">
      <div className="row tight">
        <IconButton label={text(view === 'week' ? 'weekBefore' : 'dayBefore')} onClick={() => step(-1)}>
          <IconChevronLeft size={17} className="mirrored" aria-hidden />
        </IconButton>
        <Button onClick={() => onChange({ date: today })}>{text('today')}</Button>
        <IconButton label={text(view === 'week' ? 'weekAfter' : 'dayAfter')} onClick={() => step(1)}>
          <IconChevronRight size={17} className="mirrored" aria-hidden />
        </IconButton>
      </div>
      <h2 className="number">{range}</h2>
      <span className="note small wide-only">{text('timesIn', { zone })}</span>
      <div className="calendar-choices">
        <Narrow {...{ address, staff, onChange }} />
        {view !== 'list' && staff.length > 1 && (
          <StaffChips
            {...{ staff, shown }}
            most={staffMax[view]}
            onChange={(ids) => onChange({ staff: ids })}
          />
        )}
        <div className="wide-only">
          <Segments
            label={text('view')}
            values={views}
            chosen={view}
            wordOf={text}
            onChoose={(one) => onChange({ view: one })}
          />
        </div>
        {mayBook && staff.length > 0 && (
          <LinkButton icon={<IconPlus size={15} aria-hidden />}>
            <Link to="/appointments/new" search={{ date }}>
              {text('book')}
            </Link>
          </LinkButton>
        )}
      </div>
    </div>
  );
}

interface ChipsProps {
  staff: StaffMember[];
  shown: string[];
  most: number;
  onChange: (ids: string[]) => void;
}

/** Those who are shown, each to be taken out; the others in a menu. */
function StaffChips({ staff, shown, most, onChange }: ChipsProps) {
  const text = textsOf('appointments');
  const chosen = staff.filter(({ _id }) => shown.includes(_id));
  const others = staff.filter(({ _id }) => !shown.includes(_id));
  const add = (id: string) => onChange([...shown.slice(shown.length >= most ? 1 : 0), id]);
  return (
    <fieldset className="chips wide-only" aria-label={text('staff')}>
      {chosen.map(({ _id, name }) => (
        <button
          key={_id}
          type="button"
          className="chip"
          aria-pressed="true"
          disabled={chosen.length === 1}
          title={text('takeOut', { name })}
          onClick={() => onChange(shown.filter((id) => id !== _id))}
        >
          <span dir="auto">{name}</span>
        </button>
      ))}
      {others.length > 0 && (
        <select
          className="chip"
          aria-label={text('addStaff')}
          value=""
          onChange={({ target }) => target.value !== '' && add(target.value)}
        >
          <option value="">{text('more', { count: others.length })}</option>
          {others.map(({ _id, name }) => (
            <option key={_id} value={_id}>
              {name}
            </option>
          ))}
        </select>
      )}
    </fieldset>
  );
}

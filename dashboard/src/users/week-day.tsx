// The windows of a weekday: as bars to drag, and as times to type.
import IconCopy from '@tabler/icons-react/dist/esm/icons/IconCopy.mjs';
import IconPlus from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs';
import { IconButton } from '../design/button.tsx';
import { clockOf } from '../text/civil.ts';
import { formatWeekday } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { DayTrack } from './day-track.tsx';
import { type Weekday, type Window, weekdays } from './schedule-draft.ts';
import { WindowList } from './window-list.tsx';

const axisHours = [6, 12, 18];

interface Props {
  weekday: Weekday;
  windows: Window[];
  /** Those of the day before. */
  before: Window[];
  isChanged: boolean;
  onChange: (windows: Window[]) => void;
  onAdd: () => void;
  onCopy: () => void;
}

/** The hours above the bars. */
export const WeekAxis = () => (
  <li className="week-day week-axis wide-only" aria-hidden="true">
    <span className="axis-hours number">
      {axisHours.map((hour) => (
        <span key={hour} style={{ insetInlineStart: `${(hour / 24) * 100}%` }}>
          {clockOf(hour * 60)}
        </span>
      ))}
    </span>
  </li>
);

export function WeekDay({ weekday, windows, before, isChanged, onChange, onAdd, onCopy }: Props) {
  const text = textsOf('users');
  const day = formatWeekday(weekdays.indexOf(weekday));
  return (
    <li className="week-day">
      <span className="strong">{day}</span>
      <DayTrack windows={windows} before={before} isChanged={isChanged} onChange={onChange} />
      <div className="row wrap loose">
        <WindowList windows={windows} label={day} onChange={onChange} />
      </div>
      <span className="row tight">
        <IconButton label={text('addHours', { day })} onClick={onAdd}>
          <IconPlus size={16} aria-hidden />
        </IconButton>
        <IconButton label={text('copyHours', { day })} onClick={onCopy}>
          <IconCopy size={15} aria-hidden />
        </IconButton>
      </span>
    </li>
  );
}

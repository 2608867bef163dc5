// The two times of a window. One that ends past midnight says so.
import IconX from '@tabler/icons-react/dist/esm/icons/IconX.mjs';
import { IconButton } from '../design/button.tsx';
import { textsOf } from '../text/texts.ts';
import { isOvernight, type Window } from './schedule-draft.ts';

/** Arrow keys change the minutes by five. */
const stepSeconds = 300;

interface Props {
  window: Window;
  /** Whose hours they are: a weekday or a date. */
  label: string;
  onChange: (window: Window) => void;
  onRemove: () => void;
}

export function WindowFields({ window, label, onChange, onRemove }: Props) {
  const text = textsOf('users');
  const field = (side: 'from' | 'to') => (
    <input
      className="time-input number"
      type="time"
      required
      step={stepSeconds}
      aria-label={text(side === 'from' ? 'fromOf' : 'toOf', { day: label })}
      value={window[side]}
      onChange={({ target }) => target.value !== '' && onChange({ ...window, [side]: target.value })}
    />
  );
  return (
    <span className="row tight">
      {field('from')}
      <span className="note">–</span>
      {field('to')}
      {isOvernight(window) && (
        <span className="tag" title={text('nextDay')}>
          +1
        </span>
      )}
      <IconButton label={text('removeHours', { day: label })} onClick={onRemove}>
        <IconX size={14} aria-hidden />
      </IconButton>
    </span>
  );
}

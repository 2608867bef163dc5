// The windows of a weekday or date, or that it is closed.
import { textsOf } from '../text/texts.ts';
import type { Window } from './schedule-draft.ts';
import { WindowFields } from './window-fields.tsx';

interface Props {
  windows: Window[];
  /** Whose hours they are: a weekday or a date. */
  label: string;
  onChange: (windows: Window[]) => void;
}

export function WindowList({ windows, label, onChange }: Props) {
  const text = textsOf('users');
  return (
    <>
      {windows.length === 0 && <span className="note">{text('closed')}</span>}
      {windows.map((window, index) => (
        <WindowFields
          // biome-ignore lint/suspicious/noArrayIndexKey: windows have no identity but their place
          key={index}
          window={window}
          label={label}
          onChange={(next) => onChange(windows.with(index, next))}
          onRemove={() => onChange(windows.toSpliced(index, 1))}
        />
      ))}
    </>
  );
}

// The reply window as a clock: how much of the 24 hours is left, in a ring and in words.
import type { Contact } from '../../../client/src/generated.ts';
import { useNow } from '../design/use-now.ts';
import { formatClock, formatDuration, formatMoment } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { closedAtMs, isShort, openWindows, partLeft } from './window.ts';

const radius = 12;
const length = 2 * Math.PI * radius;

export function WindowClock({ contact }: { contact: Contact }) {
  const text = textsOf('conversations');
  const nowMs = useNow();
  const [open] = openWindows(contact, nowMs);
  if (!open) {
    const closed = closedAtMs(contact);
    return (
      <div className="muted small">
        {closed === undefined
          ? text('neverWrote')
          : text('windowClosed', { time: formatMoment(new Date(closed)) })}
      </div>
    );
  }
  const { closesAtMs } = open;
  const part = partLeft(closesAtMs, nowMs);
  return (
    <div className={`row window-clock ${isShort(closesAtMs, nowMs) ? 'short' : ''}`}>
      <svg width="30" height="30" viewBox="0 0 30 30" aria-hidden="true">
        <circle cx="15" cy="15" r={radius} />
        <circle
          cx="15"
          cy="15"
          r={radius}
          strokeDasharray={`${length * part} ${length}`}
          transform="rotate(-90 15 15)"
        />
      </svg>
      <div>
        <div className="strong number">{text('left', { duration: formatDuration(closesAtMs - nowMs) })}</div>
        <div className="small note">{text('freeUntil', { time: formatClock(new Date(closesAtMs)) })}</div>
      </div>
    </div>
  );
}

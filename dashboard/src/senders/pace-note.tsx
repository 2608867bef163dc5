// That the platform slows a number down, and until when.
import type { Sender } from '../../../client/src/generated.ts';
import { shapes } from '../design/icons.tsx';
import { formatClock, formatNumber } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';

export function PaceNote({ sender }: { sender: Sender }) {
  const text = textsOf('senders');
  const { allowed, throttledUntil, code } = sender.pace;
  if (throttledUntil === null) return null;
  return (
    <div className="note-box warn" role="status">
      {shapes.hourglass}
      <div className="grow">
        <div className="strong">
          {text('throttled', {
            count: formatNumber(allowed),
            full: formatNumber(sender.effectiveMessagesPerSecond),
          })}{' '}
          {code !== null && <span className="mono note">{code}</span>}
        </div>
        <div className="muted">{text('throttledUntil', { time: formatClock(new Date(throttledUntil)) })}</div>
      </div>
    </div>
  );
}

// Whether the page follows what happens, or since when it does not.
import { useLive } from '../api/live.ts';
import { useNow } from '../design/use-now.ts';
import { formatClock, formatDuration } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';

export function LiveNote() {
  const { isLive, asOf, retryAt } = useLive();
  const nowMs = useNow();
  const text = textsOf('shell');
  if (isLive) {
    return (
      <div className="row small muted">
        <span className="live-dot" aria-hidden="true" />
        {text('live')}
      </div>
    );
  }
  const wait =
    retryAt === undefined
      ? undefined
      : formatDuration(Math.max(1_000, Math.ceil((retryAt - nowMs) / 1_000) * 1_000));
  return (
    <div className="row small muted">
      <span className="live-dot lost" aria-hidden="true" />
      <span role="alert">{text('notLive', { time: formatClock(new Date(asOf)) })}</span>
      {wait !== undefined && <span className="end note number">{text('again', { wait })}</span>}
    </div>
  );
}

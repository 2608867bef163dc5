// An instant: relative while it is near, then the date; a clock time alone is of today. On hover, to the millisecond, in the viewer's zone and UTC.
import { civilDate } from '../text/civil.ts';
import { formatClock, formatDay, formatInstant, formatRelative, zone } from '../text/format.ts';
import { useNow } from './use-now.ts';

const dayMs = 86_400_000;

interface Props {
  at: string;
  form?: 'relative' | 'clock' | 'both';
}

/** Every way to say the instant, for the title: `24 Nov 2026, 10:42:16.402 Europe/Berlin · 09:42:16.402 UTC`. */
export function exactly(at: Date): string {
  const here = `${formatInstant(at)} ${zone}`;
  return zone === 'UTC' ? here : `${here} · ${formatInstant(at, 'UTC')} UTC`;
}

export function Timestamp({ at, form = 'relative' }: Props) {
  const nowMs = useNow();
  const instant = new Date(at);
  const isNear = Math.abs(instant.getTime() - nowMs) < dayMs;
  const isToday = civilDate(instant, zone) === civilDate(new Date(nowMs), zone);
  const absolute = isToday ? formatClock(instant) : `${formatDay(instant)}, ${formatClock(instant)}`;
  const relative = isNear ? formatRelative(instant, nowMs) : formatDay(instant);
  return (
    <time dateTime={at} title={exactly(instant)} className="number nowrap">
      {form === 'relative' ? relative : absolute}
      {form === 'both' && <span className="note"> {formatRelative(instant, nowMs)}</span>}
    </time>
  );
}

// A day as a bar of 24 hours with its windows: dragged at an edge, moved whole, or drawn. The times beside it are its equal.
import { type PointerEvent as ReactPointerEvent, useRef } from 'react';
import { clockOf } from '../text/civil.ts';
import { direction } from '../text/language.ts';
import { isOvernight, minutesOf, type Window } from './schedule-draft.ts';

const dayMinutes = 1_440;
/** Dragging snaps to a quarter of an hour. */
const snapMinutes = 15;
const drawnMinutes = 60;

const hourMarks = [3, 6, 9, 12, 15, 18, 21];
const percent = (minutes: number) => `${(minutes / dayMinutes) * 100}%`;
const snapped = (minutes: number) => Math.round(minutes / snapMinutes) * snapMinutes;

type Grip = 'from' | 'to' | 'both';

/** The window after its grip was moved by so many minutes; it stays in its day, and keeps a quarter of an hour. */
function dragged(window: Window, grip: Grip, by: number): Window {
  const [from, to] = minutesOf(window);
  const clamp = (value: number, least: number, most: number) => Math.min(most, Math.max(least, value));
  const start =
    grip === 'to'
      ? from
      : clamp(snapped(from + by), 0, grip === 'both' ? dayMinutes - snapMinutes : to - snapMinutes);
  const end =
    grip === 'from'
      ? to
      : grip === 'both'
        ? start + to - from
        : clamp(snapped(to + by), from + snapMinutes, from + dayMinutes);
  return { from: clockOf(start), to: clockOf(end) };
}

interface Props {
  windows: Window[];
  /** Those of the day before, of which some may run into this day. */
  before: Window[];
  isChanged: boolean;
  onChange: (windows: Window[]) => void;
}

export function DayTrack({ windows, before, isChanged, onChange }: Props) {
  const track = useRef<HTMLDivElement>(null);

  /** Minutes of the day below the pointer. */
  function minutesAt(clientX: number): number {
    const { left, right, width } = track.current?.getBoundingClientRect() ?? new DOMRect(0, 0, 1, 1);
    const inline = direction === 'rtl' ? right - clientX : clientX - left;
    return (inline / width) * dayMinutes;
  }

  function drag(event: ReactPointerEvent<HTMLElement>, index: number, grip: Grip): void {
    event.preventDefault();
    event.stopPropagation();
    const element = event.currentTarget;
    const window = windows[index];
    if (event.button !== 0 || !window) return;
    const first = minutesAt(event.clientX);
    element.setPointerCapture(event.pointerId);
    const move = ({ clientX }: PointerEvent) =>
      onChange(windows.with(index, dragged(window, grip, minutesAt(clientX) - first)));
    const end = new AbortController();
    element.addEventListener('pointermove', move, { signal: end.signal });
    for (const name of ['pointerup', 'pointercancel'])
      element.addEventListener(name, () => end.abort(), { signal: end.signal });
  }

  function draw({ clientX, button }: ReactPointerEvent): void {
    if (button !== 0) return;
    const from = Math.min(dayMinutes - drawnMinutes, snapped(minutesAt(clientX)));
    const added = { from: clockOf(from), to: clockOf(from + drawnMinutes) };
    onChange([...windows, added].sort((one, other) => one.from.localeCompare(other.from)));
  }

  return (
    <div ref={track} className="day-track wide-only" aria-hidden="true" onPointerDown={draw}>
      {hourMarks.map((hour) => (
        <i key={hour} style={{ insetInlineStart: percent(hour * 60) }} />
      ))}
      {before.filter(isOvernight).map((window) => (
        <s key={window.from} style={{ inlineSize: percent(minutesOf(window)[1] - dayMinutes) }} />
      ))}
      {windows.map((window, index) => {
        const [from, to] = minutesOf(window);
        return (
          <b
            // biome-ignore lint/suspicious/noArrayIndexKey: windows have no identity but their place
            key={index}
            className={isChanged ? 'changed' : ''}
            style={{ insetInlineStart: percent(from), inlineSize: percent(Math.min(to, dayMinutes) - from) }}
            onPointerDown={(event) => drag(event, index, 'both')}
          >
            <u onPointerDown={(event) => drag(event, index, 'from')} />
            <u onPointerDown={(event) => drag(event, index, 'to')} />
          </b>
        );
      })}
    </div>
  );
}

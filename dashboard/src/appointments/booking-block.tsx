// A booking in the calendar: opens on a click, moves by dragging.
import { type CSSProperties, useEffect, useRef } from 'react';
import { shapes } from '../design/icons.tsx';
import { wordOf } from '../design/state-badge.tsx';
import { lookOf } from '../design/states.ts';
import { formatClock, formatTimes } from '../text/format.ts';
import { type Block, guestOf, stateOf } from './blocks.ts';
import type { Minutes } from './open-hours.ts';
import { useDrag } from './use-drag.ts';

/** Where minutes are in a column that shows `hours`. */
export function placeOf([from, to]: Minutes, [first, last]: Minutes): CSSProperties {
  const percent = (minutes: number) => `${(minutes / (last - first)) * 100}%`;
  return { insetBlockStart: percent(from - first), blockSize: percent(to - from) };
}

interface Props {
  block: Block;
  hours: Minutes;
  isOpen: boolean;
  mayMove: boolean;
  onOpen: () => void;
  onMove: () => void;
  onDrop: (startsAt: string) => void;
}

export function BookingBlock({ block, hours, isOpen, mayMove, onOpen, onMove, onDrop }: Props) {
  const { booking, from, to } = block;
  const { at, onPointerDown } = useDrag({ onStart: onMove, onDrop });
  const state = stateOf(booking);
  const { tone, shape } = lookOf(state);
  const [start, end] = [new Date(booking.startsAt), new Date(booking.endsAt)];
  const isPlain = state === 'confirmed';
  const place = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isOpen) place.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [isOpen]);
  return (
    <li ref={place} className="block-place" style={placeOf([from, to], hours)}>
      <button
        type="button"
        className={`block ${isPlain ? '' : `${tone} ${state}`} ${at ? 'dragged' : ''}`}
        aria-pressed={isOpen}
        data-booking={booking._id}
        title={`${guestOf(booking)}, ${formatTimes(start, end)}`}
        onClick={onOpen}
        {...(mayMove ? { onPointerDown } : {})}
      >
        <b dir="auto">{guestOf(booking)}</b>
        <span className="number">
          {formatClock(start)}
          {!isPlain && (
            <>
              {shapes[shape]}
              <span className="hidden-text">{wordOf(state)}</span>
            </>
          )}
        </span>
      </button>
      {at && (
        <div className="drag-ghost" style={{ left: at.x, top: at.y }} aria-hidden="true">
          {guestOf(booking)}
        </div>
      )}
    </li>
  );
}

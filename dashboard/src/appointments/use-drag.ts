// Dragging a block onto an open slot: with a mouse or pen, since a finger scrolls.
import { type PointerEvent as ReactPointerEvent, useEffect, useEffectEvent, useState } from 'react';

interface Point {
  x: number;
  y: number;
}

/** A press that moves less is a click. */
const clickPx = 5;

/** The start of the open slot below the pointer. */
const slotAt = ({ x, y }: Point): string | undefined =>
  document
    .elementsFromPoint(x, y)
    .map((element) => (element as HTMLElement).dataset.slot)
    .find((slot) => slot !== undefined);

/** `at`: where the pointer is while it drags. `onDrop` gets the start of the slot. */
export function useDrag({ onStart, onDrop }: { onStart: () => void; onDrop: (startsAt: string) => void }) {
  const [pressed, press] = useState<Point>();
  const [at, setAt] = useState<Point>();
  const moved = useEffectEvent((point: Point) => {
    if (!pressed) return;
    if (!at && Math.hypot(point.x - pressed.x, point.y - pressed.y) < clickPx) return;
    if (!at) onStart();
    setAt(point);
  });
  const ended = useEffectEvent((point: Point | undefined) => {
    const slot = at && point && slotAt(point);
    press(undefined);
    setAt(undefined);
    if (slot !== undefined) onDrop(slot);
  });
  useEffect(() => {
    if (!pressed) return undefined;
    const pointOf = ({ clientX, clientY }: PointerEvent) => ({ x: clientX, y: clientY });
    const stop = new AbortController();
    const { signal } = stop;
    window.addEventListener('pointermove', (event) => moved(pointOf(event)), { signal });
    window.addEventListener('pointerup', (event) => ended(pointOf(event)), { signal });
    window.addEventListener('pointercancel', () => ended(undefined), { signal });
    return () => stop.abort();
  }, [pressed]);
  const onPointerDown = ({ clientX, clientY, button, pointerType }: ReactPointerEvent) => {
    if (button === 0 && pointerType !== 'touch') press({ x: clientX, y: clientY });
  };
  return { at, onPointerDown };
}

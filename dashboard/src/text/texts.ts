// The texts of the page by room. A route loads its room before it renders, so components read them without waiting.
import type english from '../../languages/en.json';
import { loadRoom, type Messages } from './language.ts';

export type Room = keyof typeof english;
type Key<R extends Room> = keyof (typeof english)[R] & string;

const loaded = new Map<Room, Messages>();

/** Loads the texts of rooms, once each. */
export async function loadTexts(...rooms: Room[]): Promise<void> {
  await Promise.all(
    rooms.map(async (room) => {
      if (!loaded.has(room)) loaded.set(room, await loadRoom(room));
    }),
  );
}

/** The texts of a loaded room: `text('title', {count: 3})`. Values are numbers or strings; numbers choose plurals. */
export function textsOf<R extends Room>(room: R) {
  return (key: Key<R>, values?: Record<string, string | number>): string => {
    const message = loaded.get(room)?.[key];
    if (!message) throw new Error(`no text ${room}.${key}`);
    return message(values);
  };
}

/** The text if the room has one, such as for a state or code that may be newer than the page. */
export const textIfAny = (room: Room, key: string): string | undefined => loaded.get(room)?.[key]?.();

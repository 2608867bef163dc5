// The viewer's local time in a form: what `<input type="datetime-local">` shows and returns. Pure.

const two = (value: number): string => String(value).padStart(2, '0');

/** `2026-11-24T10:42`, in the viewer's zone. */
export const localInput = (at: Date): string =>
  `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`;

/** The instant of what the input returned. */
export const ofLocalInput = (text: string): Date => new Date(text);

// Answers that were typed and not sent, by person: they stay while others are answered, and if the window closes.
import { useSyncExternalStore } from 'react';
import type { Media } from '../../../client/src/generated.ts';
import type { Typed } from '../templates/values.ts';

interface Unsent {
  typed: string;
  file: Media | undefined;
  /** True while a template is chosen although a free answer could be sent. */
  isTemplate: boolean;
  /** The chosen template; empty: none. */
  templateId: string;
  /** What was typed for each template. */
  values: Readonly<Record<string, Typed>>;
}

const nothing: Unsent = { typed: '', file: undefined, isTemplate: false, templateId: '', values: {} };
const answers = new Map<string, Unsent>();
const listeners = new Set<() => void>();

const unsentTo = (id: string): Unsent => answers.get(id) ?? nothing;

/** Changes the answer to a person, also while another one is shown. */
export function changeUnsent(id: string, change: (now: Unsent) => Partial<Unsent>): void {
  const now = unsentTo(id);
  answers.set(id, { ...now, ...change(now) });
  for (const listener of listeners) listener();
}

export const useUnsent = (id: string): Unsent =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => unsentTo(id),
  );

const isEmpty = ({ typed, file, values }: Unsent): boolean =>
  typed.trim() === '' &&
  file === undefined &&
  Object.values(values).every((one) => Object.values(one).every((value) => value === ''));

// they are kept in the page only
window.addEventListener('beforeunload', (event) => {
  if (![...answers.values()].every(isEmpty)) event.preventDefault();
});

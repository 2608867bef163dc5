// Limits of the texts of an event (pure).
import { apiError } from './google-error.ts';
import type { EventBody } from './resources.ts';

/** Not documented by the API's reference; the calendar's own page has it, and errors were seen beyond it (support.nylas.com 10571467644957). */
const descriptionMax = 8192;
/** Calendar API, "Extended properties". */
const nameMax = 44;
const valueMax = 1024;

/** Throws 400 for a description that is too long. */
export function checkDescription(description: string | null | undefined): void {
  if (description && description.length > descriptionMax)
    throw apiError('invalid', { message: 'The event description is too long.' });
}

/** The properties as Google stores them: it silently drops those with long names, and silently cuts long values. */
export function storedProperties<T extends EventBody['extendedProperties']>(given: T): T {
  if (!given) return given;
  const parts = Object.entries(given).map(([part, values]) => [
    part,
    Object.fromEntries(
      Object.entries(values ?? {})
        .filter(([name]) => name.length <= nameMax)
        .map(([name, value]) => [name, typeof value === 'string' ? value.slice(0, valueMax) : value]),
    ),
  ]);
  return Object.fromEntries(parts) as T;
}

// Limits of the texts and the guests of an event.
import { apiError } from './google-error.ts';
import type { EventBody } from './resources.ts';
import { type State, settingsOf } from './state.ts';

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

/**
 * Counts the guests that an event is given. Beyond the limit, events with guests are rejected for hours, also those that send no
 * mail; events without guests are not (issuetracker.google.com 141704931, 321394804; support.google.com/a/answer/2905486).
 */
export function countInvitations(
  state: State,
  guests: EventBody['attendees'] | null,
  before: EventBody['attendees'] = [],
): void {
  const settings = settingsOf(state);
  const invited = (guests ?? []).filter(({ email }) => !before.some((guest) => guest.email === email)).length;
  if (invited === 0 || settings.invitationsLeft == null) return;
  if (invited > settings.invitationsLeft) throw apiError('quotaExceeded');
  state.settings.set('now', { ...settings, invitationsLeft: settings.invitationsLeft - invited });
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

// Google's limit of invitations, at which an account writes events without guests alone.
import { expect, test } from 'vitest';
import { failure, noon } from './calendar-under-test.ts';
import { connectedGoogle, fallbackLink } from './google-provider.ts';

const google = connectedGoogle();

test('leaves out the guests while Google takes no more of them', async () => {
  await google.control.set({ invitationsLeft: 1, conference: { kind: 'refused' } });
  const invited = await google.insert(google.booking());
  expect(invited.guestsInvited).toBe(true);
  const later = google.booking({ start: noon, end: noon + 1_800_000 });
  const made = await google.insert(later);
  expect(made).toMatchObject({ status: 'live', guestsInvited: false, meeting: { link: fallbackLink } });
  expect(google.provider.waits).toEqual([]);
  const [first, second] = await google.control.liveEvents(google.calendarId);
  expect(first?.attendees).toHaveLength(1);
  expect(second).toMatchObject({ id: later.eventId, description: later.description });
  expect(second?.attendees ?? []).toEqual([]);
});

test('retries a 403 quotaExceeded that is not about guests, and gives up at the time limit', async () => {
  const fault = { does: 'refuse', on: 'events.insert', reason: 'quotaExceeded' } as const;
  await google.control.addFault({ ...fault, times: 4 });
  await google.insert(google.booking());
  expect(await google.statuses('events.insert')).toEqual([403, 403, 403, 403, 200]);
  expect(google.provider.waits).toHaveLength(2);
  await google.control.addFault(fault);
  const refused = google.insert(google.booking());
  expect(await failure(refused)).toMatchObject({ outcome: 'not_sent', code: 'quotaExceeded' });
});

// Video meetings of events: created immediately, later, never, or rejected, as configured.
import { randomInt } from 'node:crypto';
import { apiError } from './google-error.ts';
import type { ConferenceData, StoredEvent } from './resources.ts';
import { type State, type StoredCalendar, settingsOf, storeEvent } from './state.ts';

type Meeting = Pick<StoredEvent, 'conferenceData' | 'hangoutLink' | 'conferenceReads'>;

/**
 * The meeting of an event after a write: unchanged with `conferenceDataVersion` 0 or without the field, none for null,
 * a new one for a `createRequest` with another `requestId` than the last one.
 */
export function meetingAfter(
  state: State,
  calendar: StoredCalendar,
  before: Meeting,
  requested: ConferenceData | null | undefined,
  version: number,
): Meeting {
  if (version < 1 || requested === undefined) return keep(before);
  if (requested === null) return {};
  const request = requested.createRequest;
  if (request === undefined) return keep(before);
  if (before.conferenceData?.createRequest?.requestId === request.requestId) return keep(before);
  if (typeof request.requestId !== 'string' || request.requestId === '') {
    throw apiError('invalid', { message: 'Missing conference create request id.' });
  }
  const mode = settingsOf(state).conference;
  const type = request.conferenceSolutionKey?.type;
  if (mode.kind === 'refused' || !calendar.conferenceTypes.includes(type)) {
    throw apiError('invalid', { message: 'Invalid conference type value.' });
  }
  if (mode.kind === 'success') return made(request.requestId, type);
  const statusCode = mode.kind;
  return {
    conferenceData: {
      createRequest: {
        requestId: request.requestId,
        conferenceSolutionKey: { type },
        status: { statusCode },
      },
    },
    conferenceReads: 0,
  };
}

function keep(before: Meeting): Meeting {
  return {
    ...(before.conferenceData === undefined ? {} : { conferenceData: before.conferenceData }),
    ...(before.hangoutLink === undefined ? {} : { hangoutLink: before.hangoutLink }),
    ...(before.conferenceReads === undefined ? {} : { conferenceReads: before.conferenceReads }),
  };
}

function made(requestId: string, type: string): Meeting {
  const letters = (count: number) =>
    Array.from({ length: count }, () => String.fromCharCode(97 + randomInt(26))).join('');
  const conferenceId = `${letters(3)}-${letters(4)}-${letters(3)}`;
  const uri = `https://meet.google.com/${conferenceId}`;
  return {
    hangoutLink: uri,
    conferenceData: {
      createRequest: { requestId, conferenceSolutionKey: { type }, status: { statusCode: 'success' } },
      conferenceId,
      conferenceSolution: { key: { type }, name: 'Google Meet' },
      entryPoints: [{ entryPointType: 'video', uri, label: uri.slice('https://'.length) }],
    },
  };
}

/** The event as this read sees it: a pending meeting may be finished by now. */
export function readMeeting(state: State, calendar: StoredCalendar, event: StoredEvent): StoredEvent {
  const request = event.conferenceData?.createRequest;
  if (request?.status?.statusCode !== 'pending') return event;
  const reads = (event.conferenceReads ?? 0) + 1;
  const mode = settingsOf(state).conference;
  const done = mode.kind === 'pending' && mode.readsUntilSuccess !== null && reads >= mode.readsUntilSuccess;
  if (!done) {
    state.eventsOf(calendar.id).set(event.id, { ...event, conferenceReads: reads });
    return event;
  }
  const meeting = made(request.requestId, request.conferenceSolutionKey.type);
  return storeEvent(state, calendar, { ...event, ...meeting });
}

/** Finishes every pending meeting. Returns how many. */
export function finishMeetings(state: State): number {
  let count = 0;
  for (const calendar of state.calendars.values()) {
    for (const event of state.eventsOf(calendar.id).values()) {
      const request = event.conferenceData?.createRequest;
      if (request?.status?.statusCode !== 'pending') continue;
      const meeting = made(request.requestId, request.conferenceSolutionKey.type);
      storeEvent(state, calendar, { ...event, ...meeting });
      count += 1;
    }
  }
  return count;
}

// Routes of the simulated Calendar API v3: which method and path is which operation.
import type { IncomingMessage } from 'node:http';
import { authorize } from './access.ts';
import { listCalendars, listEvents } from './event-list.ts';
import {
  type ApiCall,
  type ApiResponse,
  deleteEvent,
  getEvent,
  insertEvent,
  patchEvent,
  updateEvent,
} from './events.ts';
import type { Fault } from './faults.ts';
import { freeBusy } from './free-busy.ts';
import { apiError } from './google-error.ts';
import type { State } from './state.ts';

export interface Prepared {
  operation: string;
  calendarId: string | null;
  run(fault: Fault | undefined): ApiResponse;
}

type Handler = (call: ApiCall, fault: Fault | undefined) => ApiResponse;

const handlers: Record<string, Handler> = {
  'freebusy.query': (call, fault) => freeBusy(call, fault?.does === 'inner_errors' ? fault : null),
  'events.insert': insertEvent,
  'events.list': listEvents,
  'events.get': getEvent,
  'events.patch': patchEvent,
  'events.update': updateEvent,
  'events.delete': deleteEvent,
  'calendarList.list': listCalendars,
};

const eventsPath = /^\/calendar\/v3\/calendars\/([^/]+)\/events(?:\/([^/]+))?$/;

/** The operation of a request, ready to run; null if there is no such operation. */
export function callApi(state: State, req: IncomingMessage, url: URL, text: string): Prepared | null {
  const path = eventsPath.exec(url.pathname);
  const calendarId = decodeURIComponent(path?.[1] ?? '');
  const eventId = decodeURIComponent(path?.[2] ?? '');
  const operation = operationOf(req.method ?? 'GET', url.pathname, path);
  const handler = handlers[operation ?? ''];
  if (operation === null || handler === undefined) return null;
  return {
    operation,
    calendarId: path === null ? null : calendarId,
    run: (fault) => {
      const caller = authorize(state, req.headers.authorization, operation);
      const ifMatch = req.headers['if-match'];
      const body = bodyOf(text);
      return handler(
        { state, caller, operation, calendarId, eventId, query: url.searchParams, ifMatch, body },
        fault,
      );
    },
  };
}

function operationOf(method: string, path: string, events: RegExpExecArray | null): string | null {
  if (method === 'POST' && path === '/calendar/v3/freeBusy') return 'freebusy.query';
  if (method === 'GET' && path === '/calendar/v3/users/me/calendarList') return 'calendarList.list';
  if (events === null) return null;
  const one: Record<string, string> = { GET: 'get', PATCH: 'patch', PUT: 'update', DELETE: 'delete' };
  const all: Record<string, string> = { GET: 'list', POST: 'insert' };
  const name = (events[2] === undefined ? all : one)[method];
  return name === undefined ? null : `events.${name}`;
}

function bodyOf(text: string): Record<string, unknown> {
  if (text === '') return {};
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch {
    // Rejected below, like every body that is not an object.
  }
  throw apiError('parseError');
}

// The control API of the simulated Google, for tests and demonstrations.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ControlError, handleControl } from '../server.ts';
import { finishMeetings } from './conference.ts';
import { eventView } from './event-view.ts';
import { newEvent } from './events.ts';
import type { Faults } from './faults.ts';
import { GoogleError } from './google-error.ts';
import type { EventBody, Settings, StoredEvent } from './resources.ts';
import {
  type Client,
  issueGrant,
  putAccount,
  putCalendar,
  recordChange,
  revokeGrants,
  type State,
  type StoredCalendar,
  settingsOf,
  storeEvent,
} from './state.ts';
import type { Tables } from './tables.ts';

/** The parts of the running server. */
export interface Running {
  state: State;
  faults: Faults;
  tables: Tables;
}

type Body = Record<string, unknown>;
type Action = (on: Running, body: Body) => unknown;

/** Handlers by method and path below `/sandbox/`; all bodies are JSON objects. */
const actions: Record<string, Action> = {
  'PUT clients': ({ state }, body) => {
    const client = body as unknown as Client;
    state.clients.set(text(body, 'id'), { ...client, secret: text(body, 'secret') });
  },
  'PUT accounts': ({ state }, body) => putAccount(state, { ...body, email: text(body, 'email') }),
  'PUT calendars': ({ state }, body) =>
    putCalendar(state, { ...body, id: text(body, 'id'), owner: text(body, 'owner') }),
  'DELETE calendars': ({ state }, body) => state.calendars.delete(calendarOf(state, body).id),
  'POST grants': ({ state }, body) => {
    const account = text(body, 'account');
    if (!state.accounts.has(account)) throw new ControlError(404, `no account ${account}`);
    const { refreshToken } = issueGrant(state, text(body, 'clientId'), account, body.scopes as string[]);
    return { refreshToken };
  },
  'POST grants/revoke': ({ state }, body) => ({
    revoked: revokeGrants(state, text(body, 'account'), body.clientId as string | undefined),
  }),
  'POST access-tokens/expire': ({ state }) => {
    for (const account of state.accounts.values()) {
      state.accounts.set(account.email, { ...account, tokenEpoch: account.tokenEpoch + 1 });
    }
  },
  'POST sync-tokens/expire': ({ state }) => {
    for (const calendar of state.calendars.values()) {
      state.calendars.set(calendar.id, { ...calendar, syncEpoch: calendar.syncEpoch + 1 });
    }
  },
  'POST settings': ({ state }, body) => {
    const settings = { ...settingsOf(state), ...(body as Partial<Settings>) };
    state.settings.set('now', settings);
    return settings;
  },
  'GET settings': ({ state }) => settingsOf(state),
  'POST meetings/finish': ({ state }) => ({ finished: finishMeetings(state) }),
  'POST faults': ({ faults }, body) => faults.add(body),
  'GET faults': ({ faults }) => ({ faults: faults.list() }),
  'DELETE faults': ({ faults }) => faults.clear(),
  'POST land': ({ faults }) => ({ landed: faults.land() }),
  'POST events': ({ state }, body) => addManually(state, body),
  'PATCH events': ({ state }, body) => changeManually(state, body, body.changes as Partial<StoredEvent>),
  'DELETE events': ({ state }, body) => changeManually(state, body, { status: 'cancelled' }),
  'POST events/move': ({ state }, body) => moveManually(state, body),
  'GET events': ({ state }, query) => {
    const calendar = calendarOf(state, query);
    return {
      events: state
        .eventsOf(calendar.id)
        .values()
        .map((event) => eventView(state, calendar, event)),
    };
  },
  'GET changes': ({ state }) => ({ changes: state.changes.values() }),
  'GET mails': ({ state }) => ({ mails: state.mails.values() }),
  'GET calls': ({ state }) => ({ calls: state.calls }),
  'POST reset': ({ state, faults, tables }) => {
    tables.clear();
    faults.clear();
    state.calls.length = 0;
  },
};

/** Handles one call; `GET` takes its fields from the query. */
export function control(on: Running, url: URL, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const name = `${req.method} ${url.pathname.slice('/sandbox/'.length)}`;
  return handleControl(req, res, async (body) => {
    const action = actions[name];
    if (action === undefined) throw new ControlError(404, `no such control call: ${name}`);
    try {
      const result = action(on, { ...Object.fromEntries(url.searchParams), ...(body as Body | undefined) });
      await on.tables.written();
      return result;
    } catch (error) {
      if (error instanceof GoogleError || error instanceof RangeError)
        throw new ControlError(400, error.message);
      throw error;
    }
  });
}

function text(body: Body, name: string): string {
  const value = body[name];
  if (typeof value !== 'string' || value === '') throw new ControlError(400, `${name}: text is required`);
  return value;
}

function calendarOf(state: State, body: Body): StoredCalendar {
  const id = text(body, 'calendarId');
  const calendar = state.calendars.get(id);
  if (calendar === undefined) throw new ControlError(404, `no calendar ${id}`);
  return calendar;
}

/** Adds an event as a person does in the calendar itself. */
function addManually(state: State, body: Body): unknown {
  const calendar = calendarOf(state, body);
  const given = (body.event ?? {}) as EventBody;
  const id = given.id ?? `hand${state.changes.size}${calendar.sequence}`;
  if (state.eventsOf(calendar.id).has(id)) throw new ControlError(409, `event ${id} exists`);
  const event = storeEvent(state, calendar, newEvent(state, calendar, id, given));
  recordManualChange(state, calendar, event);
  return eventView(state, calendar, event);
}

function changeManually(state: State, body: Body, changes: Partial<StoredEvent>): unknown {
  const calendar = calendarOf(state, body);
  const before = state.eventsOf(calendar.id).get(text(body, 'eventId'));
  if (before === undefined) throw new ControlError(404, `no event ${body.eventId} in ${calendar.id}`);
  const event = storeEvent(state, calendar, { ...before, ...changes });
  recordManualChange(state, calendar, event);
  return eventView(state, calendar, event);
}

/** Moves an event to another calendar, with the same id. */
function moveManually(state: State, body: Body): unknown {
  const to = calendarOf(state, { calendarId: body.to });
  const event = state.eventsOf(calendarOf(state, body).id).get(text(body, 'eventId'));
  changeManually(state, body, { status: 'cancelled' });
  if (event === undefined) throw new ControlError(404, `no event ${body.eventId}`);
  recordManualChange(state, to, storeEvent(state, to, event));
  return eventView(state, to, event);
}

function recordManualChange(state: State, calendar: StoredCalendar, event: StoredEvent): void {
  recordChange(state, {
    operation: 'by_hand',
    account: calendar.owner,
    calendarId: calendar.id,
    eventId: event.id,
  });
}

// The simulated Google: OAuth, the Calendar API v3 and a control API on one loopback port.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { type SandboxClock, sandboxClock } from '../clock.ts';
import { listen, type RunningServer, readBody, type ServerOptions, sendJson } from '../server.ts';
import { callApi } from './api.ts';
import { eventPage } from './consent-page.ts';
import { control, type Running } from './control.ts';
import { type Fault, faultList } from './faults.ts';
import { apiError, GoogleError, oauthError } from './google-error.ts';
import { authorizePage, type BrowserResponse, consentGiven, revoke, token } from './oauth.ts';
import { type Client, openState, type State } from './state.ts';
import { openTables } from './tables.ts';

export interface GoogleOptions extends ServerOptions {
  /** OAuth clients that exist from the start; the control API can create more. */
  clients?: Client[];
  clock?: SandboxClock;
}

/** A response: JSON, or a page or redirect for a browser. */
export type HandlerResponse =
  | { status: number; body?: unknown; headers?: Record<string, string> }
  | BrowserResponse;

/** Starts the server; with `dir`, its state is stored in `google.jsonl` there. Rejects if the port is in use. */
export async function startGoogle(options: GoogleOptions = {}): Promise<RunningServer> {
  const tables = openTables(options.dir ? join(options.dir, 'google.jsonl') : null);
  const state = openState(tables, options.clock ?? sandboxClock());
  for (const client of options.clients ?? []) state.clients.set(client.id, client);
  const faults = faultList();
  const server = await listen((req, res) => {
    handle({ state, faults, tables }, req, res).catch((error) => {
      sendJson(res, 500, { error: { code: 500, message: String(error), errors: [] } });
    });
  }, options.port);
  state.url = server.url;
  return {
    url: server.url,
    close: async () => {
      await server.close();
      tables.close();
    },
  };
}

async function handle(on: Running, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { state } = on;
  const url = new URL(req.url ?? '/', 'http://sandbox');
  if (url.pathname.startsWith('/sandbox/')) return control(on, url, req, res);
  const body = await readBody(req, 1_000_000);
  if (body === null) return sendJson(res, 413, apiError('invalid', { status: 413 }).body);
  const text = body.toString('utf8');
  if (url.pathname === '/o/oauth2/v2/auth') {
    const consent = () =>
      req.method === 'POST'
        ? consentGiven(state, url.searchParams, new URLSearchParams(text))
        : authorizePage(state, url.searchParams);
    return perform(on, 'oauth.auth', null, consent, res);
  }
  if (req.method === 'POST' && url.pathname === '/token') {
    const exchange = () => ({
      status: 200,
      body: token(state, new URLSearchParams(text), req.headers.authorization),
    });
    return perform(on, 'oauth.token', null, exchange, res);
  }
  if (req.method === 'POST' && url.pathname === '/revoke') {
    const given = new URLSearchParams(text).get('token') ?? url.searchParams.get('token') ?? '';
    const end = () => {
      revoke(state, given);
      return { status: 200, body: {} };
    };
    return perform(on, 'oauth.revoke', null, end, res);
  }
  if (url.pathname === '/calendar/event')
    return send(res, showEvent(state, url.searchParams.get('eid') ?? ''));
  const api = callApi(state, req, url, text);
  if (api === null) return sendJson(res, 404, apiError('notFound').body);
  return perform(on, api.operation, api.calendarId, api.run, res);
}

function showEvent(state: State, token: string): HandlerResponse {
  const [eventId = '', calendarId = ''] = Buffer.from(token, 'base64url').toString().split(' ');
  const event = state.eventsOf(calendarId).get(eventId);
  const calendar = state.calendars.get(calendarId);
  if (event === undefined || calendar === undefined) throw apiError('notFound');
  return { status: 200, html: eventPage(calendar, event) };
}

/** Carries out a call, or injects its fault, and logs the result. */
async function perform(
  { state, faults, tables }: Running,
  operation: string,
  calendarId: string | null,
  run: (fault: Fault | undefined) => HandlerResponse,
  res: ServerResponse,
): Promise<void> {
  const call = { at: new Date(state.clock.now()).toISOString(), operation, status: null, calendarId };
  const entry: (typeof state.calls)[number] = call;
  state.calls.push(entry);
  if (state.calls.length > 20_000) state.calls.splice(0, 10_000);
  const fault = faults.take(operation);
  if (fault?.does === 'hang') return;
  if (fault?.does === 'reset' && fault.when !== 'after') return void res.socket?.resetAndDestroy();
  if (fault?.does === 'refuse' && fault.when !== 'after') return respond(rejection(operation, fault));
  if (fault?.does === 'delay') await new Promise((resolve) => setTimeout(resolve, fault.ms));
  if (fault?.does === 'land_late') await faults.landing();
  const outcome = attempt(() => run(fault));
  await tables.written();
  if (fault?.does === 'reset') return void res.socket?.resetAndDestroy();
  if (fault?.does === 'refuse') return respond(rejection(operation, fault));
  if (fault?.does === 'garble') {
    return void res.writeHead(200, { 'content-type': 'text/html' }).end(fault.body ?? '<html>');
  }
  return respond(outcome);

  function respond(given: HandlerResponse): void {
    entry.status = given.status;
    send(res, given);
  }
}

function attempt(run: () => HandlerResponse): HandlerResponse {
  try {
    return run();
  } catch (error) {
    if (error instanceof GoogleError)
      return { status: error.status, body: error.body, headers: error.headers };
    throw error;
  }
}

function rejection(operation: string, fault: Fault & { does: 'refuse' }): HandlerResponse {
  const error = operation.startsWith('oauth.')
    ? oauthError(fault.status ?? 400, fault.reason, fault.message ?? fault.reason)
    : apiError(fault.reason, fault);
  return { status: error.status, body: error.body, headers: error.headers };
}

function send(res: ServerResponse, response: HandlerResponse): void {
  if (res.destroyed || res.headersSent) return;
  if ('location' in response) {
    res.writeHead(302, { location: response.location, 'content-length': 0 }).end();
  } else if ('html' in response) {
    res.writeHead(response.status, { 'content-type': 'text/html; charset=utf-8' }).end(response.html);
  } else if (response.body === undefined) {
    res.writeHead(response.status, response.headers).end();
  } else {
    sendJson(res, response.status, response.body, response.headers);
  }
}

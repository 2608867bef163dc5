// One call of a CalDAV server over our own way out, and every failure folded into the three outcomes.
// Not tsdav: its answers pass through fetch, which cannot say whether a request was written, and through xml-js, which nobody has kept since 2019.
import { VendorError } from '../../base/errors.ts';
import type { Outgoing, OutgoingResponse } from '../../base/outgoing.ts';
import { OutgoingError } from '../../base/outgoing-error.ts';
import { type AttemptLimits, noTimeLeft } from '../../base/retry.ts';
import type { CaldavAccount } from './credential.ts';
import {
  caldav,
  dav,
  type Element,
  type Multistatus,
  parseMultistatus,
  parseXml,
  textOf,
} from './multistatus.ts';

export type SignIn = Pick<CaldavAccount, 'username' | 'password'>;

export interface DavCall {
  method: 'GET' | 'PUT' | 'DELETE' | 'PROPFIND' | 'REPORT';
  url: string;
  depth?: '0' | '1';
  headers?: Record<string, string>;
  body?: string;
}

export interface DavAnswer {
  status: number;
  headers: OutgoingResponse['headers'];
  text: string;
}

/** What one attempt works with. */
export interface Wire {
  outgoing: Pick<Outgoing, 'request'>;
  limits: AttemptLimits;
}

/** Ten thousand events of the usual size. */
const maxResponseBytes = 20 * 1024 * 1024;

/** Sends one request. Any status is an answer; throws VendorError where there is none, or none that is whole. */
export async function send(wire: Wire, signIn: SignIn, call: DavCall): Promise<DavAnswer> {
  const { until, signal } = wire.limits;
  const timeoutMs = until - performance.now();
  if (timeoutMs <= 0) {
    throw new VendorError('not_sent', 'The time was up before the call.', { code: noTimeLeft });
  }
  const isXml = call.method === 'PROPFIND' || call.method === 'REPORT';
  const headers: Record<string, string> = {
    authorization: `Basic ${Buffer.from(`${signIn.username}:${signIn.password}`).toString('base64')}`,
    'user-agent': 'chatbot-gateway',
    ...(call.depth === undefined ? {} : { depth: call.depth }),
    ...(isXml ? { 'content-type': 'application/xml; charset=utf-8' } : {}),
    ...call.headers,
  };
  const { method, url } = call;
  try {
    const response = await wire.outgoing.request({
      ...{ method, url, headers, timeoutMs, maxResponseBytes },
      ...(call.body === undefined ? {} : { body: call.body }),
      ...(signal === undefined ? {} : { signal }),
    });
    if (response.truncated) throw unreadable(response.status, 'it is too large');
    return { status: response.status, headers: response.headers, text: response.body.toString() };
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    // An address that the operator does not allow will not be allowed by trying again.
    if (error.kind === 'blocked_address') {
      throw new VendorError('rejected', error.message, { code: 'address_unusable', cause: error });
    }
    const outcome = error.sent ? 'unknown' : 'not_sent';
    throw new VendorError(outcome, error.message, { code: error.kind, cause: error });
  }
}

/** A PROPFIND or REPORT, its 207 read; throws VendorError for everything else. */
export async function ask(wire: Wire, signIn: SignIn, call: DavCall): Promise<Multistatus> {
  const answer = await send(wire, signIn, call);
  if (answer.status !== 207) throw failureOf(answer);
  return readMultistatus(answer, call.url);
}

export function readMultistatus(answer: DavAnswer, base: string): Multistatus {
  try {
    return parseMultistatus(answer.text, base);
  } catch (error) {
    throw unreadable(answer.status, (error as Error).message);
  }
}

function unreadable(status: number, why: string): VendorError {
  return new VendorError('unknown', `The answer could not be read: ${why}.`, {
    code: 'unreadable_answer',
    status,
  });
}

export const isDone = (status: number) => status >= 200 && status < 300;

/** A header's value; of several, the first. */
export function headerOf(answer: DavAnswer, name: string): string | undefined {
  const value = answer.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/**
 * What an answer that is no success means. 401 is a dead connection; 423 and 429 surely did nothing and may be
 * repeated; 5xx and anything unexpected is `unknown`, but for what says that it will never be done (501, 507).
 */
export function failureOf(answer: DavAnswer): VendorError {
  const { status } = answer;
  const said = saidIn(answer);
  const title = said.condition ?? `http_${status}`;
  const message = [`HTTP status ${status}`, said.condition, said.message].filter(Boolean).join(': ');
  const seconds = Number(headerOf(answer, 'retry-after') ?? Number.NaN);
  const details = {
    code: title,
    title,
    status,
    ...(Number.isFinite(seconds) && seconds >= 0 ? { retryAfterSeconds: seconds } : {}),
  };
  if (status === 401) {
    const text = 'The server did not accept the name and password.';
    return new VendorError('rejected', text, { ...details, code: 'invalid_grant' });
  }
  if (status === 423 || status === 429) return new VendorError('not_sent', message, details);
  if (status === 501 || status === 507) return new VendorError('rejected', message, details);
  const unclear = status === 408 || status < 400 || status >= 500;
  return new VendorError(unclear ? 'unknown' : 'rejected', message, details);
}

const localName = (element: Element) => element.name.replace(/^\{.*\}/, '');

/** The condition that was not kept (RFC 4918 section 16), and sabre/dav's words if they are there. */
function saidIn(answer: DavAnswer): { condition?: string | undefined; message?: string | undefined } {
  try {
    const root = parseXml(answer.text);
    if (localName(root) !== 'error') return {};
    const message = root.children.find((each) => localName(each) === 'message');
    const condition = root.children.find(
      ({ name }) => name.startsWith(`{${dav}}`) || name.startsWith(`{${caldav}}`),
    );
    return {
      condition: condition && localName(condition),
      message: textOf(message).slice(0, 500) || undefined,
    };
  } catch {
    return {};
  }
}

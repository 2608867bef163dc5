// Calls of a CalDAV server, with failures mapped to the three outcomes of a call. Why without tsdav: docs/decisions/0014-no-vendor-sdks.md.

import { VendorError } from '../../base/errors.ts';
import { OutgoingError } from '../../base/outgoing/error.ts';
import type { Outgoing, OutgoingResponse } from '../../base/outgoing/outgoing.ts';
import { type AttemptLimits, noTimeLeft } from '../../base/retry.ts';
import { retryAfterSecondsOf } from '../../base/retry-after.ts';
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

export type BasicCredentials = Pick<CaldavAccount, 'username' | 'password'>;

export interface DavCall {
  method: 'GET' | 'PUT' | 'DELETE' | 'PROPFIND' | 'REPORT';
  url: string;
  depth?: '0' | '1';
  headers?: Record<string, string>;
  body?: string;
}

export interface DavResponse {
  status: number;
  headers: OutgoingResponse['headers'];
  text: string;
}

/** What one call needs. */
export interface CallDeps {
  outgoing: Pick<Outgoing, 'request'>;
  limits: AttemptLimits;
}

/** About 10,000 events of typical size. */
const maxResponseBytes = 20 * 1024 * 1024;

/** Sends one request and returns the response, whatever its status. Throws VendorError if there is none, or if it is too large. */
export async function send(
  deps: CallDeps,
  credentials: BasicCredentials,
  call: DavCall,
): Promise<DavResponse> {
  const { until, signal } = deps.limits;
  const timeoutMs = until - performance.now();
  if (timeoutMs <= 0) {
    throw new VendorError('not_sent', 'The time limit was reached before the call.', { code: noTimeLeft });
  }
  const isXml = call.method === 'PROPFIND' || call.method === 'REPORT';
  const headers: Record<string, string> = {
    authorization: `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')}`,
    'user-agent': 'chatbot-gateway',
    ...(call.depth === undefined ? {} : { depth: call.depth }),
    ...(isXml ? { 'content-type': 'application/xml; charset=utf-8' } : {}),
    ...call.headers,
  };
  const { method, url } = call;
  try {
    const response = await deps.outgoing.request({
      ...{ method, url, headers, timeoutMs, maxResponseBytes },
      ...(call.body === undefined ? {} : { body: call.body }),
      ...(signal === undefined ? {} : { signal }),
    });
    if (response.truncated) throw unreadable(response.status, 'it is too large');
    return { status: response.status, headers: response.headers, text: response.body.toString() };
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    // retrying never helps: the operator does not allow this address
    if (error.kind === 'blocked_address') {
      throw new VendorError('rejected', error.message, { code: 'address_unusable', cause: error });
    }
    const outcome = error.sent ? 'unknown' : 'not_sent';
    throw new VendorError(outcome, error.message, { code: error.kind, cause: error });
  }
}

/** Sends a PROPFIND or REPORT and parses its 207 response. Throws VendorError for any other. */
export async function requestMultistatus(
  deps: CallDeps,
  credentials: BasicCredentials,
  call: DavCall,
): Promise<Multistatus> {
  const response = await send(deps, credentials, call);
  if (response.status !== 207) throw failureOf(response);
  return readMultistatus(response, call.url);
}

/** Parses the body of a 207. Throws VendorError if it is no multistatus. */
export function readMultistatus(response: DavResponse, base: string): Multistatus {
  try {
    return parseMultistatus(response.text, base);
  } catch (error) {
    throw unreadable(response.status, (error as Error).message);
  }
}

function unreadable(status: number, why: string): VendorError {
  return new VendorError('unknown', `The response could not be read: ${why}.`, {
    code: 'unreadable_answer',
    status,
  });
}

export const isSuccess = (status: number) => status >= 200 && status < 300;

/** The first value of a header. */
export function headerOf(response: DavResponse, name: string): string | undefined {
  const value = response.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/**
 * The error for an unsuccessful response. 401: the password is wrong, or the server wants another kind of authentication. 423 and 429 are `not_sent`, because nothing was done.
 * 5xx and anything unexpected is `unknown`, except 501 and 507, which are permanent.
 */
export function failureOf(response: DavResponse): VendorError {
  const { status } = response;
  const reported = errorDetailsOf(response);
  const title = reported.condition ?? `http_${status}`;
  const message = [`HTTP status ${status}`, reported.condition, reported.message].filter(Boolean).join(': ');
  const retryAfterSeconds = retryAfterSecondsOf(headerOf(response, 'retry-after'));
  const details = {
    code: title,
    title,
    status,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  };
  if (status === 401) {
    const offered = offeredSchemes(response);
    if (offered.length > 0 && !offered.includes('basic')) {
      const text = `The server does not accept Basic authentication, only: ${offered.join(', ')}. Allow Basic there.`;
      return new VendorError('rejected', text, { ...details, code: 'address_unusable' });
    }
    const text = 'The server rejected the user name or password.';
    return new VendorError('rejected', text, { ...details, code: 'invalid_grant' });
  }
  if (status === 423 || status === 429) return new VendorError('not_sent', message, details);
  if (status === 501 || status === 507) return new VendorError('rejected', message, details);
  const unclear = status === 408 || status < 400 || status >= 500;
  return new VendorError(unclear ? 'unknown' : 'rejected', message, details);
}

/** The authentication schemes of a 401, in lower case (RFC 9110 section 11.6.1); the parameters are skipped. */
function offeredSchemes({ headers }: DavResponse): string[] {
  const challenges = [headers['www-authenticate'] ?? []].flat().join(', ');
  const withoutTexts = challenges.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
  return [...withoutTexts.matchAll(/(?:^|,)\s*([\w-]+)(?=\s+[\w-]|\s*(?:,|$))/g)].map(([, name = '']) =>
    name.toLowerCase(),
  );
}

const localName = (element: Element) => element.name.replace(/^\{.*\}/, '');

/** The violated condition of an error response (RFC 4918 section 16), and sabre/dav's message if there is one. */
function errorDetailsOf(response: DavResponse): {
  condition?: string | undefined;
  message?: string | undefined;
} {
  try {
    const root = parseXml(response.text);
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

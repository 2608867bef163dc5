// The client of the platform's HTTP API, which turns its errors into the three outcomes.
import type { Readable } from 'node:stream';
import { VendorError } from '../../base/errors.ts';
import { OutgoingError } from '../../base/outgoing/error.ts';
import type { Outgoing, OutgoingResponse } from '../../base/outgoing/outgoing.ts';
import type { SenderAccess } from '../../ports/platform.ts';
import { minWaitOf } from './error-codes.ts';
import { foreignResponse } from './foreign-response.ts';
import { explanationOf, isObject, type Json, readJson, storableText, textOf } from './json.ts';
import { retryAfterOf } from './retry-after.ts';
import { proving } from './secret-proof.ts';

export interface MetaClient {
  call(sender: SenderAccess, call: MetaCall): Promise<Record<string, unknown>>;
}

export interface MetaCall {
  method: 'GET' | 'POST' | 'DELETE';
  /** Below the version, such as `106540352242922/messages`; may have a query. */
  path: string;
  query?: Record<string, string>;
  json?: unknown;
  body?: { stream: Readable; headers: Record<string, string> };
  timeoutMs: number;
}

function parsed(response: OutgoingResponse): Json | undefined {
  try {
    const value = readJson(response.body);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** `(#132000) Number of parameters does not match` → `Number of parameters does not match` */
function titleOf(message: string): string {
  return message.replace(/^\(#\d+\)\s*/, '');
}

/**
 * The error of a failed call. The platform's own error body is a rejection, whatever the HTTP status: Meta's documentation
 * says to decide by its code. Anything else comes from a proxy or firewall (`foreignResponse`).
 */
function failure(response: OutgoingResponse): VendorError {
  const error = parsed(response)?.error;
  if (!isObject(error) || !isPlatformError(error)) return foreignResponse(response);
  const code = Number(error.code);
  const subcode = Number(error.error_subcode);
  const title = titleOf(storableText(error.error_user_title) ?? storableText(error.message) ?? 'Refused');
  const text =
    explanationOf(error) ?? storableText(error.error_user_msg) ?? storableText(error.message) ?? title;
  return new VendorError('rejected', text, {
    ...{ status: response.status, code, title },
    ...(Number.isInteger(subcode) ? { subcode } : {}),
    isTransient: error.is_transient === true,
    ...retryAfterOf(response, minWaitOf(code)),
  });
}

/** True if the content is an error, whatever the HTTP status. With `messages` in addition, the messages were accepted. */
const isRejection = (content: Json): boolean => isObject(content.error) && content.messages === undefined;

/** Errors of other servers have an HTTP status as code; the platform's have a type and a trace id. */
function isPlatformError(error: Json): boolean {
  const code = Number(textOf(error.code) || Number.NaN);
  if (!Number.isInteger(code)) return false;
  return code < 400 || code > 599 || error.fbtrace_id !== undefined || error.type !== undefined;
}

/** The error of a success without its required content: the call may have been carried out. */
export function unexpected(what: string): VendorError {
  return new VendorError('unknown', `the platform returned a success without ${what}`);
}

/** Returns a text that the response must have. Throws `unexpected`. */
export function string(value: unknown, what: string): string {
  if (typeof value === 'string' && value !== '') return value;
  if (typeof value === 'number') return String(value);
  throw unexpected(what);
}

export interface MetaClientOptions {
  /** For the operator's address. */
  outgoing: Pick<Outgoing, 'request' | 'stream'>;
  /** With the address guard, for addresses that accounts chose. */
  guardedOutgoing: Pick<Outgoing, 'request' | 'stream'>;
  /** Such as `v23.0`. */
  apiVersion: string;
}

/** The header that names this program: the platform's downloads reject calls without it. */
export const userAgent = { 'user-agent': 'chatbot-gateway' };

/** Opens a client of the platform's HTTP API. */
export function openMetaClient(options: MetaClientOptions): MetaClient {
  return {
    call: proving(async (sender, { method, path, query, json, body, timeoutMs }: MetaCall) => {
      const search = query ? `${path.includes('?') ? '&' : '?'}${new URLSearchParams(query)}` : '';
      const headers: Record<string, string> = {
        ...userAgent,
        authorization: `Bearer ${sender.credential}`,
      };
      if (json !== undefined) headers['content-type'] = 'application/json';
      let response: OutgoingResponse;
      try {
        const outgoing = sender.isOwnAddress ? options.guardedOutgoing : options.outgoing;
        response = await outgoing.request({
          method,
          url: `${sender.apiUrl}/${options.apiVersion}/${path}${search}`,
          headers: { ...headers, ...body?.headers },
          ...(json !== undefined ? { body: JSON.stringify(json) } : body ? { body: body.stream } : {}),
          timeoutMs,
          maxResponseBytes: 16 * 1024 * 1024,
        });
      } catch (error) {
        if (!(error instanceof OutgoingError)) throw error;
        throw new VendorError(error.sent ? 'unknown' : 'not_sent', error.message, { cause: error });
      }
      const content = parsed(response);
      const isSuccess = response.status >= 200 && response.status < 300 && !response.truncated;
      if (isSuccess && content && !isRejection(content)) return content;
      throw failure(response);
    }),
  };
}

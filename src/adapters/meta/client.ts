// One call to the platform: address, token, and its error envelope turned into the three outcomes.
import type { Readable } from 'node:stream';
import { VendorError } from '../../base/errors.ts';
import type { Outgoing, OutgoingResponse } from '../../base/outgoing.ts';
import { OutgoingError } from '../../base/outgoing-error.ts';
import type { SenderAccess } from '../../ports/platform.ts';
import { leastWaitOf } from './error-codes.ts';
import { isObject, type Json, objectsOf, readJson, textOf } from './json.ts';

export interface MetaClient {
  call(sender: SenderAccess, call: MetaCall): Promise<Record<string, unknown>>;
}

export interface MetaCall {
  method: 'GET' | 'POST' | 'DELETE';
  /** Below the version, such as `106540352242922/messages`. */
  path: string;
  query?: Record<string, string>;
  json?: unknown;
  body?: { stream: Readable; headers: Record<string, string> };
  timeoutMs: number;
}

const longestRetryAfterSeconds = 86_400;
/** Longest text of the platform that is kept and told on. */
const textMax = 1_000;

const told = (value: unknown): string | undefined => textOf(value)?.slice(0, textMax).toWellFormed();

function parsed(response: OutgoingResponse): Json | undefined {
  try {
    const value = readJson(response.body);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * When to ask again: as `Retry-After` says, or the minutes until access is regained in the usage header, or what the
 * code itself asks for.
 */
function retryAfterSeconds(response: OutgoingResponse, code?: number): { retryAfterSeconds?: number } {
  const wait = code === undefined ? undefined : leastWaitOf(code);
  const said = Number(response.headers['retry-after']) || (wait ? 60 * regainMinutes(response) : 0);
  const seconds = said > 0 ? said : wait;
  return seconds === undefined ? {} : { retryAfterSeconds: Math.min(seconds, longestRetryAfterSeconds) };
}

/** `X-Business-Use-Case-Usage: {"<id>": [{"estimated_time_to_regain_access": 3, …}]}`: the longest of them. */
function regainMinutes(response: OutgoingResponse): number {
  try {
    const usage = JSON.parse(String(response.headers['x-business-use-case-usage']));
    const entries = isObject(usage) ? Object.values(usage).flatMap(objectsOf) : [];
    return Math.max(0, ...entries.map((one) => Number(one.estimated_time_to_regain_access) || 0));
  } catch {
    return 0;
  }
}

/** `(#132000) Number of parameters does not match` → `Number of parameters does not match` */
function titleOf(message: string): string {
  return message.replace(/^\(#\d+\)\s*/, '');
}

/**
 * An answer that is no success. With the platform's own error body it is a refusal, whatever the HTTP status (the
 * platform asks to decide by code, not by status); a 4xx without one is a refusal too; anything else says nothing.
 */
function failure(response: OutgoingResponse): VendorError {
  const error = parsed(response)?.error;
  const code = isObject(error) && typeof error.code === 'number' ? error.code : undefined;
  const details = { status: response.status, ...retryAfterSeconds(response, code) };
  if (isObject(error) && code !== undefined) {
    const title = titleOf(told(error.error_user_title) ?? told(error.message) ?? 'Refused');
    const explained = isObject(error.error_data) ? told(error.error_data.details) : undefined;
    const text = explained ?? told(error.error_user_msg) ?? told(error.message) ?? title;
    return new VendorError('refused', text, { ...details, code, title });
  }
  if (response.status >= 400 && response.status < 500) {
    return new VendorError('refused', `HTTP ${response.status} without an explanation`, {
      ...details,
      code: response.status,
      title: `HTTP ${response.status}`,
    });
  }
  return new VendorError('unknown', `HTTP ${response.status} without the platform's error body`, details);
}

/** A success whose body lacks what it must carry: it may have been done. */
export function unexpected(what: string): VendorError {
  return new VendorError('unknown', `the platform answered a success without ${what}`);
}

/** The text that an answer must carry. Throws `unexpected`. */
export function string(value: unknown, what: string): string {
  if (typeof value === 'string' && value !== '') return value;
  if (typeof value === 'number') return String(value);
  throw unexpected(what);
}

export interface MetaClientOptions {
  /** For the operator's address. */
  outgoing: Pick<Outgoing, 'request'>;
  /** Guarded: for addresses that accounts named themselves. */
  guardedOutgoing: Pick<Outgoing, 'request'>;
  /** Such as `v23.0`. */
  apiVersion: string;
}

/** A client of the platform's HTTP API. */
export function openMetaClient(options: MetaClientOptions): MetaClient {
  return {
    async call(sender, { method, path, query, json, body, timeoutMs }) {
      const search = query ? `?${new URLSearchParams(query)}` : '';
      const headers: Record<string, string> = { authorization: `Bearer ${sender.accessToken}` };
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
      const answer = parsed(response);
      if (response.status >= 200 && response.status < 300 && answer && !response.truncated) return answer;
      throw failure(response);
    },
  };
}

// An authenticated call of the platform's API, as its handlers get it, and the ways to respond.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Fault, injectFault } from '../faults.ts';
import { readBody, sendJson } from '../server.ts';
import type { Poster } from './callbacks.ts';
import type { CallLog } from './calls.ts';
import { badParam, envelope, Rejection, rejection } from './errors.ts';
import type { MediaBytes } from './media.ts';
import type { MessagingLimits } from './messaging-limits.ts';
import type { App } from './model.ts';
import type { RateLimits } from './rate-limits.ts';
import type { State } from './state.ts';
import type { Uploads } from './uploads.ts';

/** The parts of the running platform. */
export interface Platform {
  state: State;
  poster: Poster;
  rateLimits: RateLimits;
  messagingLimits: MessagingLimits;
  /** How often each `…0002CCCCCC` recipient was rejected. */
  rejections: Map<string, number>;
  calls: CallLog;
  mediaBytes: MediaBytes;
  uploads: Uploads;
  /** Its own address, for links in its responses. */
  url: () => string;
}

export interface Call {
  req: IncomingMessage;
  res: ServerResponse;
  app: App;
  token: string;
  /** True if the token is the app's own, `APP_ID|APP_SECRET`. */
  isAppToken: boolean;
  /** `v23.0`. */
  version: string;
  query: URLSearchParams;
  /** A fault to inject instead of the response, after the call was carried out. */
  fault: Fault | undefined;
}

/** Responds to a call, or injects the call's fault instead. */
export function respond(call: Call, status: number, body: unknown): void {
  if (call.fault) injectFault(call.res, call.fault);
  else sendJson(call.res, status, body);
}

/** Responds with the platform's error envelope. Any other error is a bug of the sandbox, and the response says so. */
export function respondError(res: ServerResponse, error: unknown, plainData = false): void {
  const known = error instanceof Rejection;
  if (!known) console.error('sandbox cloud-api:', error);
  const rejected = known ? error : rejection(1, `An error of the sandbox itself: ${String(error)}`);
  sendJson(
    res,
    rejected.parts.status,
    envelope(plainData ? new Rejection({ ...rejected.parts, plainData }) : rejected),
    rejected.parts.headers,
  );
}

/** The JSON body of a call; throws the platform's rejection unless it is an object. */
export async function readJson(req: IncomingMessage): Promise<Record<string, unknown>> {
  const bytes = await readBody(req, 3_000_000);
  try {
    const body: unknown = JSON.parse(bytes === null ? '' : bytes.toString('utf8'));
    if (typeof body === 'object' && body !== null) return body as Record<string, unknown>;
  } catch {
    // Rejected below, like every body that is not an object.
  }
  throw badParam('The request body is not a valid JSON object.');
}

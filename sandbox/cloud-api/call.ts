// One authenticated call of the platform's API, as its handlers see it.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Fault, injectFault } from '../faults.ts';
import { readBody, sendJson } from '../server.ts';
import type { Poster } from './callbacks.ts';
import type { CallLog } from './calls.ts';
import { badParam, envelope, Rejection, rejection } from './errors.ts';
import type { MediaBytes } from './media.ts';
import type { App } from './model.ts';
import type { RateLimits } from './rate-limits.ts';
import type { State } from './state.ts';
import type { Uploads } from './uploads.ts';

/** What the platform is made of while it runs. */
export interface Platform {
  state: State;
  poster: Poster;
  rateLimits: RateLimits;
  /** How often each `…0002CCCCCC` recipient was rejected. */
  rejections: Map<string, number>;
  calls: CallLog;
  mediaBytes: MediaBytes;
  uploads: Uploads;
  /** Its own address, for the links it answers. */
  url: () => string;
}

export interface Call {
  req: IncomingMessage;
  res: ServerResponse;
  app: App;
  /** `v23.0`. */
  version: string;
  query: URLSearchParams;
  /** A fault that spoils the answer after the call was carried out. */
  fault: Fault | undefined;
}

/** Answers a call, unless a fault spoils its answer. */
export function answer(call: Call, status: number, body: unknown): void {
  if (call.fault) injectFault(call.res, call.fault);
  else sendJson(call.res, status, body);
}

/** Answers with the platform's envelope; any other error is a bug of the sandbox and says so. */
export function answerError(res: ServerResponse, error: unknown, plainData = false): void {
  const known = error instanceof Rejection;
  if (!known) console.error('sandbox cloud-api:', error);
  const refused = known ? error : rejection(1, `An error of the sandbox itself: ${String(error)}`);
  sendJson(
    res,
    refused.parts.status,
    envelope(plainData ? new Rejection({ ...refused.parts, plainData }) : refused),
  );
}

/** The JSON body of a call; rejects what is not an object. */
export async function readJson(req: IncomingMessage): Promise<Record<string, unknown>> {
  const bytes = await readBody(req, 3_000_000);
  try {
    const body: unknown = JSON.parse(bytes === null ? '' : bytes.toString('utf8'));
    if (typeof body === 'object' && body !== null) return body as Record<string, unknown>;
  } catch {
    // Refused below, as a body of another kind is.
  }
  throw badParam('The request body is not a valid JSON object.');
}

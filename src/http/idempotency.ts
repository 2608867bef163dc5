// The Idempotency-Key header (draft-ietf-httpapi-idempotency-key-header): validation, request fingerprints, and replays.
import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { AppError } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import type { KeyedHash } from '../base/keyed-hash.ts';
import type { Db, Tx } from '../db/db.ts';
import {
  findKey,
  type IdempotencyKeyRow,
  type KeyLease,
  type KeyOf,
  takeOverKey,
} from '../db/idempotency-keys.ts';
import { removeNulls } from './absent-nulls.ts';
import type { BodySchema } from './body-problems.ts';
import { canonicalJson } from './canonical-json.ts';
import { sendBody } from './reply.ts';

/**
 * Returns the UUID of the header in lower case; it may be bare or quoted (a Structured Field string). Throws 400
 * `idempotency_key_missing` if the header is required and absent, and `idempotency_key_invalid` for any other value.
 * An empty header is invalid, not absent: its caller expected protection from a second execution.
 */
export function idempotencyKeyOf(
  header: string | string[] | undefined,
  need: 'required' | 'optional',
): string | undefined {
  if (header === undefined) {
    if (need === 'optional') return undefined;
    throw new AppError(
      'idempotency_key_missing',
      'The Idempotency-Key header is required here. Send a new UUID with each new request, and the same one with each retry.',
    );
  }
  const text = (Array.isArray(header) ? header.join(',') : header).trim();
  const bare = /^"(.*)"$/.exec(text)?.[1] ?? text;
  if (!isUuid(bare))
    throw new AppError(
      'idempotency_key_invalid',
      'The Idempotency-Key header must contain exactly one UUID. Send a UUID, or omit the header where it is optional.',
    );
  return bare.toLowerCase();
}

/** The fingerprint by which a retry of a request is recognized. */
export interface Fingerprint {
  /** The value to store: a keyed hash, because the body may contain phone numbers and one-time codes. */
  fingerprint: Buffer;
  /** True if the stored fingerprint has the same body, whichever key of the ring was used. */
  isSameBody: (stored: Buffer) => boolean;
}

/** Earlier versions stored a bare SHA-256, recognized by its length. */
const bareSha256Bytes = 32;

/**
 * The fingerprint of the canonical JSON of a body, as it was received: a process of an earlier version compares it so. With the
 * schema of the body, a repeat with null for an optional field that the first request left out is the same body.
 */
export function fingerprintOf(keyedHash: KeyedHash, body: unknown, schema?: object): Fingerprint {
  const text = canonicalJson(body);
  const fingerprint = keyedHash.of(purpose, text);
  const isOf = (stored: Buffer, one: string) =>
    stored.length === bareSha256Bytes
      ? createHash('sha256').update(one).digest().equals(stored)
      : keyedHash.allOf(purpose, one).some((hash) => hash.equals(stored));
  return {
    fingerprint,
    isSameBody(stored) {
      if (stored.equals(fingerprint) || isOf(stored, text)) return true;
      if (!schema || !text.includes('null')) return false;
      const withoutNulls = structuredClone(body);
      const hadNulls = removeNulls(schema as BodySchema, withoutNulls, { evenTaken: true });
      return hadNulls && isOf(stored, canonicalJson(withoutNulls));
    },
  };
}

const purpose = 'idempotency_keys.fingerprint';

/** State of a key: unused, with a stored response, or to be continued because the first process died. */
export type KeyState =
  | { kind: 'first' }
  | { kind: 'answered'; status: number; body: string }
  | { kind: 'continue'; subjectId: string; answeredBy: string | null };

/** How rows and responses of keys are found. */
export interface KeyReading {
  /** Finds the row of a key; may combine many look-ups. */
  find?: (key: KeyOf) => Promise<IdempotencyKeyRow | undefined>;
  /** Makes the response of a key that stores none, from what answers it; undefined: not answered yet. */
  makeResponse?: (row: IdempotencyKeyRow) => Promise<{ status: number; body: string } | undefined>;
}

/**
 * Looks the key up, and its response. Throws 422 `idempotency_key_reused` for another body with the
 * same key, and 409 `idempotency_in_progress` (with Retry-After) while the first request is in progress. Takes over a
 * lease that ended for `leaseSeconds`: the caller then continues with `subjectId` and never creates a second subject.
 */
export async function lookUpKey(
  db: Db | Tx,
  of: KeyOf & KeyLease & Pick<Fingerprint, 'isSameBody'>,
  { find = (key) => findKey(db, key), makeResponse }: KeyReading = {},
): Promise<KeyState> {
  const row = await find(of);
  if (!row) return { kind: 'first' };
  if (!of.isSameBody(row.fingerprint)) throw keyReused();
  if (row.status !== null && row.body !== null)
    return { kind: 'answered', status: row.status, body: row.body };
  const made = await makeResponse?.(row);
  if (made) return { kind: 'answered', status: made.status, body: made.body };
  if (!row.leased && (await takeOverKey(db, of)))
    return { kind: 'continue', subjectId: row.subject_id, answeredBy: row.answered_by };
  throw inProgress();
}

/** 422 for another body with the same key. */
export function keyReused(): AppError {
  return new AppError(
    'idempotency_key_reused',
    'This Idempotency-Key was used with another body before. Use a new UUID for a new request.',
  );
}

/** 409 for a retry while the first request is in progress. */
export function inProgress(): AppError {
  return new AppError(
    'idempotency_in_progress',
    'The first request with this Idempotency-Key is still in progress. Retry in a moment to get its response.',
    { retryAfterSeconds: 2 },
  );
}

/** Sends a stored response, marked as a replay. */
export function sendReplay(reply: FastifyReply, stored: { status: number; body: string }): FastifyReply {
  return sendBody(reply.code(stored.status).header('Idempotency-Replayed', 'true'), stored.body);
}

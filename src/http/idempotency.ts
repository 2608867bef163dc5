// The Idempotency-Key header (draft-ietf-httpapi-idempotency-key-header): its form, its fingerprint, and what a repeat gets.
import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { AppError } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import type { KeyedHash } from '../base/keyed-hash.ts';
import type { Db, Tx } from '../db/db.ts';
import { findKey, type KeyOf, takeOverKey } from '../db/idempotency-keys.ts';
import { canonicalJson } from './canonical-json.ts';

/**
 * Returns the UUID of the header in lower case; it may be bare or quoted (a Structured Field string). Throws 400
 * `idempotency_key_missing` if the header is required and absent, and `idempotency_key_invalid` for any other value.
 * An empty header is invalid, not absent: its caller meant to be protected from a second execution.
 */
export function idempotencyKeyOf(
  header: string | string[] | undefined,
  need: 'required' | 'optional',
): string | undefined {
  if (header === undefined) {
    if (need === 'optional') return undefined;
    throw new AppError(
      'idempotency_key_missing',
      'The Idempotency-Key header is required here. Send a fresh UUID with each new request, and the same one when you repeat it.',
    );
  }
  const text = (Array.isArray(header) ? header.join(',') : header).trim();
  const bare = /^"(.*)"$/.exec(text)?.[1] ?? text;
  if (!isUuid(bare))
    throw new AppError(
      'idempotency_key_invalid',
      'The Idempotency-Key header must hold exactly one UUID. Send a UUID, or leave the header out where it is optional.',
    );
  return bare.toLowerCase();
}

/** What a repeat of a request is known by. */
export interface Fingerprint {
  /** To be stored: a keyed hash of the body, which may hold phone numbers and one-time codes. */
  fingerprint: Buffer;
  /** True if the stored fingerprint is of the same body, whichever key of the ring made it. */
  isSameBody: (stored: Buffer) => boolean;
}

/** Earlier versions stored a bare SHA-256, recognized by its length. */
const bareSha256Bytes = 32;

/** The fingerprint of the canonical JSON of a body. */
export function fingerprintOf(keyedHash: KeyedHash, body: unknown): Fingerprint {
  const text = canonicalJson(body);
  const fingerprint = keyedHash.of(purpose, text);
  return {
    fingerprint,
    isSameBody(stored) {
      if (stored.equals(fingerprint)) return true;
      if (stored.length === bareSha256Bytes) return createHash('sha256').update(text).digest().equals(stored);
      return keyedHash.allOf(purpose, text).some((one) => one.equals(stored));
    },
  };
}

const purpose = 'idempotency_keys.fingerprint';

/** What a request with a key is: the first of its kind, a repeat of an answered one, or one whose first worker died. */
export type Repeat =
  | { kind: 'first' }
  | { kind: 'answered'; status: number; body: string }
  | { kind: 'continue'; subjectId: string };

/**
 * Looks the key up, by `find` where many are looked up together. Throws 422 `idempotency_key_reused` for another body under the same key, and 409
 * `idempotency_in_progress` (with Retry-After) while the first is in progress. An expired lease is taken over for
 * `leaseSeconds`: the caller then goes on with `subjectId` and never starts a second one.
 */
export async function consultKey(
  db: Db | Tx,
  of: KeyOf & Pick<Fingerprint, 'isSameBody'> & { leaseSeconds: number },
  find = (key: KeyOf) => findKey(db, key),
): Promise<Repeat> {
  const row = await find(of);
  if (!row) return { kind: 'first' };
  if (!of.isSameBody(row.fingerprint)) throw keyReused();
  if (row.status !== null && row.body !== null)
    return { kind: 'answered', status: row.status, body: row.body };
  if (!row.leased && (await takeOverKey(db, of))) return { kind: 'continue', subjectId: row.subject_id };
  throw inProgress();
}

/** 422 for another body under the same key. */
export function keyReused(): AppError {
  return new AppError(
    'idempotency_key_reused',
    'This Idempotency-Key came with another body before. Use a fresh UUID for a new request.',
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

/** Sends stored bytes again, marked as a replay. */
export function sendReplay(reply: FastifyReply, stored: { status: number; body: string }): FastifyReply {
  return reply
    .code(stored.status)
    .header('Idempotency-Replayed', 'true')
    .type('application/json; charset=utf-8')
    .send(stored.body);
}

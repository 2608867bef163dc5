// The bounds of a key: a key creates no key with more scopes or a later end than its own. Pure.
import { AppError } from '../base/errors.ts';

/** What a key may do, and until when; null: it does not expire. */
export interface KeyBounds {
  scopes: readonly string[];
  expiresAt: Date | null;
}

const instead =
  'use a key that is not limited so, or create the key where the gateway runs, with the command "key create".';

/**
 * Throws 403 `forbidden` if `wanted`, the bounds of a key that the caller would get to see, exceed those of the caller's
 * own key.
 */
export function requireWithin(own: KeyBounds, wanted: KeyBounds): void {
  const missing = wanted.scopes.filter((scope) => !own.scopes.includes(scope));
  if (missing.length > 0) {
    throw new AppError(
      'forbidden',
      `scopes: this API key lacks ${missing.join(', ')}, so it cannot create or rotate a key with more scopes than its own. Leave out what it lacks, ${instead}`,
    );
  }
  if (own.expiresAt === null) return;
  if (wanted.expiresAt !== null && wanted.expiresAt.getTime() <= own.expiresAt.getTime()) return;
  throw new AppError(
    'forbidden',
    `expiresAt: this API key expires at ${own.expiresAt.toISOString()}, so it cannot create or rotate a key that expires later or never. Give an earlier time, ${instead}`,
  );
}

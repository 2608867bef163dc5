// The bounds of a key: it cannot create a key with more scopes or a later expiry. Pure.
import { AppError } from '../base/errors.ts';
import { withIncluded } from '../contract/envelope.ts';

/** The scopes and expiry of a key; null: it does not expire. */
export interface KeyBounds {
  scopes: readonly string[];
  expiresAt: Date | null;
}

const alternatives =
  'use a key without this limit, or run the command "key create" on the gateway\'s machine.';

/**
 * Throws 403 `forbidden` if `wanted`, the bounds of a key that the caller would receive, exceed those of the caller's key.
 */
export function requireWithinBounds(own: KeyBounds, wanted: KeyBounds): void {
  const held = withIncluded(own.scopes);
  const missing = wanted.scopes.filter((scope) => !held.has(scope));
  if (missing.length > 0) {
    throw new AppError(
      'forbidden',
      `scopes: the calling key or session lacks ${missing.join(', ')}, so it cannot create or rotate a key with more scopes than its own. Omit these scopes, ${alternatives}`,
    );
  }
  if (own.expiresAt === null) return;
  if (wanted.expiresAt !== null && wanted.expiresAt.getTime() <= own.expiresAt.getTime()) return;
  throw new AppError(
    'forbidden',
    `expiresAt: the calling key expires at ${own.expiresAt.toISOString()}, so it cannot create or rotate a key that expires later or never. Set an earlier time, ${alternatives}`,
  );
}

// The current bounds of a caller: what a key or link that it creates may have at most.
import type { Tx } from '../db/db.ts';
import { endedSession, invalidKey } from './authenticate.ts';
import type { KeyBounds } from './key-bounds.ts';
import { findSessionById } from './sessions-store.ts';
import { findKeyById } from './store.ts';

/** A key or session that creates another one. */
export interface Creator {
  kind: 'key' | 'session';
  id: string;
}

/** The bounds, and when the session itself ends; null for a key. */
export type CallerBounds = KeyBounds & { sessionEndsAt: Date | null };

/**
 * Reads the bounds: a cached key may have been revoked (401) or given an earlier expiry. A session has the expiry of its key;
 * without a key it has none, because the operator made its link.
 */
export async function boundsOf(
  tx: Tx,
  accountId: string,
  { kind, id }: Creator,
  now: number,
): Promise<CallerBounds> {
  if (kind === 'key') {
    const row = await findKeyById(tx, accountId, id, new Date(now));
    if (!row) throw invalidKey();
    return { scopes: row.scopes, expiresAt: row.expires_at, sessionEndsAt: null };
  }
  const row = await findSessionById(tx, accountId, id, new Date(now));
  if (!row) throw endedSession();
  return { scopes: row.scopes, expiresAt: row.key_expires_at, sessionEndsAt: row.ends_at };
}

// Dashboard links: their creation with a subset of the maker's scopes, and their removal.
import { audit } from '../audit/store.ts';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import { isUuid, uuidv7 } from '../base/ids.ts';
import { withIncluded } from '../contract/envelope.ts';
import type { Db } from '../db/db.ts';
import { boundsOf, type Creator } from './caller-bounds.ts';
import { deleteLink, deleteSurplusLinks, insertLink } from './links-store.ts';
import { hashToken, makeToken } from './token.ts';

export interface LinksDeps {
  db: Db;
  clock: Clock;
}

/** Seconds for which a link is valid unless its maker names others. */
const defaultSeconds = 600;
/** Unused links of an account; the oldest ones beyond it are removed. */
const linksMax = 100;

export interface NewLink {
  id: string;
  name: string;
  scopes: readonly string[];
  /** The secret in its address, shown only now. */
  token: string;
  createdAt: Date;
  expiresAt: Date;
}

/** Who makes a link: a key or session, or the command line, which is not bound by scopes. */
export type LinkMaker = (Creator & { keyId: string | null }) | 'operator';

/**
 * Makes a link. Its session belongs to the maker's key and ends with it; without a key, it ends no later than the session that
 * made the link. Without `scopes` it has those of the maker, without the scope `operator`. Throws 403 for more.
 */
export async function createLink(
  deps: LinksDeps,
  input: {
    accountId: string;
    maker: LinkMaker;
    name: string;
    scopes?: readonly string[];
    expiresInSeconds?: number;
  },
): Promise<NewLink> {
  const { accountId, maker, name, expiresInSeconds = defaultSeconds } = input;
  const now = deps.clock.now();
  const token = makeToken();
  return deps.db.transaction().execute(async (tx) => {
    const own = maker === 'operator' ? undefined : await boundsOf(tx, accountId, maker, now);
    const keyId = maker === 'operator' ? null : maker.keyId;
    const scopes = input.scopes ?? own?.scopes.filter((scope) => scope !== 'operator') ?? [];
    if (own) requireHeld(own.scopes, scopes);
    const expiresAt = new Date(now + expiresInSeconds * 1000);
    const link = { id: uuidv7(now), accountId, keyId, name, scopes, expiresAt };
    const sessionEndsAt = keyId === null ? (own?.sessionEndsAt ?? null) : null;
    await insertLink(tx, { ...link, hash: hashToken(token), now: new Date(now), sessionEndsAt });
    await deleteSurplusLinks(tx, accountId, linksMax);
    await audit(tx, accountId, 'link.created', link.id, { name, scopes, expiresAt });
    return { ...link, token, createdAt: new Date(now) };
  });
}

function requireHeld(own: readonly string[], wanted: readonly string[]): void {
  const held = withIncluded(own);
  const missing = wanted.filter((scope) => !held.has(scope));
  if (missing.length === 0) return;
  throw new AppError(
    'forbidden',
    `scopes: the calling key or session lacks ${missing.join(', ')}, so its link cannot have more scopes. Omit these scopes, or run the command "dashboard-link" on the gateway's machine.`,
  );
}

/** Removes an unused link. Throws 404 if the account has none with that id. */
export async function removeLink(deps: LinksDeps, of: { accountId: string; id: string }): Promise<void> {
  const name = isUuid(of.id)
    ? await deps.db.transaction().execute(async (tx) => {
        const deleted = await deleteLink(tx, of.accountId, of.id);
        if (deleted !== undefined) await audit(tx, of.accountId, 'link.deleted', of.id);
        return deleted;
      })
    : undefined;
  if (name === undefined) {
    throw new AppError(
      'link_not_found',
      'There is no such unused link in this account. It may have been used.',
    );
  }
}

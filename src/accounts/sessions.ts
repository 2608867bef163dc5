// Sessions: signing in with a key or a link, and signing out.
import { actingAs } from '../audit/actor.ts';
import { audit } from '../audit/store.ts';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import { isUuid, uuidv7 } from '../base/ids.ts';
import type { Db, Tx } from '../db/db.ts';
import { type Authenticator, invalidKey } from './authenticate.ts';
import { findOfferedLink, type OfferedLink, takeLink } from './links-store.ts';
import { deleteSession, deleteSessionOf, deleteSurplusSessions, insertSession } from './sessions-store.ts';
import { findKeyById } from './store.ts';
import { hashToken, isToken, makeToken } from './token.ts';

export interface SessionsDeps {
  db: Db;
  clock: Clock;
  authenticator: Authenticator;
}

/** A session ends after this time, however much it is used. */
export const sessionSeconds = 7 * 24 * 3_600;
/** Sessions of a key; the least recently used ones beyond it end. */
const sessionsMax = 100;

export interface NewSession {
  id: string;
  accountId: string;
  /** The cookie's value, shown only now. */
  token: string;
  endsAt: Date;
}

/** How somebody signs in. */
export interface SignIn {
  address: string;
  /** The token of the session that the browser had, which ends. */
  previous: string | undefined;
}

const invalidLink = () => new AppError('link_used', 'The link was used or has expired. Ask for a new one.');

/** Makes a session with the scopes of a key, which ends with it. Throws 401 if the key is not valid. */
export async function signInWithKey(deps: SessionsDeps, key: string, how: SignIn): Promise<NewSession> {
  const { accountId, id } = await deps.authenticator.authenticate(key);
  const now = deps.clock.now();
  return deps.db.transaction().execute(async (tx) => {
    // the cached key may have been revoked
    const row = await findKeyById(tx, accountId, id, new Date(now));
    if (!row) throw invalidKey();
    const { name, scopes } = row;
    return begin(tx, { accountId, keyId: id, name, scopes, endsBy: row.expires_at }, how, now);
  });
}

/** Makes a session with the scopes of a link. Throws 410 `link_used` if it was used or has expired. */
export async function signInWithLink(deps: SessionsDeps, link: string, how: SignIn): Promise<NewSession> {
  const now = deps.clock.now();
  return deps.db.transaction().execute(async (tx) => {
    const row = isToken(link) ? await takeLink(tx, hashToken(link), new Date(now)) : undefined;
    if (!row) throw invalidLink();
    const { account_id: accountId, key_id: keyId, name, scopes, session_ends_at: endsBy } = row;
    return begin(tx, { accountId, keyId, name, scopes, endsBy }, how, now);
  });
}

/** What a link gives, without using it. Throws 410 `link_used` if it was used or has expired. */
export async function describeLink(
  deps: Pick<SessionsDeps, 'db' | 'clock'>,
  link: string,
): Promise<OfferedLink> {
  const row = isToken(link)
    ? await findOfferedLink(deps.db, hashToken(link), new Date(deps.clock.now()))
    : undefined;
  if (!row) throw invalidLink();
  return row;
}

interface SessionOf {
  accountId: string;
  keyId: string | null;
  name: string;
  scopes: readonly string[];
  /** The session ends then at the latest. */
  endsBy: Date | null;
}

async function begin(tx: Tx, of: SessionOf, how: SignIn, now: number): Promise<NewSession> {
  const token = makeToken();
  const latest = now + sessionSeconds * 1000;
  const endsAt = new Date(Math.min(latest, of.endsBy?.getTime() ?? latest));
  const id = uuidv7(now);
  if (how.previous !== undefined && isToken(how.previous)) await deleteSessionOf(tx, hashToken(how.previous));
  const { address } = how;
  await insertSession(tx, { ...of, id, hash: hashToken(token), address, now: new Date(now), endsAt });
  await deleteSurplusSessions(tx, of, sessionsMax);
  // whoever signs in acts as the new session
  const { name, scopes, accountId } = of;
  await actingAs({ kind: 'session', id, name, address }, () =>
    audit(tx, accountId, 'session.created', id, { name, scopes, endsAt }),
  );
  return { id, accountId: of.accountId, token, endsAt };
}

/** Ends a session; other processes reject it within 5 seconds. Throws 404 if the account has no such session. */
export async function endSession(deps: SessionsDeps, of: { accountId: string; id: string }): Promise<void> {
  const name = isUuid(of.id)
    ? await deps.db.transaction().execute(async (tx) => {
        const deleted = await deleteSession(tx, of.accountId, of.id);
        if (deleted !== undefined) await audit(tx, of.accountId, 'session.ended', of.id);
        return deleted;
      })
    : undefined;
  deps.authenticator.clearCache();
  if (name === undefined) {
    throw new AppError('session_not_found', 'There is no such session in this account. It may have ended.');
  }
}

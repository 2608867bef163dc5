// Connects a calendar on the provider's consent page (OAuth 2.0): the link to the page, and the return from it.
import { createHash, randomBytes } from 'node:crypto';
import { asciiEmail } from '../../base/email.ts';
import { AppError, VendorError } from '../../base/errors.ts';
import { uuidv7 } from '../../base/ids.ts';
import { uuidTime } from '../../base/uuid-time.ts';
import type { Calendar, OAuthSignIn } from '../../ports/calendar.ts';
import { findStaff, type StaffRow } from '../directory/store.ts';
import { type ConnectDeps, notConfigured, storeConnection } from './connect.ts';
import { calendarError } from './connection.ts';
import type { StoredConnection } from './connections-store.ts';
import {
  deleteOAuthState,
  deleteOldOAuthStates,
  findOAuthState,
  insertOAuthState,
  type OAuthStateRow,
} from './oauth-states-store.ts';

/** How long a link is valid. */
const consentMs = 60 * 60_000;
const callLimits = { timeoutMs: 15_000 };
const statePlace = { table: 'oauth_states', column: 'state', row: 'state' };
const verifierPlace = (id: string) => ({ table: 'oauth_states', column: 'code_verifier', row: id });

/**
 * A link to the consent page of `provider` (default: the first with OAuth), valid for one connection within an hour
 * (RFC 6749, RFC 7636). 409 `calendar_provider_not_configured`.
 */
export async function consentUrl(
  deps: ConnectDeps,
  staff: StaffRow,
  provider?: string,
): Promise<{ authUrl: string; expiresAt: string }> {
  const { calendar, oauth } = calendarWithOAuth(deps, provider);
  const id = uuidv7(deps.clock.now());
  const codeVerifier = randomBytes(32).toString('base64url');
  const redirectUri = `${deps.publicUrl()}/callbacks/calendar`;
  const expiresAt = new Date(deps.clock.now() + consentMs);
  await deleteOldOAuthStates(deps.db, new Date(deps.clock.now()));
  await insertOAuthState(deps.db, {
    id,
    account_id: staff.account_id,
    staff_id: staff.id,
    provider: calendar.provider,
    code_verifier: deps.cipher.encrypt(codeVerifier, verifierPlace(id)),
    redirect_uri: redirectUri,
    expires_at: expiresAt,
  });
  // encrypted, so nobody else can create one; its row is valid for one connection
  const state = deps.cipher.encrypt(id, statePlace).toString('base64url');
  const authUrl = pageUrl(oauth, { state, codeVerifier, redirectUri }, staff);
  return { authUrl, expiresAt: expiresAt.toISOString() };
}

function calendarWithOAuth(
  { calendars }: ConnectDeps,
  provider?: string,
): { calendar: Calendar; oauth: OAuthSignIn } {
  for (const calendar of Object.values(calendars)) {
    const { oauth } = calendar;
    if (oauth && (provider === undefined || calendar.provider === provider)) return { calendar, oauth };
  }
  throw notConfigured(
    provider === undefined
      ? 'A calendar provider with a consent page'
      : `A calendar provider "${provider}" with a consent page`,
  );
}

function pageUrl(
  oauth: OAuthSignIn,
  input: { state: string; codeVerifier: string; redirectUri: string },
  staff: StaffRow,
): string {
  return oauth.authUrl({
    state: input.state,
    codeChallenge: createHash('sha256').update(input.codeVerifier).digest('base64url'),
    redirectUri: input.redirectUri,
    ...(staff.email ? { loginHint: asciiEmail(staff.email) } : {}),
  });
}

/** The query that a browser brings back from the consent page. */
export interface ConsentReturn {
  state?: string | undefined;
  code?: string | undefined;
  error?: string | undefined;
}

const notConnectedTitle = 'Calendar not connected';

/** Why nothing was connected, for the person who reads the page. */
class ConsentError extends AppError {
  /** The link to try again; undefined if a new link is needed. */
  readonly retryUrl: string | undefined;
  readonly title: string;

  constructor(cause: AppError, retryUrl?: string, title = notConnectedTitle) {
    super(cause.code, cause.message, cause.details);
    this.name = 'ConsentError';
    this.retryUrl = retryUrl;
    this.title = title;
  }
}

const linkError = (message: string, title?: string) =>
  new ConsentError(new AppError('invalid_request', message), undefined, title);

const invalidLinkText = 'This link is not valid. Open it exactly as you received it, or ask for a new one.';
const invalidLink = () => linkError(invalidLinkText);
/** Not "not connected": reloading the success page ends here too. */
const usedLink = () =>
  linkError(
    'This link was used already, so this visit changed nothing. To connect again, ask for a new link.',
    'Link already used',
  );
const expiredLink = () =>
  linkError('This link has expired: links are valid for one hour. Ask for a new one.');

/**
 * Exchanges the authorization code and connects the calendar. Only success uses up the link: after a refusal or a provider
 * error, the same link works again. Throws ConsentError.
 */
export async function finishConsent(
  deps: ConnectDeps,
  input: ConsentReturn,
): Promise<{ staff: StaffRow; connection: StoredConnection }> {
  const encrypted = input.state ?? '';
  const state = await openState(deps, encrypted);
  const staff = await findStaff(deps.db, state.account_id, state.staff_id);
  const calendar = deps.calendars[state.provider];
  if (!staff || !calendar?.oauth) throw invalidLink();
  const codeVerifier = deps.cipher.decrypt(state.code_verifier, verifierPlace(state.id));
  const redirectUri = state.redirect_uri;
  const retryUrl = pageUrl(calendar.oauth, { state: encrypted, codeVerifier, redirectUri }, staff);
  if (input.error !== undefined || input.code === undefined) {
    throw new ConsentError(new AppError('invalid_request', declined(input.error)), retryUrl);
  }
  const connected = await calendar.oauth
    .finish({ code: input.code, codeVerifier, redirectUri }, callLimits)
    .catch((error) => {
      throw exchangeError(error, retryUrl);
    });
  const claim = async (tx: Parameters<typeof deleteOAuthState>[0]) => {
    if (!(await deleteOAuthState(tx, state.id))) throw usedLink();
  };
  return { staff, connection: await storeConnection(deps, staff, calendar, connected, { claim }) };
}

async function openState(deps: ConnectDeps, encrypted: string): Promise<OAuthStateRow> {
  let id: string;
  try {
    id = deps.cipher.decrypt(Buffer.from(encrypted, 'base64url'), statePlace);
  } catch {
    throw invalidLink();
  }
  const row = await findOAuthState(deps.db, id);
  const now = deps.clock.now();
  if (!row) throw uuidTime(id).getTime() + consentMs <= now ? expiredLink() : usedLink();
  if (row.expires_at.getTime() <= now) throw expiredLink();
  return row;
}

/** `access_denied` is the person's own answer (RFC 6749 section 4.1.2.1); anything else is the provider's. */
const declined = (error: string | undefined) =>
  error === undefined || error === 'access_denied'
    ? 'The permission was not given, so nothing was connected. You can try again with the same link.'
    : 'The provider ended the sign-in with an error, so nothing was connected. You can try again with the same link.';

/** What the page says about any thrown value, by the status of the response. */
export function consentFailure(
  error: unknown,
  status: number,
): { title: string; text: string; retryUrl?: string | undefined } {
  if (error instanceof ConsentError) {
    const { title, message: text, retryUrl } = error;
    return { title, text, retryUrl };
  }
  const title = notConnectedTitle;
  if (error instanceof AppError) return { title, text: error.message };
  if (status < 500) return { title, text: invalidLinkText };
  return { title, text: 'The gateway cannot finish this right now. Reload this page in a minute.' };
}

function exchangeError(error: unknown, retryUrl: string): unknown {
  if (error instanceof VendorError && error.code === 'scope_missing')
    // the adapter names the permission
    return new ConsentError(new AppError('calendar_not_connected', error.message), retryUrl);
  if (error instanceof VendorError && error.code === 'invalid_grant') {
    const text = 'This page was reloaded or took too long, so nothing was connected. You can try again.';
    return new ConsentError(new AppError('invalid_request', text), retryUrl);
  }
  const problem = calendarError(error);
  return problem instanceof AppError ? new ConsentError(problem, retryUrl) : problem;
}

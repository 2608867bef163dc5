// Google's OAuth 2.0: the consent link, the code exchange, access tokens, and revocation.
import { VendorError } from '../../base/errors.ts';
import type { Outgoing } from '../../base/outgoing.ts';
import { type AttemptLimits, attemptOf } from '../../base/retry.ts';
import type { Connected, OAuthSignIn } from '../../ports/calendar.ts';
import { encryptable } from './credential.ts';
import { exchange, type GoogleAnswer } from './exchange.ts';
import { isObject, textOf } from './json.ts';

export interface OAuthDeps {
  clientId: string;
  clientSecret: string;
  authUrl: string;
  tokenUrl: string;
  revokeUrl: string;
  outgoing: Pick<Outgoing, 'request'>;
}

const eventsScope = 'https://www.googleapis.com/auth/calendar.events.owned';
const freeBusyScope = 'https://www.googleapis.com/auth/calendar.freebusy';
/** The least scopes for writing bookings and reading busy times; `openid email` identifies the account. */
const scopes = [eventsScope, freeBusyScope, 'openid', 'email'];

/** The words of Google's consent page for the two permissions without which nothing works. */
const needed: [string, string][] = [
  [eventsScope, '"See, create, change and delete events on calendars you own"'],
  [freeBusyScope, '"See when you are free or busy"'],
];

export interface AccessToken {
  token: string;
  expiresInSeconds: number;
}

export function googleSignIn(deps: OAuthDeps): OAuthSignIn {
  return {
    authUrl({ state, codeChallenge, redirectUri, loginHint }) {
      const url = new URL(deps.authUrl);
      const query: Record<string, string> = {
        client_id: deps.clientId,
        redirect_uri: redirectUri,
        response_type: 'code',
        scope: scopes.join(' '),
        state,
        code_challenge: codeChallenge,
        code_challenge_method: 'S256',
        access_type: 'offline',
        // Without it only the first consent ever brings a refresh token.
        prompt: 'consent',
        ...(loginHint === undefined ? {} : { login_hint: loginHint }),
      };
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      return url.href;
    },
    finish: async ({ code, codeVerifier, redirectUri }, limits) => {
      const form = {
        grant_type: 'authorization_code',
        code,
        code_verifier: codeVerifier,
        redirect_uri: redirectUri,
      };
      return connected(await askToken(deps, form, attemptOf(limits.timeoutMs, limits.signal)));
    },
  };
}

function connected(answer: GoogleAnswer): Connected {
  const granted = (textOf(answer.json.scope) ?? '').split(' ').filter((scope) => scope !== '');
  const missing = needed.filter(([scope]) => !granted.includes(scope)).map(([, words]) => words);
  if (missing.length > 0) {
    const text = `The permission ${missing.join(' and ')} was not given. Connect again and leave every box ticked.`;
    throw new VendorError('rejected', text, { code: 'scope_missing', title: 'Permission missing' });
  }
  const refreshToken = textOf(answer.json.refresh_token);
  if (refreshToken === undefined) {
    const text =
      'Google gave no lasting access. Remove the app at myaccount.google.com/connections, then connect again.';
    throw new VendorError('rejected', text, { code: 'refresh_token_missing', title: 'No lasting access' });
  }
  const { email: accountEmail = null, sub } = claimsOf(answer.json.id_token);
  const credential = encryptable({ refreshToken, accountEmail, scopes: granted });
  // the id of an account's primary calendar is the account's own address, whatever aliases it has
  const identity = accountEmail?.toLowerCase() ?? (sub === undefined ? null : `account ${sub}`);
  return { credential, accountEmail, calendarId: 'primary', identity, sameAs: null, scopes: granted };
}

/**
 * The account that an identity token names. The token comes straight from the token endpoint over TLS, so its signature
 * need not be verified (OpenID Connect Core 3.1.3.7, rule 6).
 */
function claimsOf(idToken: unknown): { email?: string | undefined; sub?: string | undefined } {
  try {
    const claims: unknown = JSON.parse(
      Buffer.from(String(idToken).split('.')[1] ?? '', 'base64url').toString(),
    );
    return isObject(claims) ? { email: textOf(claims.email), sub: textOf(claims.sub) } : {};
  } catch {
    return {};
  }
}

/** A new access token. A revoked authorization is `rejected` as `invalid_grant`; any other failure is `not_sent`. */
export async function refreshAccess(
  deps: OAuthDeps,
  refreshToken: string,
  limits: AttemptLimits,
): Promise<AccessToken> {
  try {
    const { json } = await askToken(
      deps,
      { grant_type: 'refresh_token', refresh_token: refreshToken },
      limits,
    );
    const token = textOf(json.access_token);
    if (token === undefined) throw new VendorError('not_sent', 'Google gave no access token.');
    return { token, expiresInSeconds: typeof json.expires_in === 'number' ? json.expires_in : 300 };
  } catch (error) {
    if (!(error instanceof VendorError) || error.outcome !== 'unknown') throw error;
    const { code, status, retryAfterSeconds } = error;
    throw new VendorError('not_sent', `No access token: ${error.message}`, {
      ...(code === undefined ? {} : { code }),
      ...(status === undefined ? {} : { status }),
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
      cause: error,
    });
  }
}

/** Revokes the authorization for every connection of that account. A revoked one counts as done. */
export async function revokeGrant(
  deps: OAuthDeps,
  refreshToken: string,
  limits: AttemptLimits,
): Promise<void> {
  const answer = await post(deps, deps.revokeUrl, { token: refreshToken }, limits);
  if (answer.status < 300) return;
  if (answer.json.error === 'invalid_token' || answer.json.error === 'invalid_grant') return;
  throw oauthFailure(answer);
}

async function askToken(
  deps: OAuthDeps,
  form: Record<string, string>,
  limits: AttemptLimits,
): Promise<GoogleAnswer> {
  const client = { client_id: deps.clientId, client_secret: deps.clientSecret };
  const answer = await post(deps, deps.tokenUrl, { ...form, ...client }, limits);
  if (answer.status >= 300) throw oauthFailure(answer);
  return answer;
}

function post(
  deps: OAuthDeps,
  url: string,
  form: Record<string, string>,
  limits: AttemptLimits,
): Promise<GoogleAnswer> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
  const body = new URLSearchParams(form).toString();
  return exchange(deps.outgoing, { method: 'POST', url, headers, body }, limits);
}

/** RFC 6749 section 5.2: `{error, error_description}`; 5xx and 429 may be asked again. */
function oauthFailure(answer: GoogleAnswer): VendorError {
  const code = textOf(answer.json.error) ?? `http_${answer.status}`;
  const message = textOf(answer.json.error_description) ?? `HTTP status ${answer.status}`;
  const outcome =
    answer.status === 429 ? 'not_sent' : answer.status >= 500 || answer.status < 400 ? 'unknown' : 'rejected';
  return new VendorError(outcome, message, {
    code,
    title: code,
    status: answer.status,
    ...(answer.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: answer.retryAfterSeconds }),
  });
}

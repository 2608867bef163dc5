// Google's OAuth 2.0: the consent link, the code exchange, access tokens, and revocation.
import { VendorError } from '../../base/errors.ts';
import type { Outgoing } from '../../base/outgoing/outgoing.ts';
import { type AttemptLimits, attemptLimits } from '../../base/retry.ts';
import type { Connected, OAuthSignIn } from '../../ports/calendar.ts';
import { credentialText } from './credential.ts';
import { exchange, type GoogleResponse } from './exchange.ts';
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

/** The required permissions, as Google's consent page names them. */
const requiredPermissions: [string, string][] = [
  [eventsScope, '"See, create, change and delete events on calendars you own"'],
  [freeBusyScope, '"See when you are free or busy"'],
];

export interface AccessToken {
  token: string;
  expiresInSeconds: number;
}

/** Opens Google's OAuth 2.0, with PKCE. */
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
        // without it, Google returns a refresh token only for the first consent
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
      return connected(await requestToken(deps, form, attemptLimits(limits.timeoutMs, limits.signal)));
    },
  };
}

function connected(response: GoogleResponse): Connected {
  const granted = (textOf(response.json.scope) ?? '').split(' ').filter((scope) => scope !== '');
  const missing = requiredPermissions
    .filter(([scope]) => !granted.includes(scope))
    .map(([, permission]) => permission);
  if (missing.length > 0) {
    const text = `The permission ${missing.join(' and ')} was not granted. Connect again and leave every box ticked.`;
    throw new VendorError('rejected', text, { code: 'scope_missing', title: 'Permission missing' });
  }
  const refreshToken = textOf(response.json.refresh_token);
  if (refreshToken === undefined) {
    const text =
      'Google returned no refresh token. Remove the app at myaccount.google.com/connections, then connect again.';
    throw new VendorError('rejected', text, { code: 'refresh_token_missing', title: 'No refresh token' });
  }
  const { email: accountEmail = null, sub } = claimsOf(response.json.id_token);
  const credential = credentialText({ refreshToken, accountEmail, scopes: granted });
  // the id of the primary calendar is the account's main address, even if the account has aliases
  const identity = accountEmail?.toLowerCase() ?? (sub === undefined ? null : `account ${sub}`);
  return { credential, accountEmail, calendarId: 'primary', identity, sameAs: null, scopes: granted };
}

/**
 * The account in an identity token. Its signature need not be verified, because the token comes directly from the token
 * endpoint over TLS (OpenID Connect Core 3.1.3.7, rule 6).
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

/** Errors about the client itself (RFC 6749 section 5.2). */
const clientErrors = new Set<unknown>(['invalid_client', 'unauthorized_client']);

/** A new access token. A revoked authorization is `rejected` as `invalid_grant`; any other failure is `not_sent`. */
export async function refreshAccess(
  deps: OAuthDeps,
  refreshToken: string,
  limits: AttemptLimits,
): Promise<AccessToken> {
  try {
    const { json } = await requestToken(
      deps,
      { grant_type: 'refresh_token', refresh_token: refreshToken },
      limits,
    );
    const token = textOf(json.access_token);
    if (token === undefined) throw new VendorError('not_sent', 'Google returned no access token.');
    return { token, expiresInSeconds: typeof json.expires_in === 'number' ? json.expires_in : 300 };
  } catch (error) {
    if (!(error instanceof VendorError) || error.outcome === 'not_sent' || error.code === 'invalid_grant')
      throw error;
    const { code, status, retryAfterSeconds } = error;
    // maybe of the gateway's client, not of the account: what waits for the calendar must not end
    throw new VendorError('not_sent', `No access token: ${error.message}`, {
      ...(code === undefined ? {} : { code }),
      ...(status === undefined ? {} : { status }),
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
      cause: error,
    });
  }
}

/** Revokes the authorization for every connection of that account. A revoked one counts as done. */
export async function revokeAuthorization(
  deps: OAuthDeps,
  refreshToken: string,
  limits: AttemptLimits,
): Promise<void> {
  const response = await post(deps, deps.revokeUrl, { token: refreshToken }, limits);
  if (response.status < 300) return;
  if (response.json.error === 'invalid_token' || response.json.error === 'invalid_grant') return;
  throw oauthFailure(response);
}

async function requestToken(
  deps: OAuthDeps,
  form: Record<string, string>,
  limits: AttemptLimits,
): Promise<GoogleResponse> {
  const client = { client_id: deps.clientId, client_secret: deps.clientSecret };
  const response = await post(deps, deps.tokenUrl, { ...form, ...client }, limits);
  if (response.status >= 300) throw oauthFailure(response);
  return response;
}

function post(
  deps: OAuthDeps,
  url: string,
  form: Record<string, string>,
  limits: AttemptLimits,
): Promise<GoogleResponse> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
  const body = new URLSearchParams(form).toString();
  return exchange(deps.outgoing, { method: 'POST', url, headers, body }, limits);
}

/** The error of a token or revocation response (RFC 6749 section 5.2: `{error, error_description}`). */
function oauthFailure(response: GoogleResponse): VendorError {
  const code = textOf(response.json.error) ?? `http_${response.status}`;
  const text = textOf(response.json.error_description) ?? `HTTP status ${response.status}`;
  const advice = clientErrors.has(code) ? '. Check GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET.' : '';
  const outcome =
    response.status === 429
      ? 'not_sent'
      : response.status >= 500 || response.status < 400
        ? 'unknown'
        : 'rejected';
  return new VendorError(outcome, `${text}${advice}`, {
    code,
    title: code,
    status: response.status,
    ...(response.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: response.retryAfterSeconds }),
  });
}

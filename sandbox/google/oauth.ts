// OAuth 2.0 as Google implements it: the authorization, token and revocation endpoints.
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { accessToken, grantOfAccessToken } from './access.ts';
import { consentPage, errorPage } from './consent-page.ts';
import { oauthError } from './google-error.ts';
import {
  type Client,
  type Grant,
  grantOf,
  issueGrant,
  putAccount,
  recordChange,
  revokeGrants,
  type State,
  settingsOf,
} from './state.ts';

/** A response to the browser: a page, or a redirect. */
export type BrowserResponse = { status: number; html: string } | { status: 302; location: string };

interface AuthorizationRequest {
  client: Client;
  redirectUri: string;
  state: string | null;
  scopes: string[];
  challenge: string | null;
  method: string;
  offline: boolean;
  consentAsked: boolean;
}

/** An authorization code: valid once, for ten minutes. */
interface PendingCode {
  request: AuthorizationRequest;
  account: string;
  scopes: string[];
  expiresAt: number;
}

/** The scope that Google returns for `email`. */
const emailScope = 'https://www.googleapis.com/auth/userinfo.email';

const codes = new WeakMap<State, Map<string, PendingCode>>();

function codesOf(state: State): Map<string, PendingCode> {
  const known = codes.get(state) ?? new Map<string, PendingCode>();
  codes.set(state, known);
  return known;
}

/** GET /o/oauth2/v2/auth: approves, denies or shows the page, as configured. Never redirects to a wrong client or address. */
export function authorizePage(state: State, query: URLSearchParams): BrowserResponse {
  const request = readRequest(state, query);
  if ('status' in request) return request;
  const settings = settingsOf(state);
  if (settings.consent === 'deny') return redirect(request, { error: 'access_denied' });
  if (settings.consent === 'ask') {
    const accounts = state.accounts.values().map((account) => account.email);
    return { status: 200, html: consentPage({ query, accounts, scopes: request.scopes }) };
  }
  const email = query.get('login_hint') ?? settings.account ?? state.accounts.values()[0]?.email;
  const granted = request.scopes.filter((scope) => !settings.untickedScopes.includes(scope));
  return grantAccess(state, request, email ?? 'staff@sandbox.example', granted);
}

/** POST /o/oauth2/v2/auth: the person's choice on the page. */
export function consentGiven(state: State, query: URLSearchParams, form: URLSearchParams): BrowserResponse {
  const request = readRequest(state, query);
  if ('status' in request) return request;
  if (form.get('choice') !== 'allow') return redirect(request, { error: 'access_denied' });
  const account = (form.get('other_account') || form.get('account')) ?? '';
  if (!account.includes('@'))
    return { status: 400, html: errorPage(400, 'no_account', 'Choose an account.') };
  const ticked = form.getAll('scope');
  const identity = request.scopes.filter((scope) => !scope.startsWith('https://'));
  const granted = request.scopes.filter((scope) => ticked.includes(scope) || identity.includes(scope));
  return grantAccess(state, request, account, granted);
}

function readRequest(
  state: State,
  query: URLSearchParams,
): AuthorizationRequest | { status: number; html: string } {
  const client = state.clients.get(query.get('client_id') ?? '');
  if (client === undefined) {
    return { status: 401, html: errorPage(401, 'invalid_client', 'The OAuth client was not found.') };
  }
  const redirectUri = query.get('redirect_uri') ?? '';
  if (!isAllowedRedirect(client, redirectUri)) {
    const text = `The redirect URI in the request, ${redirectUri}, does not match the ones authorized for the OAuth client.`;
    return { status: 400, html: errorPage(400, 'redirect_uri_mismatch', text) };
  }
  const scopes = (query.get('scope') ?? '').split(' ').filter((scope) => scope !== '');
  const method = query.get('code_challenge_method') ?? 'plain';
  const wrong =
    query.get('response_type') !== 'code'
      ? 'Invalid response_type.'
      : scopes.length === 0
        ? 'Missing required parameter: scope'
        : method !== 'S256' && method !== 'plain'
          ? 'Invalid code_challenge_method.'
          : null;
  if (wrong !== null) return { status: 400, html: errorPage(400, 'invalid_request', wrong) };
  return {
    client,
    redirectUri,
    state: query.get('state'),
    scopes,
    challenge: query.get('code_challenge'),
    method,
    offline: query.get('access_type') === 'offline',
    consentAsked: (query.get('prompt') ?? '').split(' ').includes('consent'),
  };
}

function isAllowedRedirect(client: Client, redirectUri: string): boolean {
  if (client.redirectUris !== undefined) return client.redirectUris.includes(redirectUri);
  const host = URL.parse(redirectUri)?.hostname ?? '';
  return host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
}

function grantAccess(
  state: State,
  request: AuthorizationRequest,
  account: string,
  scopes: string[],
): BrowserResponse {
  if (scopes.length === 0) return redirect(request, { error: 'access_denied' });
  if (!state.accounts.has(account)) putAccount(state, { email: account });
  const named = scopes.map((scope) => (scope === 'email' ? emailScope : scope));
  const code = `4/0A${randomBytes(24).toString('base64url')}`;
  codesOf(state).set(code, { request, account, scopes: named, expiresAt: state.clock.now() + 600_000 });
  return redirect(request, { code, scope: named.join(' '), authuser: '0', prompt: 'consent' });
}

function redirect(request: AuthorizationRequest, parameters: Record<string, string>): BrowserResponse {
  const target = new URL(request.redirectUri);
  if (request.state !== null) target.searchParams.set('state', request.state);
  for (const [name, value] of Object.entries(parameters)) target.searchParams.set(name, value);
  return { status: 302, location: target.href };
}

/** POST /token: exchanges a code or a refresh token for an access token. */
export function token(state: State, form: URLSearchParams, authorization: string | undefined): unknown {
  const client = clientOf(state, form, authorization);
  switch (form.get('grant_type')) {
    case 'authorization_code':
      return exchangeCode(state, client, form);
    case 'refresh_token': {
      const grant = grantOf(state, form.get('refresh_token') ?? '');
      if (grant === undefined || grant.clientId !== client.id) {
        throw oauthError(400, 'invalid_grant', 'Token has been expired or revoked.');
      }
      return tokenResponse(state, client, grant, false);
    }
    default:
      throw oauthError(400, 'unsupported_grant_type', `Invalid grant_type: ${form.get('grant_type') ?? ''}`);
  }
}

function clientOf(state: State, form: URLSearchParams, authorization: string | undefined): Client {
  const basic = /^Basic (\S+)$/i.exec(authorization ?? '')?.[1];
  const pair = Buffer.from(basic ?? '', 'base64').toString();
  const at = pair.indexOf(':');
  const id = basic === undefined ? form.get('client_id') : decodeURIComponent(pair.slice(0, at));
  const secret = basic === undefined ? form.get('client_secret') : decodeURIComponent(pair.slice(at + 1));
  const client = state.clients.get(id ?? '');
  if (client === undefined) throw oauthError(401, 'invalid_client', 'The OAuth client was not found.');
  if (client.secret !== secret) throw oauthError(401, 'invalid_client', 'Unauthorized');
  return client;
}

function exchangeCode(state: State, client: Client, form: URLSearchParams): unknown {
  const text = form.get('code') ?? '';
  const code = codesOf(state).get(text);
  if (code === undefined || code.request.client.id !== client.id) {
    throw oauthError(400, 'invalid_grant', 'Malformed auth code.');
  }
  codesOf(state).delete(text);
  const { request, account, scopes } = code;
  if (code.expiresAt <= state.clock.now()) throw oauthError(400, 'invalid_grant', 'Bad Request');
  if (form.get('redirect_uri') !== request.redirectUri)
    throw oauthError(400, 'redirect_uri_mismatch', 'Bad Request');
  checkVerifier(request, form.get('code_verifier'));
  const before = state.grants
    .values()
    .some((grant) => grant.clientId === client.id && grant.account === account && !grant.revoked);
  const grant = issueGrant(state, client.id, account, scopes);
  recordChange(state, { operation: 'oauth.grant', account, calendarId: null, eventId: null });
  return tokenResponse(state, client, grant, request.offline && (request.consentAsked || !before));
}

/** RFC 7636 section 4.6. */
function checkVerifier(request: AuthorizationRequest, verifier: string | null): void {
  if (request.challenge === null) return;
  if (verifier === null || verifier === '') throw oauthError(400, 'invalid_grant', 'Missing code verifier.');
  const hashed = createHash('sha256').update(verifier).digest('base64url');
  if ((request.method === 'S256' ? hashed : verifier) !== request.challenge) {
    throw oauthError(400, 'invalid_grant', 'Invalid code verifier.');
  }
}

function tokenResponse(state: State, client: Client, grant: Grant, withRefreshToken: boolean): unknown {
  const { token: access, expiresInSeconds } = accessToken(state, grant);
  return {
    access_token: access,
    expires_in: expiresInSeconds,
    ...(withRefreshToken ? { refresh_token: grant.refreshToken } : {}),
    scope: grant.scopes.join(' '),
    token_type: 'Bearer',
    ...(grant.scopes.includes('openid') ? { id_token: idToken(state, client, grant) } : {}),
  };
}

/** An OpenID Connect ID token. Google signs with RS256; the sandbox with the client's secret, which OIDC also allows. */
function idToken(state: State, client: Client, grant: Grant): string {
  const now = Math.floor(state.clock.now() / 1000);
  const hasEmail = grant.scopes.some((scope) => scope === 'email' || scope === emailScope);
  const claims = {
    iss: 'https://accounts.google.com',
    aud: client.id,
    azp: client.id,
    sub: createHash('sha256').update(grant.account).digest('hex').slice(0, 21),
    ...(hasEmail ? { email: grant.account, email_verified: true } : {}),
    iat: now,
    exp: now + 3600,
  };
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const content = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
  return `${content}.${createHmac('sha256', client.secret).update(content).digest('base64url')}`;
}

/** POST /revoke: either kind of token revokes the account's whole grant to that client. */
export function revoke(state: State, given: string): void {
  const grant = grantOf(state, given) ?? grantOfAccessToken(state, given);
  if (grant === undefined) throw oauthError(400, 'invalid_token', 'Token expired or revoked');
  revokeGrants(state, grant.account, grant.clientId);
  recordChange(state, { operation: 'oauth.revoke', account: grant.account, calendarId: null, eventId: null });
}

// The simulated Google's OAuth: consent, codes, tokens, scopes, revocation.
import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { googleClient, registerClient } from '../../demo/seed.ts';
import { gatewayScopes } from '../../sandbox/google/control-client.ts';
import { client, events, simulatedGoogle, staff } from './simulated-google.ts';

const redirectUri = 'http://127.0.0.1:9/callbacks/calendar';

const google = simulatedGoogle();

describe('consent', () => {
  const verifier = randomBytes(32).toString('base64url');
  const consentUrl = (more: Record<string, string> = {}) =>
    `${google.url}/o/oauth2/v2/auth?${new URLSearchParams({
      client_id: client.id,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: gatewayScopes.join(' '),
      state: 'st4te',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      access_type: 'offline',
      prompt: 'consent',
      ...more,
    })}`;
  const returned = async (url: string, init: RequestInit = {}) => {
    const response = await fetch(url, { redirect: 'manual', ...init });
    return new URL(response.headers.get('location') ?? `http://no.location/${response.status}`);
  };
  const exchange = (code: string, more: Record<string, string> = {}) =>
    google.post('/token', {
      grant_type: 'authorization_code',
      client_id: client.id,
      client_secret: client.secret,
      redirect_uri: redirectUri,
      code,
      code_verifier: verifier,
      ...more,
    });

  test('redirects the browser with code and state, and the code gives a refresh token once', async () => {
    const redirect = await returned(consentUrl({ login_hint: staff }));
    expect(redirect.origin + redirect.pathname).toBe(redirectUri);
    expect(redirect.searchParams.get('state')).toBe('st4te');
    const code = redirect.searchParams.get('code') ?? '';
    const response = await exchange(code);
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({ token_type: 'Bearer', expires_in: 3599 });
    expect(response.body.scope).toContain('calendar.events.owned');
    expect((await google.refresh(response.body.refresh_token)).status).toBe(200);
    const claims = JSON.parse(Buffer.from(response.body.id_token.split('.')[1], 'base64url').toString());
    expect(claims).toMatchObject({ email: staff, aud: client.id });
    expect(await exchange(code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });

  test('creates the account that login_hint names, so that a new sandbox can be connected', async () => {
    const redirect = await returned(consentUrl({ login_hint: 'new@clinic.example' }));
    expect((await exchange(redirect.searchParams.get('code') ?? '')).status).toBe(200);
    expect(await google.control.events('new@clinic.example')).toEqual([]);
  });

  test('requires the verifier of the challenge that was sent', async () => {
    const code = async () => (await returned(consentUrl())).searchParams.get('code') ?? '';
    const wrong = await exchange(await code(), { code_verifier: 'x'.repeat(43) });
    expect(wrong.body).toEqual({ error: 'invalid_grant', error_description: 'Invalid code verifier.' });
    const missing = await exchange(await code(), { code_verifier: '' });
    expect(missing.body.error_description).toBe('Missing code verifier.');
  });

  test('redirects to registered addresses and loopback only, and shows an error page otherwise', async () => {
    const foreign = await fetch(consentUrl({ redirect_uri: 'https://evil.example/' }), {
      redirect: 'manual',
    });
    expect(foreign.status).toBe(400);
    expect(await foreign.text()).toContain('redirect_uri_mismatch');
    await google.control.putClient({
      ...client,
      redirectUris: ['https://gateway.example/callbacks/calendar'],
    });
    expect((await fetch(consentUrl(), { redirect: 'manual' })).status).toBe(400);
    const unknown = await fetch(consentUrl({ client_id: 'nobody' }), { redirect: 'manual' });
    expect(unknown.status).toBe(401);
  });

  test('redirects to the public address of the gateway that a demonstration is created with', async () => {
    const of = (uri: string) => consentUrl({ client_id: googleClient.id, redirect_uri: uri });
    const open = (uri: string) => fetch(of(uri), { redirect: 'manual' });
    const publicUri = 'https://nginx/v1/appointments/ext-calendar/oauth2callback';
    await registerClient(google.control, of(publicUri));
    const allowed = await open(publicUri);
    expect(allowed.headers.get('location')).toMatch(`${publicUri}?`);
    // on this machine, the port may change
    await registerClient(google.control, of('http://localhost:8080/callback'));
    const codes = ['http://127.0.0.1:9090/callback', publicUri].map(async (uri) => (await open(uri)).status);
    expect(await Promise.all(codes)).toEqual([302, 400]);
  });

  test('redirects with access_denied when configured to deny', async () => {
    await google.control.set({ consent: 'deny' });
    const redirect = await returned(consentUrl());
    expect(redirect.searchParams.get('error')).toBe('access_denied');
    expect(redirect.searchParams.has('code')).toBe(false);
  });

  test('shows a page when configured to ask, and grants the ticked scopes', async () => {
    await google.control.set({ consent: 'ask' });
    const page = await (await fetch(consentUrl())).text();
    expect(page).toContain('See when you are free or busy');
    expect(page).toContain(staff);
    const form = new URLSearchParams({ choice: 'allow', account: staff, scope: gatewayScopes[0] ?? '' });
    const redirect = await returned(consentUrl(), { method: 'POST', body: form });
    const { body } = await exchange(redirect.searchParams.get('code') ?? '');
    expect(body.scope.split(' ')).toEqual([
      gatewayScopes[0],
      'openid',
      'https://www.googleapis.com/auth/userinfo.email',
    ]);
    const denied = await returned(consentUrl(), {
      method: 'POST',
      body: new URLSearchParams({ choice: 'deny' }),
    });
    expect(denied.searchParams.get('error')).toBe('access_denied');
  });

  test('gives no second refresh token without prompt=consent', async () => {
    const redirect = await returned(consentUrl({ prompt: 'none' }));
    const { body } = await exchange(redirect.searchParams.get('code') ?? '');
    expect(body.access_token).toBeTypeOf('string');
    expect(body).not.toHaveProperty('refresh_token');
  });
});

describe('tokens', () => {
  test('a revoked grant returns invalid_grant, and its access tokens return 401 authError', async () => {
    const refreshToken = await google.control.issueRefreshToken({ account: staff, clientId: client.id });
    expect((await google.post('/revoke', { token: refreshToken })).status).toBe(200);
    expect(await google.refresh(refreshToken)).toEqual({
      status: 400,
      body: { error: 'invalid_grant', error_description: 'Token has been expired or revoked.' },
    });
    const response = await google.api('GET', events);
    expect(response.status).toBe(401);
    expect(response.body.error.errors[0]).toMatchObject({ reason: 'authError', location: 'Authorization' });
    expect((await google.post('/revoke', { token: refreshToken })).body.error).toBe('invalid_token');
  });

  test('expired access tokens are rejected although the refresh token is valid', async () => {
    await google.control.expireAccessTokens();
    expect((await google.api('GET', events)).status).toBe(401);
  });

  test('returns invalid_client for a wrong client secret', async () => {
    const form = {
      client_id: client.id,
      client_secret: 'no',
      grant_type: 'refresh_token',
      refresh_token: 'x',
    };
    expect(await google.post('/token', form)).toMatchObject({
      status: 401,
      body: { error: 'invalid_client' },
    });
  });

  test('each operation requires its own scopes: the events scope does not cover free-busy', async () => {
    const only = async (scope: string) => {
      const scopes = [`https://www.googleapis.com/auth/${scope}`];
      google.accessToken = await google.freshToken(
        await google.control.issueRefreshToken({ account: staff, clientId: client.id, scopes }),
      );
    };
    await only('calendar.events');
    const refused = await google.api('POST', 'freeBusy', {
      timeMin: '2026-03-10T00:00:00Z',
      timeMax: '2026-03-11T00:00:00Z',
    });
    expect(refused.status).toBe(403);
    expect(refused.body.error.errors[0].reason).toBe('insufficientPermissions');
    await only('calendar.freebusy');
    expect((await google.api('GET', events)).status).toBe(403);
  });
});

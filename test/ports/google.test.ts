// The calendar port's suites on Google Calendar; connecting and access tokens.
import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import type { OAuthSignIn } from '../../src/ports/calendar.ts';
import { busyTimesSuite } from './busy-times.suite.ts';
import { calendarSuite } from './calendar.suite.ts';
import { day, failure, limits } from './calendar-under-test.ts';
import { client, connectedGoogle, openGoogle } from './google-provider.ts';

calendarSuite('Google', openGoogle);
busyTimesSuite('Google', openGoogle);

const google = connectedGoogle();

describe('connecting', () => {
  const redirectUri = 'http://127.0.0.1:8080/callbacks/calendar';
  const codeVerifier = randomBytes(32).toString('base64url');
  const oauth = () => google.calendar.oauth as OAuthSignIn;
  const authUrl = () =>
    oauth().authUrl({
      state: 'st4te',
      codeChallenge: createHash('sha256').update(codeVerifier).digest('base64url'),
      redirectUri,
      loginHint: google.calendarId,
    });
  const consent = async () => {
    const response = await fetch(authUrl(), { redirect: 'manual' });
    return new URL(response.headers.get('location') ?? '').searchParams;
  };
  const finish = async () =>
    oauth().finish({ code: (await consent()).get('code') ?? '', codeVerifier, redirectUri }, limits);

  test('requests only the needed scopes: own events, free-busy, and the address', () => {
    const query = new URL(authUrl()).searchParams;
    expect(query.get('scope')?.split(' ')).toEqual([
      'https://www.googleapis.com/auth/calendar.events.owned',
      'https://www.googleapis.com/auth/calendar.freebusy',
      'openid',
      'email',
    ]);
    expect(query.get('access_type')).toBe('offline');
    expect(query.get('code_challenge_method')).toBe('S256');
  });

  test('returns a usable credential and the account address', async () => {
    const connected = await finish();
    expect(connected).toMatchObject({ accountEmail: google.calendarId, calendarId: 'primary' });
    const event = google.booking({ calendarId: connected.calendarId });
    await google.calendar.insertEvent(connected.credential, event, limits);
    expect(await google.provider.liveEventIds(google.calendarId)).toEqual([event.eventId]);
  });

  test('is rejected with the name of a missing permission', async () => {
    await google.control.set({ untickedScopes: ['https://www.googleapis.com/auth/calendar.freebusy'] });
    const error = await failure(finish());
    expect(error).toMatchObject({ outcome: 'rejected', code: 'scope_missing' });
    expect(error.message).toContain('See when you are free or busy');
  });

  test('is rejected for a wrong code verifier and for a used code', async () => {
    const code = (await consent()).get('code') ?? '';
    const other = { code, codeVerifier: 'x'.repeat(43), redirectUri };
    expect(await failure(oauth().finish(other, limits))).toMatchObject({
      outcome: 'rejected',
      code: 'invalid_grant',
    });
    expect((await failure(oauth().finish({ code, codeVerifier, redirectUri }, limits))).outcome).toBe(
      'rejected',
    );
  });

  test('never shows the client secret, a token or the code in an error', async () => {
    const error = await failure(oauth().finish({ code: 'c0de-secret', codeVerifier, redirectUri }, limits));
    expect(`${error.stack} ${JSON.stringify(error)}`).not.toMatch(/GOCSPX|c0de-secret|1\/\/|ya29/);
  });

  test('is undone by disconnecting, which revokes the authorization', async () => {
    await google.calendar.disconnect(google.credential, limits);
    expect(await failure(google.busy())).toMatchObject({ outcome: 'rejected', code: 'invalid_grant' });
  });
});

describe('access tokens', () => {
  test('are refreshed once for concurrent calls, and reused later', async () => {
    await Promise.all(Array.from({ length: 20 }, google.busy));
    await google.busy();
    expect(await google.statuses('oauth.token')).toEqual([200]);
  });

  test('are refreshed once after a 401, and the call succeeds', async () => {
    await google.busy();
    await google.control.expireAccessTokens();
    expect(await google.insert(google.booking())).toMatchObject({ status: 'live' });
    expect(await google.statuses('oauth.token')).toEqual([200, 200]);
    expect(await google.statuses('events.insert')).toEqual([401, 200]);
  });

  test('that Google rejects although they are new leave the call not sent, and the connection as it is', async () => {
    await google.control.addFault({ does: 'refuse', on: 'events.insert', reason: 'authError', times: 3 });
    expect(await google.insert(google.booking())).toMatchObject({ status: 'live' });
    expect(await google.statuses('events.insert')).toEqual([401, 401, 401, 200]);
    await google.control.addFault({ does: 'refuse', on: 'freebusy.query', reason: 'authError' });
    expect(await failure(google.busy())).toMatchObject({ outcome: 'not_sent', code: 'new_token_rejected' });
  });

  test('are never used in their last minute', async () => {
    await google.control.set({ accessTokenSeconds: 59 });
    await google.busy();
    await google.busy();
    expect(await google.statuses('oauth.token')).toEqual([200, 200]);
  });

  test('that cannot be refreshed leave the call not sent', async () => {
    await google.control.addFault({
      does: 'refuse',
      on: 'oauth.token',
      reason: 'internal_failure',
      status: 503,
    });
    expect((await failure(google.insert(google.booking()))).outcome).toBe('not_sent');
  });

  test('that Google refuses to this client leave the call not sent, and say what to check', async () => {
    const refused = { does: 'refuse', on: 'oauth.token', reason: 'invalid_client', status: 401 } as const;
    await google.control.addFault({ ...refused, message: 'Unauthorized' });
    expect(await failure(google.insert(google.booking()))).toMatchObject({
      outcome: 'not_sent',
      code: 'invalid_client',
      message: 'No access token: Unauthorized. Check GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET.',
    });
  });

  test('that are awaited past the deadline leave the call not sent, without a warning of Node', async () => {
    const warnings: string[] = [];
    const note = ({ name }: Error) => void warnings.push(name);
    process.on('warning', note);
    try {
      const late = google.calendar.busyTimes(
        google.credential,
        { calendarIds: [google.calendarId], ...day },
        { timeoutMs: -5 },
      );
      expect(await failure(late)).toMatchObject({ outcome: 'not_sent' });
      await systemClock.sleep(-5);
    } finally {
      process.off('warning', note);
    }
    expect(warnings).toEqual([]);
  });

  test('without a needed scope reject the call as scope_missing', async () => {
    const scopes = ['https://www.googleapis.com/auth/calendar.freebusy'];
    const refreshToken = await google.control.issueRefreshToken({
      account: google.calendarId,
      clientId: client.id,
      scopes,
    });
    const weak = JSON.stringify({ refreshToken });
    const error = await failure(google.calendar.insertEvent(weak, google.booking(), limits));
    expect(error).toMatchObject({ outcome: 'rejected', code: 'scope_missing' });
  });

  test('for a calendar of someone else say nothing about the connection', async () => {
    const { control, calendar, credential } = google;
    await control.putAccount({ email: 'colleague@clinic.example' });
    const colleague = { id: 'colleague@clinic.example', owner: 'colleague@clinic.example' };
    await control.putCalendar({ ...colleague, readers: [google.calendarId] });
    const ref = { calendarId: colleague.id, eventId: google.booking().eventId ?? '' };
    const error = await failure(calendar.getEvent(credential, ref, limits));
    expect(error).toMatchObject({ outcome: 'rejected', code: 'calendar_not_found' });
  });
});

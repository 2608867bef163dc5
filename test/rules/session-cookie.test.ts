// The rules of session cookies: names, attributes, and which requests may use one.
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/base/errors.ts';
import {
  type BrowserRequest,
  browserOrigins,
  removedCookie,
  sessionCookie,
  sessionTokenOf,
} from '../../src/http/session-cookie.ts';

const secure = browserOrigins('https://gateway.example.com/', 'http://127.0.0.1:8080');
const local = browserOrigins(null, 'http://[::1]:8080');
const week = 604_800;

describe('the cookie', () => {
  it('is __Host- and Secure where PUBLIC_URL is https, and always HttpOnly and SameSite=Strict', () => {
    const parts = sessionCookie(secure, 'token', week).split('; ');
    expect(parts[0]).toBe('__Host-chatbot-gateway-session=token');
    expect(parts.slice(1).sort()).toEqual([
      'HttpOnly',
      'Max-Age=604800',
      'Path=/',
      'SameSite=Strict',
      'Secure',
    ]);
  });

  it('has the port in its name elsewhere, because the ports of a host share cookies', () => {
    const parts = sessionCookie(local, 'token', week).split('; ');
    expect(parts[0]).toBe('chatbot-gateway-session-8080=token');
    expect(parts.slice(1).sort()).toEqual(['HttpOnly', 'Max-Age=604800', 'Path=/', 'SameSite=Strict']);
    expect(browserOrigins('http://gateway.internal', 'http://127.0.0.1:8080').cookieName).toMatch(/-80$/);
    expect(browserOrigins('http://gateway.internal:81', 'http://127.0.0.1:8080').cookieName).toMatch(/-81$/);
  });

  it('is removed with the same attributes', () => {
    expect(removedCookie(secure)).toMatch(/^__Host-chatbot-gateway-session=; Max-Age=0; .*Secure/);
  });
});

/** What a request with a cookie gets: its token, "none", or the code of an error. */
function outcome(of: typeof secure, request: Partial<BrowserRequest>): string {
  const headers = { cookie: `a=b; ${of.cookieName}=token`, ...request.headers };
  try {
    const [host = ''] = of.hosts;
    return sessionTokenOf(of, { method: 'GET', host, ...request, headers }) ?? 'none';
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
}

describe('a request with the cookie', () => {
  const page = { origin: 'https://gateway.example.com', 'x-requested-with': 'chatbot-gateway' };

  it.each([
    ['gateway.example.com', 'token'],
    ['Gateway.Example.com', 'token'],
    ['gateway.example.com:8443', 'host_mismatch'],
    ['evil.example', 'host_mismatch'],
    ['127.0.0.1:8080', 'host_mismatch'],
    ['', 'host_mismatch'],
  ])('for the host "%s" gets %s', (host, expected) => expect(outcome(secure, { host })).toBe(expected));

  it('without PUBLIC_URL works at both names of this machine and at no other', () => {
    expect(
      ['127.0.0.1:8080', 'localhost:8080', 'localhost', '[::1]:8080', 'evil.example:8080'].map((host) =>
        outcome(local, { host }),
      ),
    ).toEqual(['token', 'token', 'host_mismatch', 'host_mismatch', 'host_mismatch']);
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'QUERY'])(
    'that changes something by %s needs the origin of the gateway and X-Requested-With',
    (method) => {
      const with_ = (headers: Record<string, string | undefined>) => outcome(secure, { method, headers });
      expect(with_(page)).toBe('token');
      for (const headers of [
        {},
        { ...page, origin: undefined },
        { ...page, origin: 'null' },
        { ...page, origin: 'https://evil.example' },
        { ...page, origin: 'http://gateway.example.com' },
        { ...page, origin: 'https://gateway.example.com:8443' },
        { ...page, 'x-requested-with': undefined },
        { ...page, 'x-requested-with': 'XMLHttpRequest' },
      ])
        expect(with_(headers)).toBe('origin_mismatch');
    },
  );

  it.each([
    ['same-origin', 'token'],
    ['none', 'token'],
    [undefined, 'token'],
    ['same-site', 'none'],
    ['cross-site', 'none'],
  ])('that reads and says Sec-Fetch-Site %s gets %s', (site, expected) => {
    for (const method of ['GET', 'HEAD'])
      expect(outcome(secure, { method, headers: { 'sec-fetch-site': site } })).toBe(expected);
  });

  it('reads only the cookie of this gateway', () => {
    for (const cookie of ['', 'chatbot-gateway-session-8080=token', '__Host-chatbot-gateway-session='])
      expect(outcome(secure, { headers: { cookie } })).toBe('none');
  });
});

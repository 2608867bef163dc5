// The cookie of a session: its name, its attributes, and which requests may use it.
import { parseCookie, stringifySetCookie } from 'cookie';
import { AppError } from '../base/errors.ts';

/** Where browsers reach the gateway. */
export interface BrowserOrigins {
  /** Values of `Origin`, such as `https://gateway.example.com`. */
  origins: readonly string[];
  /** Values of `Host`, such as `gateway.example.com`. */
  hosts: ReadonlySet<string>;
  isHttps: boolean;
  cookieName: string;
}

const baseName = 'chatbot-gateway-session';

/**
 * The origins of a gateway with this PUBLIC_URL; without one (null), those of this machine at the port of `listensAt`. Cookies
 * are shared by the ports of a host, so the name without https contains the port.
 */
export function browserOrigins(publicUrl: string | null, listensAt: string): BrowserOrigins {
  const { port } = new URL(listensAt);
  const urls = (
    publicUrl === null ? [`http://127.0.0.1:${port}`, `http://localhost:${port}`] : [publicUrl]
  ).map((url) => new URL(url));
  const [first = new URL(listensAt)] = urls;
  const isHttps = first.protocol === 'https:';
  return {
    origins: urls.map(({ origin }) => origin),
    hosts: new Set(urls.map(({ host }) => host)),
    isHttps,
    cookieName: isHttps ? `__Host-${baseName}` : `${baseName}-${first.port || '80'}`,
  };
}

const attributes = ({ cookieName, isHttps }: BrowserOrigins) =>
  ({ name: cookieName, httpOnly: true, sameSite: 'strict', path: '/', secure: isHttps }) as const;

/** The `Set-Cookie` header of a new session, which browsers keep for `maxAgeSeconds`. */
export const sessionCookie = (of: BrowserOrigins, token: string, maxAgeSeconds: number): string =>
  stringifySetCookie({ ...attributes(of), value: token, maxAge: maxAgeSeconds });

/** The `Set-Cookie` header that removes the cookie. */
export const removedCookie = (of: BrowserOrigins): string =>
  stringifySetCookie({ ...attributes(of), value: '', maxAge: 0 });

/** What the rules need of a request. `host` is the one that a trusted proxy forwards. */
export interface BrowserRequest {
  method: string;
  host: string;
  headers: Record<string, string | string[] | undefined>;
}

const readingMethods = new Set(['GET', 'HEAD']);
const crossSites = new Set(['same-site', 'cross-site']);
const pageHeader = 'chatbot-gateway';

/**
 * The token in the cookie of a request; undefined without one, and for a request that another site caused a browser to make.
 * Throws 421 `host_mismatch` and 403 `origin_mismatch`.
 */
export function sessionTokenOf(of: BrowserOrigins, request: BrowserRequest): string | undefined {
  const { cookie } = request.headers;
  const token = cookie === undefined ? undefined : parseCookie(String(cookie))[of.cookieName];
  if (!token) return undefined;
  requireHost(of, request);
  if (!readingMethods.has(request.method)) requireOrigin(of, request);
  else if (crossSites.has(String(request.headers['sec-fetch-site']))) return undefined;
  return token;
}

/** Throws 421 unless the request is for a host of the gateway: another name may have been pointed at its address. */
export function requireHost({ hosts, origins }: BrowserOrigins, { host }: BrowserRequest): void {
  if (hosts.has(host.toLowerCase())) return;
  throw new AppError(
    'host_mismatch',
    `Host: sessions work at ${origins.join(' and ')} only. Open the gateway there, or set PUBLIC_URL to the address that you use.`,
  );
}

/** Throws 403 unless a page of the gateway itself made the request. */
export function requireOrigin({ origins }: BrowserOrigins, { headers }: BrowserRequest): void {
  if (!origins.includes(String(headers.origin))) {
    throw new AppError(
      'origin_mismatch',
      `Origin: a session may change something only from a page of ${origins.join(' or ')}. Use an API key elsewhere.`,
    );
  }
  if (headers['x-requested-with'] === pageHeader) return;
  throw new AppError(
    'origin_mismatch',
    `X-Requested-With: must be ${pageHeader} in a request that changes something with a session.`,
  );
}

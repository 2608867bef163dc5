// CalDAV discovery: which hosts get the password when servers redirect or name other addresses.
import { expect, test } from 'vitest';
import { discover } from '../../src/adapters/caldav/discovery.ts';
import type { OutgoingRequest, OutgoingResponse } from '../../src/base/outgoing/outgoing.ts';
import { attemptLimits } from '../../src/base/retry.ts';
import { failure } from './calendar-under-test.ts';

const credentials = { username: 'ada', password: 'v3ry-secret' };

/** The responses of simulated servers. */
interface Servers {
  /** Redirect targets by address. */
  redirects?: Record<string, string>;
  /** The redirect target of all other addresses. */
  everywhere?: string;
  /** The addresses of the principal and of the calendars in responses. */
  principal?: string;
  home?: string;
}

function responseOf(
  { redirects = {}, everywhere, principal = '/me/', home = '/cal/' }: Servers,
  url: string,
) {
  const location = redirects[url] ?? everywhere;
  if (location !== undefined) return { status: 301, headers: { location }, body: '' };
  const path = new URL(url).pathname;
  const type = path.startsWith('/cal/')
    ? '<D:resourcetype><D:collection/><C:calendar/></D:resourcetype>'
    : '';
  const body = `<D:multistatus xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:response><D:href>${path}</D:href>
    <D:propstat><D:prop>${type}<D:current-user-principal><D:href>${principal}</D:href></D:current-user-principal>
    <C:calendar-home-set><D:href>${home}</D:href></C:calendar-home-set></D:prop>
    <D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response></D:multistatus>`;
  return { status: 207, headers: {}, body };
}

/** The result of discovery, and the origins that the password was sent to. */
function discoverFrom(url: string, servers: Servers) {
  const calledOrigins: string[] = [];
  const outgoing = {
    request: async (request: OutgoingRequest): Promise<OutgoingResponse> => {
      expect(request.headers?.authorization).toMatch(/^Basic /);
      calledOrigins.push(new URL(request.url).origin);
      const { body, ...response } = responseOf(servers, String(request.url));
      return { ...response, body: Buffer.from(body), truncated: false } as OutgoingResponse;
    },
  };
  const found = discover({ outgoing, limits: attemptLimits(5_000) }, credentials, url, undefined);
  return { found, calledOrigins };
}

const given = 'https://cloud.example.com/';

test.each<[string, string, Servers, string]>([
  ['another path', given, { redirects: { [given]: '/dav/' } }, 'https://cloud.example.com'],
  ['another port', given, { redirects: { [given]: 'https://cloud.example.com:8443/' } }, ''],
  [
    'a subdomain of the given host',
    'https://example.com/',
    { redirects: { 'https://example.com/': 'https://dav.example.com/' } },
    '',
  ],
  ['https instead of http', 'http://nas.lan/', { redirects: { 'http://nas.lan/': 'https://nas.lan/' } }, ''],
  [
    'a sibling host that the server names after authentication',
    'https://caldav.icloud.com/',
    { home: 'https://p34-caldav.icloud.com:443/cal/' },
    'https://p34-caldav.icloud.com',
  ],
])('%s is followed', async (_what, url, servers, home) => {
  const { homeUrl } = await discoverFrom(url, servers).found;
  expect(homeUrl).toContain(home);
});

test.each<[string, string, Servers]>([
  ['a redirect to another host', given, { everywhere: 'https://evil.example/dav/' }],
  ['a redirect to a sibling host', given, { everywhere: 'https://evil.example.com/dav/' }],
  [
    'a second redirect, after an allowed one',
    given,
    { redirects: { [given]: '/dav/' }, everywhere: 'https://evil.example/dav/' },
  ],
  ['a principal on another host', given, { principal: 'https://evil.example/dav/' }],
  ['calendars on another host', given, { home: 'https://evil.example/dav/' }],
  ['a host name that only has the same ending', given, { everywhere: 'https://evilcloud.example.com/dav/' }],
  ['a whole public suffix', 'https://example.com/', { home: 'https://evil.com/dav/' }],
])(
  '%s never gets the password, and the error names the address to give instead',
  async (_what, url, servers) => {
    const { found, calledOrigins } = discoverFrom(url, servers);
    const error = await failure(found);
    expect(error).toMatchObject({ outcome: 'rejected', code: 'address_unusable' });
    expect(error.message).toMatch(
      /The password was not sent there\. .* give https:\/\/evil\S*\/dav\/ as the address/,
    );
    expect(new Set(calledOrigins)).toEqual(new Set([new URL(url).origin]));
  },
);

test('uses the well-known address if the given address redirects to another host', async () => {
  const { found, calledOrigins } = discoverFrom(given, {
    redirects: { [given]: 'https://welcome.example/' },
  });
  expect(await found).toMatchObject({ homeUrl: 'https://cloud.example.com/cal/' });
  expect(new Set(calledOrigins)).toEqual(new Set(['https://cloud.example.com']));
});

test('never follows a redirect from https to http', async () => {
  const insecure = 'http://cloud.example.com/';
  const redirects = { [given]: insecure, [`${given}.well-known/caldav`]: insecure };
  const { found, calledOrigins } = discoverFrom(given, { redirects });
  expect(await failure(found)).toMatchObject({ code: 'address_unusable' });
  expect(calledOrigins.every((origin) => origin.startsWith('https:'))).toBe(true);
});

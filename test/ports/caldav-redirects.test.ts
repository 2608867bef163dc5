// To which hosts the password of a CalDAV account may go while its calendars are looked for: the one given, and what belongs to it.
import { expect, test } from 'vitest';
import { discover } from '../../src/adapters/caldav/discovery.ts';
import type { OutgoingRequest, OutgoingResponse } from '../../src/base/outgoing.ts';
import { attemptOf } from '../../src/base/retry.ts';
import { failure } from './calendar-under-test.ts';

const signIn = { username: 'ada', password: 'v3ry-secret' };

/** Servers by their answers: hosts that no machine of tests has. */
interface World {
  /** `https://a.example/` → where it redirects to. */
  redirects?: Record<string, string>;
  /** Where all other places redirect to. */
  everywhere?: string;
  /** Where the server says that the person, and the calendars, are. */
  principal?: string;
  home?: string;
}

function answerOf({ redirects = {}, everywhere, principal = '/me/', home = '/cal/' }: World, url: string) {
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

/** What comes of an address, and the hosts that the password was sent to. */
function look(url: string, world: World) {
  const told: string[] = [];
  const outgoing = {
    request: async (request: OutgoingRequest): Promise<OutgoingResponse> => {
      expect(request.headers?.authorization).toMatch(/^Basic /);
      told.push(new URL(request.url).origin);
      const { body, ...answer } = answerOf(world, String(request.url));
      return { ...answer, body: Buffer.from(body), truncated: false } as OutgoingResponse;
    },
  };
  const found = discover({ outgoing, limits: attemptOf(5_000) }, signIn, url, undefined);
  return { found, told };
}

const given = 'https://cloud.example.com/';

test.each<[string, string, World, string]>([
  ['another path', given, { redirects: { [given]: '/dav/' } }, 'https://cloud.example.com'],
  ['another port', given, { redirects: { [given]: 'https://cloud.example.com:8443/' } }, ''],
  [
    'a host below the one given',
    'https://example.com/',
    { redirects: { 'https://example.com/': 'https://dav.example.com/' } },
    '',
  ],
  ['https instead of http', 'http://nas.lan/', { redirects: { 'http://nas.lan/': 'https://nas.lan/' } }, ''],
  [
    'calendars on a host beside the one given, as the server says that has the password',
    'https://caldav.icloud.com/',
    { home: 'https://p34-caldav.icloud.com:443/cal/' },
    'https://p34-caldav.icloud.com',
  ],
])('%s is followed', async (_what, url, world, home) => {
  const { homeUrl } = await look(url, world).found;
  expect(homeUrl).toContain(home);
});

test.each<[string, string, World]>([
  ['a redirect to another host', given, { everywhere: 'https://evil.example/dav/' }],
  ['a redirect to a host beside', given, { everywhere: 'https://evil.example.com/dav/' }],
  [
    'a second redirect, after one that was fine',
    given,
    { redirects: { [given]: '/dav/' }, everywhere: 'https://evil.example/dav/' },
  ],
  ['a person on another host', given, { principal: 'https://evil.example/dav/' }],
  ['calendars on another host', given, { home: 'https://evil.example/dav/' }],
  ['a name that only ends alike', given, { everywhere: 'https://evilcloud.example.com/dav/' }],
  ['a whole public suffix', 'https://example.com/', { home: 'https://evil.com/dav/' }],
])('%s never gets the password, and the address to give instead is named', async (_what, url, world) => {
  const { found, told } = look(url, world);
  const error = await failure(found);
  expect(error).toMatchObject({ outcome: 'rejected', code: 'address_unusable' });
  expect(error.message).toMatch(
    /The password was not sent there\. .* give https:\/\/evil\S*\/dav\/ as the address/,
  );
  expect(new Set(told)).toEqual(new Set([new URL(url).origin]));
});

test('a page of welcome that redirects elsewhere is no hindrance where the well-known address answers', async () => {
  const { found, told } = look(given, { redirects: { [given]: 'https://welcome.example/' } });
  expect(await found).toMatchObject({ homeUrl: 'https://cloud.example.com/cal/' });
  expect(new Set(told)).toEqual(new Set(['https://cloud.example.com']));
});

test('from https to http is never followed', async () => {
  const insecure = 'http://cloud.example.com/';
  const redirects = { [given]: insecure, [`${given}.well-known/caldav`]: insecure };
  const { found, told } = look(given, { redirects });
  expect(await failure(found)).toMatchObject({ code: 'address_unusable' });
  expect(told.every((origin) => origin.startsWith('https:'))).toBe(true);
});

// Odd responses of CalDAV servers: other kinds of authentication, and invalid percent-encoding.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { caldavCalendar } from '../../src/adapters/caldav/calendar.ts';
import { changedEvents } from '../../src/adapters/caldav/changes.ts';
import { failureOf, readMultistatus } from '../../src/adapters/caldav/dav-call.ts';
import { discover } from '../../src/adapters/caldav/discovery.ts';
import { VendorError } from '../../src/base/errors.ts';
import { openOutgoing } from '../../src/base/outgoing/outgoing.ts';
import { redactError } from '../../src/base/outgoing/secrets.ts';
import { attemptLimits } from '../../src/base/retry.ts';
import { isInstalled } from '../harness/caldav-server.ts';
import { type CaldavProvider, object, openCaldav } from './caldav-provider.ts';
import { at, bookingEvent, day, failure, limits } from './calendar-under-test.ts';

test.each([
  ['Digest realm="BaikalDAV", qop="auth", nonce="a, basic b", opaque="c"', 'address_unusable'],
  [['Negotiate', 'Bearer realm="x", error="y"'], 'address_unusable'],
  ['Digest realm="x", nonce="y", BASIC realm="x"', 'invalid_grant'],
  [['Digest realm="x"', 'Basic realm="a \\"b\\", Digest c", charset="UTF-8"'], 'invalid_grant'],
  ['Basic', 'invalid_grant'],
  ['', 'invalid_grant'],
  [undefined, 'invalid_grant'],
])('a 401 with the challenges %j is %s', (challenge, code) => {
  const headers = challenge === undefined ? {} : { 'www-authenticate': challenge };
  expect(failureOf({ status: 401, headers, text: '' })).toMatchObject({ outcome: 'rejected', code });
});

const longName = 'a'.repeat(1_000_000);

test('an error quotes no more than the beginning of a long name', () => {
  const text = `<D:error xmlns:D="DAV:"><D:${longName}/></D:error>`;
  const { message, code, title } = failureOf({ status: 400, headers: {}, text });
  expect([message.length, String(code).length, title?.length]).toEqual([2_000, 200, 200]);
  const unreadable = () =>
    readMultistatus({ status: 207, headers: {}, text: `<${longName}:x/>` }, 'https://example.com/');
  expect(unreadable).toThrow(/^The response could not be read: unbound namespace prefix: "a{1,2000}$/);
});

test('a password at the end of a text that is cut is redacted', () => {
  const password = 'correct horse battery staple';
  const error = new VendorError('rejected', `${'a'.repeat(1_985)}${password}`);
  expect((redactError(error, [password]) as VendorError).message).toMatch(/^a+\[secret\]$/);
});

/** Discovers calendars on a server that names these in all its responses. */
function discoverOn({ addresses = ['ada@example.com'], home = '/home/', calendar = '/home/main/' }) {
  const hrefs = addresses.map((address) => `<D:href>mailto:${address}</D:href>`).join('');
  const resource = (href: string, type: string) => `<D:response><D:href>${href}</D:href><D:propstat><D:prop>
    <D:resourcetype>${type}</D:resourcetype><D:current-user-principal><D:href>/me/</D:href></D:current-user-principal>
    <C:calendar-home-set><D:href>${home}</D:href></C:calendar-home-set>
    <C:calendar-user-address-set>${hrefs}</C:calendar-user-address-set>
    </D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>`;
  const body = Buffer.from(
    `<D:multistatus xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav">${resource('/', '')}
     ${resource(calendar, '<C:calendar/>')}</D:multistatus>`,
  );
  const answer = { status: 207, headers: {}, body, truncated: false, durationMs: 0 };
  const deps = { outgoing: { request: async () => answer }, limits: attemptLimits(10_000) };
  return discover(deps, { username: 'ada', password: 'secret' }, 'https://example.com/', undefined);
}

test('a server cannot make the gateway store long or many addresses', async () => {
  const long = `${longName}@example.com`;
  const many = Array.from({ length: 100 }, (_, n) => `ada${n}@example.com`);
  const { addresses } = await discoverOn({ addresses: [long, ...many] });
  expect(addresses).toEqual(many.slice(0, 20));
  for (const place of [{ home: `/${longName}/` }, { calendar: `/home/${longName}/` }])
    await expect(discoverOn(place)).rejects.toMatchObject({ outcome: 'rejected', code: 'address_unusable' });
  expect((await discoverOn({})).calendarUrl).toBe('https://example.com/home/main/');
});

/** Reads the changes since `cursor` of an empty calendar with a sync token, or else with the ctag alone. */
function readShowing(shown: { sync?: string; ctag?: string }, cursor: string | null) {
  const token = shown.sync === undefined ? '' : `<D:sync-token>${shown.sync}</D:sync-token>`;
  const body =
    Buffer.from(`<D:multistatus xmlns:D="DAV:" xmlns:S="http://calendarserver.org/ns/"><D:response><D:href>/home/main/</D:href><D:propstat>
    <D:prop><D:resourcetype><C:calendar xmlns:C="urn:ietf:params:xml:ns:caldav"/></D:resourcetype><S:getctag>${shown.ctag ?? ''}</S:getctag>
    <D:supported-report-set><D:sync-collection/></D:supported-report-set>${token}</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>
    ${token}</D:multistatus>`);
  const answer = { status: 207, headers: {}, body, truncated: false, durationMs: 0 };
  const account = {
    ...{ username: 'ada', password: 'secret', homeUrl: 'https://example.com/home/', addresses: [] },
    ...{ organizer: null, timeZone: 'UTC', reads: 'time_range' as const },
  };
  return changedEvents(
    { outgoing: { request: async () => answer }, limits: attemptLimits(10_000), account, now: 0 },
    { calendarId: '/home/main/', cursor, since: 0 },
  );
}

test('a reading with a sync token of megabytes fails', async () => {
  expect(JSON.parse((await readShowing({ sync: 'token' }, null)).cursor)).toEqual({ sync: 'token' });
  await expect(readShowing({ sync: longName.repeat(3) }, null)).rejects.toMatchObject({
    outcome: 'unknown',
    code: 'unreadable_answer',
  });
});

test.each([
  ['12', '1', true],
  ['12', '13', false],
  ['http://sabre.io/ns/sync/12', 'http://sabre.io/ns/sync/1', true],
  ['http://sabre.io/ns/sync/12', 'http://sabre.io/ns/sync/13', false],
  ['a7f2', 'b7f1', false],
])(
  'a calendar that had the token or ctag %s and has %s is read in full: %s',
  async (before, now, complete) => {
    const since = JSON.stringify({ sync: before });
    expect(await readShowing({ sync: now }, since)).toEqual({
      ...{ events: [], cursor: JSON.stringify({ sync: now }), complete },
    });
    const seen = JSON.stringify({ ctag: before, seen: {} });
    expect(await readShowing({ ctag: now }, seen)).toEqual({
      ...{ events: [], cursor: JSON.stringify({ ctag: now, seen: {} }), complete },
    });
  },
);

if (await isInstalled('radicale')) describe('a server', servers);
else test('servers NOT TESTED: radicale is not installed here', () => expect(servers).toBeTypeOf('function'));

function servers(): void {
  let provider: CaldavProvider;
  beforeAll(async () => {
    provider = await openCaldav('radicale');
  });
  afterAll(() => provider.close());
  afterEach(() => {
    provider.server.proxy.change = null;
  });

  const onlyDigest = () => {
    provider.server.proxy.change = () => ({
      status: 401,
      headers: { 'www-authenticate': 'Digest realm="BaikalDAV", qop="auth", nonce="1"' },
      body: '',
    });
  };

  test('without Basic authentication is named as such, and ends no connection', async () => {
    const { credential, calendarId } = await provider.connect();
    const { username, password } = await provider.account();
    onlyDigest();
    const connected = provider.calendar.password?.connect(
      { url: provider.server.url, username, password },
      limits,
    );
    const error = await failure(connected ?? Promise.reject());
    expect(error).toMatchObject({ outcome: 'rejected', code: 'address_unusable' });
    expect(error.message).toContain('only: digest');
    const busy = provider.calendar.busyTimes(credential, { calendarIds: [calendarId], ...day }, limits);
    expect(await failure(busy)).toMatchObject({ outcome: 'rejected', code: 'address_unusable' });
  });

  describe('a rejected password', () => {
    const reject = (times: number) => {
      let left = times;
      provider.server.proxy.requests.length = 0;
      provider.server.proxy.change = (_method, _path, response) =>
        left-- > 0 ? { status: 401, headers: { 'www-authenticate': 'Basic realm="x"' }, body: '' } : response;
    };
    const slept: number[] = [];
    let skippedMs = 0;
    const calendar = caldavCalendar({
      outgoing: openOutgoing({ connectionsPerOrigin: null, keepAliveMs: 1_000 }),
      clock: {
        ...{ now: Date.now, steady: () => performance.now() + skippedMs },
        sleep: async (ms) => {
          slept.push(ms);
          skippedMs += ms;
        },
      },
    });
    const get = async (timeoutMs: number) => {
      const { credential, calendarId } = await provider.connect();
      slept.length = 0;
      return {
        called: (times: number) => {
          reject(times);
          return calendar.getEvent(credential, { calendarId, eventId: 'unknown' }, { timeoutMs });
        },
      };
    };

    test('is tried once more two seconds later, and the call succeeds', async () => {
      const { called } = await get(10_000);
      expect(await called(1)).toBeNull();
      expect(provider.server.proxy.requests).toHaveLength(2);
      expect(slept).toEqual([2_000]);
    });

    test('twice is wrong: it is not tried a third time', async () => {
      const { called } = await get(60_000);
      expect(await failure(called(9))).toMatchObject({ outcome: 'rejected', code: 'invalid_grant' });
      expect(provider.server.proxy.requests).toHaveLength(2);
    });

    test('ends no connection if no time is left to try it again', async () => {
      const { called } = await get(1_500);
      expect(await failure(called(9))).toMatchObject({ outcome: 'not_sent', code: 'http_401' });
      expect(provider.server.proxy.requests).toHaveLength(1);
    });
  });

  test.each(['calendar-query', 'calendar-multiget'])(
    'that names an event with an error in a %s does not show its time as free',
    async (failing) => {
      const { credential, calendarId } = await provider.connect();
      const hour = { from: '2026-06-10T10:00', to: '2026-06-10T11:00', zone: 'UTC' };
      await provider.addExternally(calendarId, hour);
      provider.server.proxy.change = (_method, _path, response, asked) => {
        const [hidden, error] = asked.includes(failing)
          ? [/<propstat>.*?<\/propstat>/gs, '<status>HTTP/1.1 500 Internal Server Error</status>']
          : [/<(?:\w+:)?calendar-data>.*?<\/(?:\w+:)?calendar-data>/gs, ''];
        return { ...response, body: response.body.replace(hidden, error) };
      };
      const busy = provider.calendar.busyTimes(credential, { calendarIds: [calendarId], ...day }, limits);
      expect(await failure(busy)).toMatchObject({ outcome: 'unknown', code: 'event_not_shown' });
    },
  );

  test('that returns addresses with invalid percent-encoding still shows its other events', async () => {
    const { credential, calendarId } = await provider.connect();
    const { calendar } = provider;
    const read = (cursor: string | null) =>
      calendar.changedEvents(credential, { calendarId, cursor, since: at('2026-06-10T00:00:00Z') }, limits);
    const lines = ['UID:50', 'DTSTART:20260610T120000Z', 'DTEND:20260610T123000Z'];
    const data = `<calendar-data xmlns="urn:ietf:params:xml:ns:caldav">${object(lines)}</calendar-data>`;
    provider.server.proxy.change = (_method, path, response) => ({
      ...response,
      body: response.body.replace(
        '</multistatus>',
        `<response><href>${path}50%.ics</href><propstat><prop><getetag>"1"</getetag>${data}</prop><status>HTTP/1.1 200 OK</status></propstat></response></multistatus>`,
      ),
    });
    const first = await read(null);
    const event = await calendar.insertEvent(credential, bookingEvent(calendar, calendarId), limits);
    for (const cursor of [first.cursor, null]) {
      const { events } = await read(cursor);
      expect(events.map(({ eventId }) => eventId)).toEqual([event.eventId]);
    }
  });
}

// Objects of a calendar as its server gives them: by time, by what they hold, and one by one.
import { VendorError } from '../../base/errors.ts';
import type { Interval } from '../../ports/calendar.ts';
import type { CaldavAccount } from './credential.ts';
import { calendarNotFound } from './credential.ts';
import { ask, failureOf, headerOf, isDone, send, type Wire } from './dav-call.ts';
import {
  caldav,
  escaped,
  holds,
  isSamePlace,
  type Multistatus,
  names,
  type Resource,
  requestXml,
  textOf,
} from './multistatus.ts';
import { namedZone, utc, type Zone, zoneOfCalendar } from './zones.ts';

export interface CalendarObject {
  url: string;
  etag: string | null;
  text: string;
}

const wanted = '<D:prop><D:getetag/><C:calendar-data/></D:prop>';
const etagOnly = '<D:prop><D:getetag/></D:prop>';

/** `20260610T000000Z`. */
const stamp = (at: number) => new Date(at).toISOString().replace(/[-:]|\.\d{3}/g, '');

/** What a calendar-query asks of an event (RFC 4791 section 9.7); '' asks nothing. */
export const timeRange = ({ start, end }: Interval) =>
  `<C:time-range start="${stamp(start)}" end="${stamp(end)}"/>`;
export const hasProperty = (name: string) => `<C:prop-filter name="${name}"/>`;

/** The objects with an event that passes `filter`. Throws VendorError where not all of them could be read. */
export async function queryObjects(
  wire: Wire,
  account: CaldavAccount,
  calendarUrl: string,
  filter: string,
): Promise<CalendarObject[]> {
  const answer = await query(wire, account, calendarUrl, filter, wanted);
  const bare = answer.resources.filter((each) => isObject(each, calendarUrl) && !hasData(each));
  const read = answer.resources.filter(hasData).map(objectOf);
  // Some servers name the objects and keep their text to themselves.
  return bare.length === 0
    ? read
    : [
        ...read,
        ...(await getObjects(
          wire,
          account,
          calendarUrl,
          bare.map(({ url }) => url),
        )),
      ];
}

/** Names and versions of the same, without their text. */
export async function queryVersions(
  wire: Wire,
  account: CaldavAccount,
  calendarUrl: string,
  filter: string,
): Promise<{ url: string; etag: string }[]> {
  const answer = await query(wire, account, calendarUrl, filter, etagOnly);
  return answer.resources
    .filter((each) => isObject(each, calendarUrl))
    .map((each) => ({ url: each.url, etag: strongEtag(textOf(each.props.get(names.etag))) ?? '' }));
}

async function query(
  wire: Wire,
  account: CaldavAccount,
  calendarUrl: string,
  filter: string,
  props: string,
): Promise<Multistatus> {
  const inner = `<C:comp-filter name="VEVENT">${filter}</C:comp-filter>`;
  const body = requestXml(
    'C:calendar-query',
    `${props}<C:filter><C:comp-filter name="VCALENDAR">${inner}</C:comp-filter></C:filter>`,
  );
  const answer = await report(wire, account, calendarUrl, body);
  // RFC 4791 section 7.8: a 507 means that the list is incomplete.
  if (answer.resources.some(({ status }) => status === 507)) {
    throw new VendorError('rejected', 'The server does not tell all events of that time.', {
      code: 'too_many_events',
    });
  }
  return answer;
}

/** Objects by their addresses, without missing ones. */
export async function getObjects(
  wire: Wire,
  account: CaldavAccount,
  calendarUrl: string,
  urls: string[],
): Promise<CalendarObject[]> {
  if (urls.length === 0) return [];
  const hrefs = urls.map((url) => `<D:href>${escaped(new URL(url).pathname)}</D:href>`).join('');
  const body = requestXml('C:calendar-multiget', `${wanted}${hrefs}`);
  let resources: Resource[];
  try {
    ({ resources } = await report(wire, account, calendarUrl, body));
  } catch (error) {
    if (!isAbsent(error)) throw error;
    return oneByOne(wire, account, calendarUrl, urls);
  }
  const kept = resources.filter((each) => each.status !== 404 && each.status !== 410);
  const silent = kept.find((each) => !hasData(each) && each.props.has(names.etag));
  if (silent !== undefined) {
    throw new VendorError('unknown', `The server does not show ${silent.url}.`, { code: 'event_not_shown' });
  }
  return kept.filter(hasData).map(objectOf);
}

/** sabre/dav 1 answers 404 to the whole request if one object, or the calendar, is missing. */
async function oneByOne(
  wire: Wire,
  account: CaldavAccount,
  calendarUrl: string,
  urls: string[],
): Promise<CalendarObject[]> {
  await calendarFacts(wire, account, calendarUrl);
  const found: CalendarObject[] = [];
  for (const url of urls) {
    const answer = await send(wire, account, { method: 'GET', url });
    if (answer.status === 404 || answer.status === 410) continue;
    if (!isDone(answer.status)) throw failureOf(answer);
    found.push({ url, etag: strongEtag(headerOf(answer, 'etag')), text: answer.text });
  }
  return found;
}

async function report(
  wire: Wire,
  account: CaldavAccount,
  calendarUrl: string,
  body: string,
): Promise<Multistatus> {
  try {
    return await ask(wire, account, { method: 'REPORT', url: calendarUrl, depth: '1', body });
  } catch (error) {
    if (isAbsent(error)) throw calendarNotFound(calendarUrl);
    throw error;
  }
}

const isAbsent = (error: unknown) =>
  error instanceof VendorError && (error.status === 404 || error.status === 410);

/** Not the calendar itself, nor something that was just deleted. */
const isObject = (resource: Resource, calendarUrl: string) =>
  !isSamePlace(resource.url, calendarUrl) && resource.status !== 404 && resource.props.has(names.etag);

const hasData = (resource: Resource) => textOf(resource.props.get(names.calendarData)) !== '';

function objectOf(resource: Resource): CalendarObject {
  return {
    url: resource.url,
    etag: strongEtag(textOf(resource.props.get(names.etag))),
    text: resource.props.get(names.calendarData)?.text ?? '',
  };
}

/** Proxies that compress answers mark their tags as weak, by which no write could be held to them. */
export const strongEtag = (etag: string | undefined): string | null =>
  etag === undefined || etag === '' ? null : etag.replace(/^W\//, '');

/** What a calendar says of itself. */
export interface CalendarFacts {
  zone: Zone;
  syncToken: string | null;
  ctag: string | null;
}

const factsXml = requestXml(
  'D:propfind',
  '<D:prop><D:resourcetype/><C:calendar-timezone/><D:sync-token/><S:getctag/><D:supported-report-set/></D:prop>',
);

/** Throws `calendar_not_found` where there is no calendar at that address. */
export async function calendarFacts(
  wire: Wire,
  account: CaldavAccount,
  calendarUrl: string,
): Promise<CalendarFacts> {
  let props: Resource['props'];
  try {
    const { resources } = await ask(wire, account, {
      ...{ method: 'PROPFIND', url: calendarUrl, depth: '0', body: factsXml },
    });
    props = resources[0]?.props ?? new Map();
  } catch (error) {
    if (isAbsent(error)) throw calendarNotFound(calendarUrl);
    throw error;
  }
  if (!holds(props.get(names.type), caldav, 'calendar')) throw calendarNotFound(calendarUrl);
  const zone = textOf(props.get(names.timezone));
  const syncs = holds(props.get(names.reports), 'DAV:', 'sync-collection');
  return {
    zone: (zone === '' ? null : zoneOfCalendar(zone)) ?? namedZone(account.timeZone) ?? utc,
    syncToken: (syncs && textOf(props.get(names.syncToken))) || null,
    ctag: textOf(props.get(names.ctag)) || null,
  };
}

// Calendar objects on the server: queried by time or property, or read by address; and the calendar's own properties.
import { VendorError } from '../../base/errors.ts';
import type { Interval } from '../../ports/calendar.ts';
import type { CaldavAccount } from './credential.ts';
import { calendarNotFound } from './credential.ts';
import { type CallDeps, failureOf, headerOf, isSuccess, requestMultistatus, send } from './dav-call.ts';
import {
  caldav,
  containsElement,
  escapeXml,
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

const etagAndData = '<D:prop><D:getetag/><C:calendar-data/></D:prop>';
const etagOnly = '<D:prop><D:getetag/></D:prop>';

/** `20260610T000000Z`. */
const utcTimestamp = (at: number) => new Date(at).toISOString().replace(/[-:]|\.\d{3}/g, '');

/** Filters of a calendar-query (RFC 4791 section 9.7); '' matches every event. */
export const timeRange = ({ start, end }: Interval) =>
  `<C:time-range start="${utcTimestamp(start)}" end="${utcTimestamp(end)}"/>`;
export const hasProperty = (name: string) => `<C:prop-filter name="${name}"/>`;

/** The objects with an event that matches `filter`. Throws VendorError if some of them cannot be read. */
export async function queryObjects(
  deps: CallDeps,
  account: CaldavAccount,
  calendarUrl: string,
  filter: string,
): Promise<CalendarObject[]> {
  const response = await query(deps, account, calendarUrl, filter, etagAndData);
  const withoutData = response.resources.filter((each) => isObject(each, calendarUrl) && !hasData(each));
  const read = response.resources.filter(hasData).map(objectOf);
  // some servers return the addresses without the text
  return withoutData.length === 0
    ? read
    : [
        ...read,
        ...(await getObjects(
          deps,
          account,
          calendarUrl,
          withoutData.map(({ url }) => url),
        )),
      ];
}

/** Addresses and versions of the objects with an event that matches `filter`. */
export async function queryVersions(
  deps: CallDeps,
  account: CaldavAccount,
  calendarUrl: string,
  filter: string,
): Promise<{ url: string; etag: string }[]> {
  const response = await query(deps, account, calendarUrl, filter, etagOnly);
  return response.resources
    .filter((each) => isObject(each, calendarUrl))
    .map((each) => ({ url: each.url, etag: strongEtag(textOf(each.props.get(names.etag))) ?? '' }));
}

async function query(
  deps: CallDeps,
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
  const response = await report(deps, account, calendarUrl, body);
  // a 507 means that the list is incomplete (RFC 4791 section 7.8)
  if (response.resources.some(({ status }) => status === 507)) {
    throw new VendorError('rejected', 'The server does not return all events of that period.', {
      code: 'too_many_events',
    });
  }
  requireShown(response.resources.filter(({ url }) => !isSamePlace(url, calendarUrl)));
  return response;
}

/** Throws VendorError if the server names an object with an error of its own: its time is unknown, not free. 404: it was just deleted. */
function requireShown(resources: readonly Resource[]): void {
  const hidden = resources.find(
    ({ status }) => status !== null && status >= 400 && status !== 404 && status !== 410,
  );
  if (hidden !== undefined) throw notShown(hidden);
}

const notShown = ({ url }: Resource) =>
  new VendorError('unknown', `The server does not show ${url}.`, { code: 'event_not_shown' });

/** Reads objects by their addresses; missing ones are left out. */
export async function getObjects(
  deps: CallDeps,
  account: CaldavAccount,
  calendarUrl: string,
  urls: string[],
): Promise<CalendarObject[]> {
  if (urls.length === 0) return [];
  const hrefs = urls.map((url) => `<D:href>${escapeXml(new URL(url).pathname)}</D:href>`).join('');
  const body = requestXml('C:calendar-multiget', `${etagAndData}${hrefs}`);
  let resources: Resource[];
  try {
    ({ resources } = await report(deps, account, calendarUrl, body));
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return oneByOne(deps, account, calendarUrl, urls);
  }
  const kept = resources.filter((each) => each.status !== 404 && each.status !== 410);
  requireShown(kept);
  const hidden = kept.find((each) => !hasData(each) && each.props.has(names.etag));
  if (hidden !== undefined) throw notShown(hidden);
  return kept.filter(hasData).map(objectOf);
}

/** sabre/dav 1 returns 404 for the whole request if one object, or the calendar, is missing. */
async function oneByOne(
  deps: CallDeps,
  account: CaldavAccount,
  calendarUrl: string,
  urls: string[],
): Promise<CalendarObject[]> {
  await readCalendarProperties(deps, account, calendarUrl);
  const found: CalendarObject[] = [];
  for (const url of urls) {
    const response = await send(deps, account, { method: 'GET', url });
    if (response.status === 404 || response.status === 410) continue;
    if (!isSuccess(response.status)) throw failureOf(response);
    found.push({ url, etag: strongEtag(headerOf(response, 'etag')), text: response.text });
  }
  return found;
}

async function report(
  deps: CallDeps,
  account: CaldavAccount,
  calendarUrl: string,
  body: string,
): Promise<Multistatus> {
  try {
    return await requestMultistatus(deps, account, { method: 'REPORT', url: calendarUrl, depth: '1', body });
  } catch (error) {
    if (isNotFound(error)) throw calendarNotFound(calendarUrl);
    throw error;
  }
}

const isNotFound = (error: unknown) =>
  error instanceof VendorError && (error.status === 404 || error.status === 410);

/** False for the calendar itself and for an object that was just deleted. */
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

/** A weak ETag as a strong one: proxies that compress make ETags weak, and `If-Match` needs a strong one. */
export const strongEtag = (etag: string | undefined): string | null =>
  etag === undefined || etag === '' ? null : etag.replace(/^W\//, '');

/** The properties of a calendar. */
export interface CalendarProperties {
  zone: Zone;
  syncToken: string | null;
  ctag: string | null;
}

const propertiesXml = requestXml(
  'D:propfind',
  '<D:prop><D:resourcetype/><C:calendar-timezone/><D:sync-token/><S:getctag/><D:supported-report-set/></D:prop>',
);

/** Reads a calendar's properties. Throws `calendar_not_found` if there is no calendar at that address. */
export async function readCalendarProperties(
  deps: CallDeps,
  account: CaldavAccount,
  calendarUrl: string,
): Promise<CalendarProperties> {
  let props: Resource['props'];
  try {
    const { resources } = await requestMultistatus(deps, account, {
      ...{ method: 'PROPFIND', url: calendarUrl, depth: '0', body: propertiesXml },
    });
    props = resources[0]?.props ?? new Map();
  } catch (error) {
    if (isNotFound(error)) throw calendarNotFound(calendarUrl);
    throw error;
  }
  if (!containsElement(props.get(names.type), caldav, 'calendar')) throw calendarNotFound(calendarUrl);
  const zone = textOf(props.get(names.timezone));
  const syncs = containsElement(props.get(names.reports), 'DAV:', 'sync-collection');
  return {
    zone: (zone === '' ? null : zoneOfCalendar(zone)) ?? namedZone(account.timeZone) ?? utc,
    syncToken: (syncs && textOf(props.get(names.syncToken))) || null,
    ctag: textOf(props.get(names.ctag)) || null,
  };
}

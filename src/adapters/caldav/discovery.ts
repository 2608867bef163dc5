// Discovery of an account's calendars from an address, a user name and a password (RFC 6764, RFC 5397, RFC 4791 section 6.2).
import { VendorError } from '../../base/errors.ts';
import { calendarNotFound } from './credential.ts';
import {
  type BasicCredentials,
  type CallDeps,
  failureOf,
  headerOf,
  readMultistatus,
  requestMultistatus,
  send,
} from './dav-call.ts';
import {
  caldav,
  childrenOf,
  containsElement,
  dav,
  decoded,
  hrefsOf,
  isSamePlace,
  names,
  type Resource,
  requestXml,
} from './multistatus.ts';

export interface DiscoveredCalendar {
  homeUrl: string;
  /** The calendar for bookings. */
  calendarUrl: string;
  /** The owner's mail addresses according to the server, in lower case. */
  addresses: string[];
}

const maxRedirects = 5;
/** What is stored of a server's answers is bounded. Mail addresses have at most 320 characters (RFC 5321); people have a few. */
const urlMaxLength = 2_000;
const addressMaxLength = 320;
const addressesMax = 20;
const properties = requestXml(
  'D:propfind',
  '<D:prop><D:resourcetype/><D:current-user-principal/><D:current-user-privilege-set/><C:calendar-home-set/>' +
    '<C:calendar-user-address-set/><C:supported-calendar-component-set/></D:prop>',
);

/**
 * Finds the account's calendars. Chooses `calendarUrl`, or else the address itself if it is a calendar, or else the first
 * writable calendar for events. Throws VendorError: `invalid_grant` (wrong user name or password), `calendar_not_found`,
 * `calendar_read_only`, `address_unusable` (no CalDAV at that address, or no Basic authentication), or a network error.
 */
export async function discover(
  deps: CallDeps,
  credentials: BasicCredentials,
  url: string,
  calendarUrl: string | undefined,
): Promise<DiscoveredCalendar> {
  const start = await findStart(deps, credentials, url);
  const principalUrl = hrefsOf(start.props.get(names.principal), start.url)[0];
  if (principalUrl !== undefined) checkNamedHost(url, principalUrl);
  const principal = principalUrl === undefined ? start : await readResource(deps, credentials, principalUrl);
  const addresses = hrefsOf(principal.props.get(names.addresses), principal.url)
    .filter((address) => address.toLowerCase().startsWith('mailto:'))
    .map((address) => decoded(address.slice('mailto:'.length)).toLowerCase())
    .filter((address) => address.length <= addressMaxLength)
    .slice(0, addressesMax);
  const requested = calendarUrl ?? (isCalendar(start) ? start.url : undefined);
  const namedHome = hrefsOf(principal.props.get(names.home), principal.url)[0];
  if (namedHome !== undefined) checkNamedHost(url, namedHome);
  const homeUrl = namedHome ?? (requested && new URL('..', requested).href);
  if (homeUrl === undefined) throw noCalendarsFound(url);
  if (requested !== undefined) {
    const chosen = await chosenCalendar(deps, credentials, requested, homeUrl);
    return storable({ homeUrl, calendarUrl: chosen, addresses });
  }
  const listed = await requestMultistatus(deps, credentials, {
    method: 'PROPFIND',
    url: homeUrl,
    depth: '1',
    body: properties,
  });
  const first = listed.resources.find((each) => isCalendar(each) && takesEvents(each) && isWritable(each));
  if (first === undefined) {
    const text = 'This account has no writable calendar for events.';
    throw new VendorError('rejected', text, { code: 'calendar_not_found', title: 'No calendar' });
  }
  return storable({ homeUrl, calendarUrl: first.url, addresses });
}

/** Throws `address_unusable` for addresses that are longer than any server's. */
function storable(found: DiscoveredCalendar): DiscoveredCalendar {
  if (Math.max(found.homeUrl.length, found.calendarUrl.length) <= urlMaxLength) return found;
  const text = `The server names an address of more than ${urlMaxLength} characters.`;
  throw new VendorError('rejected', text, { code: 'address_unusable', title: 'Address too long' });
}

/** The calendar that the caller requested. It must be on the account's server, because the password is sent there. */
async function chosenCalendar(
  deps: CallDeps,
  credentials: BasicCredentials,
  requested: string,
  homeUrl: string,
): Promise<string> {
  const url = URL.canParse(requested, homeUrl) ? new URL(requested, homeUrl) : undefined;
  if (url?.origin !== new URL(homeUrl).origin) throw calendarNotFound(requested);
  const found = await readResource(deps, credentials, url.href).catch((error) => {
    throw error instanceof VendorError && error.status === 404 ? calendarNotFound(requested) : error;
  });
  if (!isCalendar(found) || !takesEvents(found)) throw calendarNotFound(requested);
  if (!isWritable(found)) throw readOnly(requested);
  return found.url;
}

/** The rejection of a calendar that the user may not write to. */
export function readOnly(calendarUrl: string): VendorError {
  const text = `The calendar ${calendarUrl} is read-only for this user name.`;
  return new VendorError('rejected', text, {
    code: 'calendar_read_only',
    title: 'Calendar is read-only',
  });
}

function noCalendarsFound(url: string): VendorError {
  const text = `No calendars were found at ${new URL(url).origin}. Give the address that CalDAV clients use for this account.`;
  return new VendorError('rejected', text, { code: 'address_unusable', title: 'No CalDAV here' });
}

/** Where discovery starts: the first usable one of the address itself, `/.well-known/caldav` and `/` of its host. */
async function findStart(deps: CallDeps, credentials: BasicCredentials, url: string): Promise<Resource> {
  const places = [url, new URL('/.well-known/caldav', url).href, new URL('/', url).href];
  let failure: VendorError | undefined;
  let otherServer: VendorError | undefined;
  for (const place of new Set(places)) {
    try {
      const found = await readResource(deps, credentials, place);
      if (found.props.has(names.principal) || found.props.has(names.home) || isCalendar(found)) return found;
    } catch (error) {
      if (!(error instanceof VendorError)) throw error;
      // without a response, the other addresses would fail too
      if (error.status === undefined) throw error;
      if (error.title === otherServerTitle) otherServer ??= error;
      if (failure?.status !== 401) failure = error;
    }
  }
  if (failure?.status === 401 || (failure?.status ?? 0) >= 500) throw failure;
  throw otherServer ?? noCalendarsFound(url);
}

/** Reads one resource. Follows redirects to hosts that may get the password. */
async function readResource(deps: CallDeps, credentials: BasicCredentials, url: string): Promise<Resource> {
  let at = url;
  for (let hop = 0; hop <= maxRedirects; hop += 1) {
    const response = await send(deps, credentials, {
      method: 'PROPFIND',
      url: at,
      depth: '0',
      body: properties,
    });
    const location =
      response.status >= 301 && response.status <= 308 ? headerOf(response, 'location') : undefined;
    if (location === undefined) {
      if (response.status !== 207) throw failureOf(response);
      const { resources } = readMultistatus(response, at);
      const found = resources.find((each) => isSamePlace(each.url, at)) ?? resources[0];
      return { url: at, status: found?.status ?? null, props: found?.props ?? new Map() };
    }
    const next = URL.canParse(location, at) ? new URL(location, at) : undefined;
    if (next === undefined || !isNoLessSecure(at, next)) break;
    if (!isWithin(url, next)) throw otherServerError(url, next);
    at = next.href;
  }
  throw new VendorError('rejected', `${new URL(url).origin} redirects too often or to an unusable address.`, {
    code: 'address_unusable',
    status: 302,
  });
}

/** False for a step from https to http. */
const isNoLessSecure = (from: string, to: URL) =>
  to.protocol === 'https:' || (to.protocol === 'http:' && from.startsWith('http:'));

/** True for the host of the given address and its subdomains. */
function isWithin(given: string, to: URL): boolean {
  const { hostname } = new URL(given);
  return to.hostname === hostname || to.hostname.endsWith(`.${hostname}`);
}

/**
 * Throws unless `named` may get the password (RFC 6764 section 8). Redirects are limited to the given host and its
 * subdomains. An address that the server returns after authentication may also be a sibling host, for example
 * `p34-caldav.icloud.com` for `caldav.icloud.com`.
 */
function checkNamedHost(given: string, named: string): void {
  const to = new URL(named);
  const parent = new URL(given).hostname.split('.').slice(1);
  const isBeside = parent.length >= 2 && to.hostname.endsWith(`.${parent.join('.')}`);
  if (isNoLessSecure(given, to) && (isWithin(given, to) || isBeside)) return;
  throw otherServerError(given, to);
}

const otherServerTitle = 'Another server';

function otherServerError(given: string, to: URL): VendorError {
  const text =
    `${new URL(given).host} redirects to ${to.host}. The password was not sent there. ` +
    `If your calendars are there, give ${to.origin}${to.pathname} as the address.`;
  return new VendorError('rejected', text, {
    code: 'address_unusable',
    title: otherServerTitle,
    status: 302,
  });
}

const isCalendar = (resource: Resource) =>
  containsElement(resource.props.get(names.type), caldav, 'calendar');

/** True if the calendar accepts events. Without the property it accepts everything (RFC 4791 section 5.2.3). */
function takesEvents(resource: Resource): boolean {
  const components = childrenOf(resource.props.get(names.components), caldav, 'comp');
  return components.length === 0 || components.some((each) => each.attributes.name === 'VEVENT');
}

/** True if the calendar is writable, or if the server does not report privileges (RFC 3744 section 5.4). */
function isWritable(resource: Resource): boolean {
  const property = resource.props.get(names.privileges);
  if (property === undefined || property.children.length === 0) return true;
  return ['all', 'write', 'write-content', 'bind'].some((name) => containsElement(property, dav, name));
}

// From an address, a name and a password to the account's calendars (RFC 6764, RFC 5397, RFC 4791 section 6.2).
import { VendorError } from '../../base/errors.ts';
import { calendarNotFound } from './credential.ts';
import { ask, failureOf, headerOf, readMultistatus, type SignIn, send, type Wire } from './dav-call.ts';
import {
  caldav,
  childrenOf,
  dav,
  holds,
  hrefsOf,
  isSamePlace,
  names,
  type Resource,
  requestXml,
} from './multistatus.ts';

export interface Found {
  homeUrl: string;
  /** The calendar that bookings are to be written to. */
  calendarUrl: string;
  /** The owner's mail addresses as the server names them, in lower case. */
  addresses: string[];
}

const maxRedirects = 5;
const properties = requestXml(
  'D:propfind',
  '<D:prop><D:resourcetype/><D:current-user-principal/><D:current-user-privilege-set/><C:calendar-home-set/>' +
    '<C:calendar-user-address-set/><C:supported-calendar-component-set/></D:prop>',
);

/**
 * Finds the account's calendars and chooses `calendarUrl`, or the address itself if it is a calendar, or the first that
 * takes events and may be written. Throws VendorError: `invalid_grant` (wrong name or password), `calendar_not_found`,
 * `address_unusable` (no CalDAV at that address), or what the network met.
 */
export async function discover(
  wire: Wire,
  signIn: SignIn,
  url: string,
  calendarUrl: string | undefined,
): Promise<Found> {
  const start = await firstAnswer(wire, signIn, url);
  const principalUrl = hrefsOf(start.props.get(names.principal), start.url)[0];
  if (principalUrl !== undefined) trustNamed(url, principalUrl);
  const principal = principalUrl === undefined ? start : await lookAt(wire, signIn, principalUrl);
  const addresses = hrefsOf(principal.props.get(names.addresses), principal.url)
    .filter((address) => address.toLowerCase().startsWith('mailto:'))
    .map((address) => decodeURIComponent(address.slice('mailto:'.length)).toLowerCase());
  const wished = calendarUrl ?? (isCalendar(start) ? start.url : undefined);
  const namedHome = hrefsOf(principal.props.get(names.home), principal.url)[0];
  if (namedHome !== undefined) trustNamed(url, namedHome);
  const homeUrl = namedHome ?? (wished && new URL('..', wished).href);
  if (homeUrl === undefined) throw nothingThere(url);
  if (wished !== undefined) {
    const chosen = await chosenCalendar(wire, signIn, wished, homeUrl);
    return { homeUrl, calendarUrl: chosen, addresses };
  }
  const listed = await ask(wire, signIn, { method: 'PROPFIND', url: homeUrl, depth: '1', body: properties });
  const first = listed.resources.find((each) => isCalendar(each) && takesEvents(each) && isWritable(each));
  if (first === undefined) {
    const text = 'There is no calendar in this account that takes events and may be written.';
    throw new VendorError('rejected', text, { code: 'calendar_not_found', title: 'No calendar' });
  }
  return { homeUrl, calendarUrl: first.url, addresses };
}

/** A calendar that the caller names: it must lie on the account's own server, since the password goes there. */
async function chosenCalendar(wire: Wire, signIn: SignIn, wished: string, homeUrl: string): Promise<string> {
  const url = URL.canParse(wished, homeUrl) ? new URL(wished, homeUrl) : undefined;
  if (url?.origin !== new URL(homeUrl).origin) throw calendarNotFound(wished);
  const found = await lookAt(wire, signIn, url.href).catch((error) => {
    throw error instanceof VendorError && error.status === 404 ? calendarNotFound(wished) : error;
  });
  if (!isCalendar(found) || !takesEvents(found)) throw calendarNotFound(wished);
  if (!isWritable(found)) throw readOnly(wished);
  return found.url;
}

export function readOnly(calendarUrl: string): VendorError {
  const text = `The calendar ${calendarUrl} may be read but not written with this name and password.`;
  return new VendorError('rejected', text, {
    code: 'calendar_read_only',
    title: 'Calendar cannot be written',
  });
}

function nothingThere(url: string): VendorError {
  const text = `No calendars were found by way of ${new URL(url).origin}. Give the address that its CalDAV clients use.`;
  return new VendorError('rejected', text, { code: 'address_unusable', title: 'No CalDAV here' });
}

/** The first of the usual places that knows us: the address itself, the well-known one of its host, its root. */
async function firstAnswer(wire: Wire, signIn: SignIn, url: string): Promise<Resource> {
  const places = [url, new URL('/.well-known/caldav', url).href, new URL('/', url).href];
  let failure: VendorError | undefined;
  let isElsewhere: VendorError | undefined;
  for (const place of new Set(places)) {
    try {
      const found = await lookAt(wire, signIn, place);
      if (found.props.has(names.principal) || found.props.has(names.home) || isCalendar(found)) return found;
    } catch (error) {
      if (!(error instanceof VendorError)) throw error;
      // Without any answer, or with the password refused, the other places would say nothing else.
      if (error.status === undefined) throw error;
      if (error.title === anotherServer) isElsewhere ??= error;
      if (failure?.code !== 'invalid_grant') failure = error;
    }
  }
  if (failure?.code === 'invalid_grant' || (failure?.status ?? 0) >= 500) throw failure;
  throw isElsewhere ?? nothingThere(url);
}

/** Looks at one resource, following redirects as far as the password may go. */
async function lookAt(wire: Wire, signIn: SignIn, url: string): Promise<Resource> {
  let at = url;
  for (let hop = 0; hop <= maxRedirects; hop += 1) {
    const answer = await send(wire, signIn, { method: 'PROPFIND', url: at, depth: '0', body: properties });
    const location = answer.status >= 301 && answer.status <= 308 ? headerOf(answer, 'location') : undefined;
    if (location === undefined) {
      if (answer.status !== 207) throw failureOf(answer);
      const { resources } = readMultistatus(answer, at);
      const found = resources.find((each) => isSamePlace(each.url, at)) ?? resources[0];
      return { url: at, status: found?.status ?? null, props: found?.props ?? new Map() };
    }
    const next = URL.canParse(location, at) ? new URL(location, at) : undefined;
    if (next === undefined || !isNoLessSecure(at, next)) break;
    if (!isWithin(url, next)) throw elsewhere(url, next);
    at = next.href;
  }
  throw new VendorError('rejected', `${new URL(url).origin} redirects in a way that cannot be followed.`, {
    code: 'address_unusable',
    status: 302,
  });
}

/** Never from https to http. */
const isNoLessSecure = (from: string, to: URL) =>
  to.protocol === 'https:' || (to.protocol === 'http:' && from.startsWith('http:'));

/** The host of the address that the caller gave, or one below it. */
function isWithin(given: string, to: URL): boolean {
  const { hostname } = new URL(given);
  return to.hostname === hostname || to.hostname.endsWith(`.${hostname}`);
}

/**
 * The password goes to no host that the caller did not mean (RFC 6764 section 8). A redirect, which anybody on the way
 * may have made, leads to the given host or below it. A place that the server names once it has the password may also
 * lie beside it (`p34-caldav.icloud.com` beside `caldav.icloud.com`).
 */
function trustNamed(given: string, named: string): void {
  const to = new URL(named);
  const parent = new URL(given).hostname.split('.').slice(1);
  const isBeside = parent.length >= 2 && to.hostname.endsWith(`.${parent.join('.')}`);
  if (isNoLessSecure(given, to) && (isWithin(given, to) || isBeside)) return;
  throw elsewhere(given, to);
}

const anotherServer = 'Another server';

function elsewhere(given: string, to: URL): VendorError {
  const text =
    `${new URL(given).host} sends us on to ${to.host}. The password was not sent there. ` +
    `If that is where the calendars are, give ${to.origin}${to.pathname} as the address.`;
  return new VendorError('rejected', text, { code: 'address_unusable', title: anotherServer, status: 302 });
}

const isCalendar = (resource: Resource) => holds(resource.props.get(names.type), caldav, 'calendar');

/** A server that does not say takes everything (RFC 4791 section 5.2.3). */
function takesEvents(resource: Resource): boolean {
  const components = childrenOf(resource.props.get(names.components), caldav, 'comp');
  return components.length === 0 || components.some((each) => each.attributes.name === 'VEVENT');
}

/** A server that does not say is tried (RFC 3744 section 5.4). */
function isWritable(resource: Resource): boolean {
  const property = resource.props.get(names.privileges);
  if (property === undefined || property.children.length === 0) return true;
  return ['all', 'write', 'write-content', 'bind'].some((name) => holds(property, dav, name));
}

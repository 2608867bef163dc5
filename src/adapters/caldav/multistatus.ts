// WebDAV's XML, in and out: requests written, multi-status answers read (RFC 4918, RFC 4791, RFC 6578). Pure.
import { SaxesParser } from 'saxes';

export const dav = 'DAV:';
export const caldav = 'urn:ietf:params:xml:ns:caldav';
const calendarServer = 'http://calendarserver.org/ns/';

/** Prefixes of the requests that `requestXml` writes. */
const declarations = `xmlns:D="${dav}" xmlns:C="${caldav}" xmlns:S="${calendarServer}"`;

/** An element, as far as DAV needs it. */
export interface Element {
  /** Its namespace and name, in `clark` form. */
  name: string;
  attributes: Record<string, string>;
  children: Element[];
  /** Everything written directly inside. */
  text: string;
}

/** The part of an answer that speaks of one resource. */
export interface Resource {
  /** Absolute. */
  url: string;
  /** Of the resource as a whole, where the server gave one. */
  status: number | null;
  /** The properties that were answered with 200, each by its namespace and name, in `clark` form. */
  props: Map<string, Element>;
}

export interface Multistatus {
  resources: Resource[];
  syncToken: string | null;
}

/** `{namespace}name`. */
export const clark = (namespace: string, name: string) => `{${namespace}}${name}`;
export const names = {
  calendarData: clark(caldav, 'calendar-data'),
  components: clark(caldav, 'supported-calendar-component-set'),
  ctag: clark(calendarServer, 'getctag'),
  etag: clark(dav, 'getetag'),
  home: clark(caldav, 'calendar-home-set'),
  addresses: clark(caldav, 'calendar-user-address-set'),
  principal: clark(dav, 'current-user-principal'),
  privileges: clark(dav, 'current-user-privilege-set'),
  reports: clark(dav, 'supported-report-set'),
  syncToken: clark(dav, 'sync-token'),
  timezone: clark(caldav, 'calendar-timezone'),
  type: clark(dav, 'resourcetype'),
} as const;

/** A request's document: `root` with `inner` in it, where D, C and S stand for the three namespaces. */
export function requestXml(root: string, inner: string): string {
  return `<?xml version="1.0" encoding="utf-8"?><${root} ${declarations}>${inner}</${root}>`;
}

export const escaped = (text: string) =>
  text.replace(/[<>&"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** No DAV answer nests deeper; a hostile one costs time by its depth. */
const maxDepth = 40;

/** Reads a document; throws an Error if it is not well-formed. Entities of its own are not resolved. */
export function parseXml(text: string): Element {
  // Five times as fast as a DOM: 0.03 ms an event.
  const parser = new SaxesParser({ xmlns: true, position: false });
  const top: Element = { name: '', attributes: {}, children: [], text: '' };
  const open = [top];
  parser.on('opentag', ({ uri, local, attributes }) => {
    if (open.length > maxDepth) throw new Error('it nests too deeply');
    const values = Object.entries(attributes).map(([name, { value }]) => [name, value]);
    const element = {
      name: clark(uri, local),
      attributes: Object.fromEntries(values),
      children: [],
      text: '',
    };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on('closetag', () => {
    open.pop();
  });
  const write = (each: string) => {
    const element = open.at(-1);
    if (element !== undefined) element.text += each;
  };
  parser.on('text', write);
  parser.on('cdata', write);
  parser.on('error', (error) => {
    throw error;
  });
  parser.write(text).close();
  const root = top.children[0];
  if (root === undefined) throw new Error('there is no XML in it');
  return root;
}

/** Reads a multi-status; throws an Error if it is none. `base`: against which its references are read. */
export function parseMultistatus(text: string, base: string): Multistatus {
  const root = parseXml(text);
  if (root.name !== clark(dav, 'multistatus')) throw new Error('it is no multi-status');
  const resources = childrenOf(root, dav, 'response').flatMap((response) => resourcesOf(response, base));
  return { resources, syncToken: textOf(childrenOf(root, dav, 'sync-token')[0]) || null };
}

function resourcesOf(response: Element, base: string): Resource[] {
  const props = new Map<string, Element>();
  for (const propstat of childrenOf(response, dav, 'propstat')) {
    if (statusOf(propstat) !== 200) continue;
    for (const prop of childrenOf(propstat, dav, 'prop')) {
      for (const each of prop.children) props.set(each.name, each);
    }
  }
  const status = statusOf(response);
  return childrenOf(response, dav, 'href').map((href) => ({
    url: absolute(textOf(href), base),
    status,
    props,
  }));
}

/** `HTTP/1.1 200 OK` of a direct child. */
function statusOf(element: Element): number | null {
  const status = childrenOf(element, dav, 'status')[0];
  const found = /^\s*HTTP\/\S+\s+(\d{3})/.exec(textOf(status));
  return found ? Number(found[1]) : null;
}

/** References are to be encoded (RFC 3986); some servers leave characters as they are, which URL mends. */
function absolute(href: string, base: string): string {
  return URL.canParse(href, base) ? new URL(href, base).href : base;
}

/** True if two addresses differ in nothing but how their path is encoded. */
export function isSamePlace(a: string, b: string): boolean {
  const place = (url: string) => {
    try {
      return decodeURIComponent(new URL(url).pathname);
    } catch {
      return new URL(url).pathname;
    }
  };
  return place(a) === place(b) && new URL(a).origin === new URL(b).origin;
}

export function childrenOf(element: Element | undefined, namespace: string, name: string): Element[] {
  return element?.children.filter((each) => each.name === clark(namespace, name)) ?? [];
}

export const textOf = (element: Element | undefined): string => element?.text.trim() ?? '';

/** The references inside a property, absolute. */
export function hrefsOf(property: Element | undefined, base: string): string[] {
  return childrenOf(property, dav, 'href').map((href) => absolute(textOf(href), base));
}

/** True if an element of that name stands anywhere inside. */
export function holds(property: Element | undefined, namespace: string, name: string): boolean {
  const wanted = clark(namespace, name);
  const within = ({ children }: Element): boolean =>
    children.some((each) => each.name === wanted || within(each));
  return property !== undefined && within(property);
}

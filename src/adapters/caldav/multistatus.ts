// WebDAV's XML, in and out: requests written, multi-status answers read (RFC 4918, RFC 4791, RFC 6578). Pure.
import { DOMParser, type Element } from '@xmldom/xmldom';

export const dav = 'DAV:';
export const caldav = 'urn:ietf:params:xml:ns:caldav';
const calendarServer = 'http://calendarserver.org/ns/';

/** Prefixes of the requests that `requestXml` writes. */
const declarations = `xmlns:D="${dav}" xmlns:C="${caldav}" xmlns:S="${calendarServer}"`;

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

/** Reads a document; throws an Error if it is not well-formed. Entities of its own are not resolved. */
export function parseXml(text: string): Element {
  const parser = new DOMParser({
    onError: (level, message) => {
      if (level !== 'warning') throw new Error(message);
    },
  });
  const root = parser.parseFromString(text, 'text/xml').documentElement;
  if (root === null) throw new Error('there is no XML in it');
  return root;
}

/** Reads a multi-status; throws an Error if it is none. `base`: against which its references are read. */
export function parseMultistatus(text: string, base: string): Multistatus {
  const root = parseXml(text);
  if (root.namespaceURI !== dav || root.localName !== 'multistatus') throw new Error('it is no multi-status');
  const resources = childrenOf(root, dav, 'response').flatMap((response) => resourcesOf(response, base));
  return { resources, syncToken: textOf(childrenOf(root, dav, 'sync-token')[0]) || null };
}

function resourcesOf(response: Element, base: string): Resource[] {
  const props = new Map<string, Element>();
  for (const propstat of childrenOf(response, dav, 'propstat')) {
    if (statusOf(propstat) !== 200) continue;
    for (const prop of childrenOf(propstat, dav, 'prop')) {
      for (const each of elementsOf(prop))
        props.set(clark(each.namespaceURI ?? '', each.localName ?? ''), each);
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

export function elementsOf(element: Element): Element[] {
  return Array.from(element.childNodes).filter((node): node is Element => node.nodeType === 1);
}

export function childrenOf(element: Element | undefined, namespace: string, name: string): Element[] {
  if (element === undefined) return [];
  return elementsOf(element).filter((each) => each.namespaceURI === namespace && each.localName === name);
}

export const textOf = (element: Element | undefined): string => element?.textContent?.trim() ?? '';

/** The references inside a property, absolute. */
export function hrefsOf(property: Element | undefined, base: string): string[] {
  return childrenOf(property, dav, 'href').map((href) => absolute(textOf(href), base));
}

/** True if an element of that name stands anywhere inside. */
export function holds(property: Element | undefined, namespace: string, name: string): boolean {
  return property !== undefined && property.getElementsByTagNameNS(namespace, name).length > 0;
}

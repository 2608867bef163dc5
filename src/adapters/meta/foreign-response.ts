// Responses of proxies, firewalls and captive portals instead of the platform, and whether the call was sent.
import { VendorError } from '../../base/errors.ts';
import type { OutgoingResponse } from '../../base/outgoing/outgoing.ts';
import { httpPrefix } from './error-codes.ts';
import { retryAfterOf } from './retry-after.ts';

/**
 * True for statuses that say that the request was not forwarded (RFC 9110 section 15): redirects that keep the method, and
 * client errors except those below. After 302 and 303, a POST may have been carried out; a page with 2xx may replace the
 * response of a forwarded call.
 */
function isSurelyNotSent(status: number): boolean {
  if (status === 301 || status === 307 || status === 308) return true;
  return status >= 400 && status < 500 && !mayHavePassed.has(status);
}

/** 408: the server timed out, maybe waiting for the platform. 499: nginx lost its client. */
const mayHavePassed = new Set([408, 499]);

/** How many bytes of a page are read, and how many characters are quoted. */
const readBytesMax = 8 * 1024;
const quotedMax = 200;

/** Elements with invisible content. */
const hiddenElements = ['script', 'style', 'head'];

/** True if a tag with exactly that name starts at `at`. */
const isTag = (page: string, at: number, name: string): boolean =>
  page.startsWith(name, at + 1) && !/\w/.test(page.charAt(at + 1 + name.length));

/** The text of a page without its tags. Takes linear time even for broken pages. */
function textOfPage(page: string): string {
  const lower = page.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  let text = '';
  for (let at = 0; at < page.length; ) {
    const tag = page.indexOf('<', at);
    if (tag < 0) return text + page.slice(at);
    text += `${page.slice(at, tag)} `;
    const hidden = hiddenElements.find((name) => isTag(lower, tag, name));
    const from = hidden ? lower.indexOf(`</${hidden}`, tag) : tag;
    // never closed: the rest is invisible
    if (from < 0) return text;
    const end = page.indexOf('>', from);
    if (end < 0) return text;
    at = end + 1;
  }
  return text;
}

/** The visible text of a page or other bytes in one short line; undefined if there is none. */
function excerptOf(body: Buffer): string | undefined {
  const text = textOfPage(body.subarray(0, readBytesMax).toString())
    .replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S}]+/gu, ' ')
    .trim();
  return text === '' ? undefined : text.slice(0, quotedMax).toWellFormed();
}

const isPage = ({ headers, body }: OutgoingResponse): boolean =>
  /\bx?html\b/i.test(String(headers['content-type'] ?? '')) ||
  /^\s*<(!doctype|html)/i.test(body.toString('latin1', 0, 256));

/**
 * Converts a response without the platform's JSON to an error: `rejected` if nothing was sent, so that the message waits,
 * else `unknown`. The code `http_<status>` slows the number down (429) or halts it (others), even after an unknown outcome:
 * a page instead of a response would follow every call. A single 408, 5xx or truncated response has no code.
 */
export function foreignResponse(response: OutgoingResponse): VendorError {
  const { status } = response;
  const excerpt = excerptOf(response.body);
  const what = `HTTP ${status} without a response of the platform: check the proxy, the firewall and apiUrl`;
  const text = excerpt === undefined ? `${what}. It had no text.` : `${what}. It says: "${excerpt}"`;
  const details = { status, title: `HTTP ${status}`, ...retryAfterOf(response) };
  const code = `${httpPrefix}${status}`;
  if (isSurelyNotSent(status)) return new VendorError('rejected', text, { ...details, code });
  const isLasting = status < 400 && (status >= 300 || isPage(response));
  return new VendorError('unknown', text, isLasting ? { ...details, code } : details);
}

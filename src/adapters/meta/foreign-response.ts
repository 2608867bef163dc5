// Answers that are not the platform's: a proxy's, a firewall's, a captive portal's; which of them surely sent nothing.
import { VendorError } from '../../base/errors.ts';
import type { OutgoingResponse } from '../../base/outgoing.ts';
import { httpPrefix } from './error-codes.ts';
import { retryAfterOf } from './retry-after.ts';

/**
 * Statuses by which whoever answers says that the request went no further (RFC 9110 section 15): a redirect to
 * elsewhere that repeats the method, and every client error, but for those below. After 302 and 303 a POST may have
 * been carried out, and a page with 2xx may replace the answer of a call that passed.
 */
function isSurelyNotSent(status: number): boolean {
  if (status === 301 || status === 307 || status === 308) return true;
  return status >= 400 && status < 500 && !mayHavePassed.has(status);
}

/** 408: the server gave up waiting, maybe for the platform. 499: nginx, whose caller went away. */
const mayHavePassed = new Set([408, 499]);

/** Of a page, this much is looked at, and this much is quoted. */
const lookedAtBytes = 8 * 1024;
const quotedMax = 200;

/** Elements whose content is not for people. */
const hiddenElements = ['script', 'style', 'head'];

/** True if the tag of that name, and not of a longer one, begins at `at`. */
const isTag = (page: string, at: number, name: string): boolean =>
  page.startsWith(name, at + 1) && !/\w/.test(page.charAt(at + 1 + name.length));

/** A page's text without its tags, in time linear in its length, however broken it is. */
function textOfPage(page: string): string {
  const lower = page.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  let text = '';
  for (let at = 0; at < page.length; ) {
    const tag = page.indexOf('<', at);
    if (tag < 0) return text + page.slice(at);
    text += `${page.slice(at, tag)} `;
    const hidden = hiddenElements.find((name) => isTag(lower, tag, name));
    const from = hidden ? lower.indexOf(`</${hidden}`, tag) : tag;
    // never closed: what follows is not for people
    if (from < 0) return text;
    const end = page.indexOf('>', from);
    if (end < 0) return text;
    at = end + 1;
  }
  return text;
}

/** The visible text of a page or of other bytes, in one short line; undefined if there is none. */
function excerptOf(body: Buffer): string | undefined {
  const text = textOfPage(body.subarray(0, lookedAtBytes).toString())
    .replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S}]+/gu, ' ')
    .trim();
  return text === '' ? undefined : text.slice(0, quotedMax).toWellFormed();
}

const isPage = ({ headers, body }: OutgoingResponse): boolean =>
  /\bx?html\b/i.test(String(headers['content-type'] ?? '')) ||
  /^\s*<(!doctype|html)/i.test(body.toString('latin1', 0, 256));

/**
 * What an answer without the platform's JSON came to. Refused where nothing was surely sent, so that the message waits
 * (429: its number slows down; all else: it is halted); else unknown, since it may have been sent. The code is
 * `http_<status>` where the number should halt or slow down, for an unknown outcome too: a page instead of an answer
 * comes to every call alike. A lone 408, 5xx or answer cut short says nothing about the next call and has no code.
 */
export function foreignResponse(response: OutgoingResponse): VendorError {
  const { status } = response;
  const excerpt = excerptOf(response.body);
  const what = `HTTP ${status} without the platform's own answer: check the proxy, the firewall and apiUrl`;
  const text = excerpt === undefined ? `${what}. It had no text.` : `${what}. It says: "${excerpt}"`;
  const details = { status, title: `HTTP ${status}`, ...retryAfterOf(response) };
  const code = `${httpPrefix}${status}`;
  if (isSurelyNotSent(status)) return new VendorError('refused', text, { ...details, code });
  const isLasting = status < 400 && (status >= 300 || isPage(response));
  return new VendorError('unknown', text, isLasting ? { ...details, code } : details);
}

// Email addresses with domains in any script, and their ASCII form, which calendars and mail servers use. Pure.
import { domainToASCII, domainToUnicode } from 'node:url';

const localPart = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i;
const asciiDomain = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;
const isAscii = (text: string) => /^[\x21-\x7e]*$/.test(text);

interface Parts {
  local: string;
  domain: string;
}

function partsOf(email: string): Parts {
  const at = email.lastIndexOf('@');
  return { local: email.slice(0, Math.max(at, 0)), domain: email.slice(at + 1) };
}

/**
 * Returns what is wrong with an address, or undefined. The domain may be internationalized (RFC 5890). The part before
 * the @ must be ASCII, because some calendar providers accept only RFC 5322 addresses of guests.
 */
export function emailProblem(email: string): string | undefined {
  const { local, domain } = partsOf(email);
  // domainToASCII would cut the domain at these characters, as in a URL
  const ascii = isAscii(domain) ? domain : /[\s/?#\\:%]/.test(domain) ? '' : domainToASCII(domain);
  if (/[^\0-\x7f]/.test(local) && asciiDomain.test(ascii))
    return 'must have only ASCII characters before the @: calendars cannot invite other addresses';
  const isValid = localPart.test(local) && local.length <= 64 && asciiDomain.test(ascii);
  return isValid && asciiEmail(email).length <= 254
    ? undefined
    : 'must be an email address, such as ada@example.com';
}

/** The address with its domain in ASCII (`xn--…`), as calendars and mail servers use it. */
export function asciiEmail(email: string): string {
  const { local, domain } = partsOf(email);
  return isAscii(domain) ? email : `${local}@${domainToASCII(domain)}`;
}

/** The address as stored: an internationalized domain is normalized (lower case, NFC); others stay unchanged. */
export function normalizedEmail(email: string): string {
  const { local, domain } = partsOf(email);
  return isAscii(domain) ? email : `${local}@${domainToUnicode(domainToASCII(domain))}`;
}

/** The lower-case spellings in which an address may be stored: its domain in its own script, and in ASCII. */
export function emailSpellings(email: string): string[] {
  const { local, domain } = partsOf(email.toLowerCase());
  const domains = new Set([domain, domainToASCII(domain), domainToUnicode(domain)]);
  return [...domains].map((each) => (email.includes('@') ? `${local}@${each}` : each));
}

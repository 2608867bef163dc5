// Redaction of a call's own secrets in its response: vendors repeat headers and fields in their errors. Pure.
import { VendorError } from '../errors.ts';

/** Replaces a secret. */
const censored = '[secret]';

/** Minimum length in bytes that are still to be parsed: shorter secrets could be words of the protocol. */
const minLengthInBytes = 8;
/** Minimum length in messages: shorter secrets would match words. */
const minLengthInTexts = 4;
/** A text may be truncated in the middle of a secret: a prefix of this length at its end is redacted. */
const minLengthAtEnd = 6;

/** The parts of a request that may contain secrets. */
export interface SentRequest {
  url: string | URL;
  headers?: Record<string, string> | undefined;
  body?: unknown;
}

const secretHeader = /authorization|cookie|token|secret|api-?key|password/i;
const secretField = /token|secret|password|assertion|signature|^(code|code_verifier|sig|key)$/i;

/**
 * Returns the secrets of a request: credentials in its headers (for Basic, also the decoded pair), in its URL, and in form
 * fields. The password of a Basic pair is not included, because it could be a word of the protocol. Adapters redact it in texts.
 */
export function secretsOf({ url, headers = {}, body }: SentRequest): string[] {
  const secrets: string[] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (secretHeader.test(name)) secrets.push(...credentials(value));
  }
  const parsed = URL.canParse(String(url)) ? new URL(url) : undefined;
  if (parsed) secrets.push(decoded(parsed.password), ...secretFields(parsed.searchParams));
  const isForm = Object.entries(headers).some(
    ([name, value]) => /^content-type$/i.test(name) && value.includes('x-www-form-urlencoded'),
  );
  if (isForm && typeof body === 'string') secrets.push(...secretFields(new URLSearchParams(body)));
  return secrets.filter((one) => one !== '');
}

/** `Bearer x` → x; `Basic x` → x and the decoded pair; anything else is one secret. */
function credentials(header: string): string[] {
  const [, scheme = '', rest = header] = /^(\w+) (.+)$/.exec(header) ?? [];
  // an app's own token is `APP_ID|APP_SECRET`
  if (!/^basic$/i.test(scheme)) return [rest, ...rest.split('|').slice(1)];
  return [rest, Buffer.from(rest, 'base64').toString()];
}

const secretFields = (fields: URLSearchParams): string[] =>
  [...fields].filter(([name]) => secretField.test(name)).map(([, value]) => value);

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const html: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** The encodings in which a secret may be repeated: plain, URL, form, JSON, HTML and base64. */
function encodingsOf(secret: string): string[] {
  const url = encodeURIComponent(secret.toWellFormed());
  const json = JSON.stringify(secret).slice(1, -1);
  const base64 = Buffer.from(secret).toString('base64');
  return [
    ...[secret, url, url.replace(/%../g, (hex) => hex.toLowerCase())],
    ...[new URLSearchParams({ x: secret }).toString().slice(2), json, json.replaceAll('/', '\\/')],
    ...[secret.replace(/[&<>"']/g, (char) => html[char] ?? char), base64, base64.replaceAll('/', '\\/')],
    ...[base64.replace(/=+$/, ''), Buffer.from(secret).toString('base64url')],
  ];
}

interface Encodings {
  inTexts: string[];
  /** In Latin-1, one character per byte. */
  inBytes: string[];
}

/** Keyed by the list of secrets: all deliveries of an endpoint use the same list. */
const encodingsByList = new WeakMap<readonly string[], Encodings>();

/** The encodings of all secrets, longest first. */
function allEncodings(secrets: readonly string[]): Encodings {
  const known = encodingsByList.get(secrets);
  if (known) return known;
  const all = [...new Set(secrets.flatMap(encodingsOf))].sort((a, b) => b.length - a.length);
  const forms = {
    inTexts: all.filter((form) => form.length >= minLengthInTexts),
    inBytes: all
      .filter((form) => form.length >= minLengthInBytes)
      .map((form) => Buffer.from(form).toString('latin1')),
  };
  encodingsByList.set(secrets, forms);
  return forms;
}

function redact(text: string, forms: readonly string[]): string {
  let left = text;
  for (const form of forms) if (left.includes(form)) left = left.replaceAll(form, censored);
  return left;
}

/** Redacts a prefix of an encoding at the end of the text, which may have been truncated there. */
function redactAtEnd(text: string, forms: readonly string[]): string {
  for (const form of forms) {
    const beginning = form.slice(0, minLengthAtEnd);
    let at = text.indexOf(beginning, Math.max(0, text.length - form.length + 1));
    while (at >= 0 && !form.startsWith(text.slice(at))) at = text.indexOf(beginning, at + 1);
    if (at >= 0) return text.slice(0, at) + censored;
  }
  return text;
}

/** Redacts these secrets in a text, in all their encodings. */
export function redactText(text: string, secrets: readonly string[]): string {
  const { inTexts } = allEncodings(secrets);
  return redactAtEnd(redact(text, inTexts), inTexts);
}

/** Shorter responses were not truncated by any limit. */
const mayBeTruncatedBytes = 4_096;

/** Redacts secrets in the bytes of a response, whatever their charset. Returns the same buffer if there are none. */
export function redactBytes(bytes: Buffer, secrets: readonly string[]): Buffer {
  const { inBytes } = allEncodings(secrets);
  // one character per byte, so that invalid UTF-8 is preserved
  const text = bytes.toString('latin1');
  const left = redact(text, inBytes);
  const whole = bytes.length < mayBeTruncatedBytes ? left : redactAtEnd(left, inBytes);
  return whole === text ? bytes : Buffer.from(whole, 'latin1');
}

/** Redacts secrets in the headers of a response. */
function redactHeaders<T extends Record<string, string | string[] | undefined>>(
  headers: T,
  secrets: readonly string[],
): T {
  const { inBytes } = allEncodings(secrets);
  const one = (value: string) => redact(value, inBytes);
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(one) : value === undefined ? value : one(value),
    ]),
  ) as T;
}

/** Longer than any word of a protocol: redacted in successful responses, too. */
const minLengthInSuccess = 16;

/**
 * Redacts the secrets of a request in its response. Errors are searched for all secrets. Successful responses contain data,
 * so they are searched only for the credentials of the Authorization header as sent.
 */
export function redactResponse<T extends Answer>(request: SentRequest, answer: T): T {
  if (answer.status >= 200 && answer.status < 300) {
    const sent = /\S+$/.exec(request.headers?.authorization ?? '')?.[0] ?? '';
    if (sent.length < minLengthInSuccess || !answer.body.includes(sent)) return answer;
  }
  const secrets = secretsOf(request);
  if (secrets.length === 0) return answer;
  return {
    ...answer,
    headers: redactHeaders(answer.headers, secrets),
    body: redactBytes(answer.body, secrets),
  };
}

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** Redacts secrets in a vendor's error and its causes. Returns other errors unchanged. */
export function redactError(error: unknown, secrets: readonly string[]): unknown {
  if (!(error instanceof VendorError)) return error;
  const clean = (text: string) => redactText(text, secrets);
  const { code, title, subcode, isTransient, retryAfterSeconds, status } = error;
  const details = {
    ...(code === undefined ? {} : { code: typeof code === 'string' ? clean(code) : code }),
    ...(title === undefined ? {} : { title: clean(title) }),
    ...(subcode === undefined ? {} : { subcode }),
    isTransient,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(status === undefined ? {} : { status }),
  };
  const isClean = clean(error.message) === error.message && details.title === title && details.code === code;
  if (isClean && isCleanCause(error.cause, clean)) return error;
  return new VendorError(error.outcome, clean(error.message), details);
}

function isCleanCause(cause: unknown, clean: (text: string) => string): boolean {
  if (!(cause instanceof Error)) return true;
  return clean(cause.message) === cause.message && isCleanCause(cause.cause, clean);
}

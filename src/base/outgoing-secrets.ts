// Cuts the secrets that a call sent out of what comes back: vendors repeat headers and fields in their errors. Pure.
import { VendorError } from './errors.ts';

/** Replaces a secret. */
const censored = '[secret]';

/** In bytes that are still to be parsed, only what cannot be a word of the protocol is cut. */
const leastInBytes = 8;
/** In texts for people; shorter secrets would match words. */
const leastInTexts = 4;
/** A text may be cut off in the middle of a secret: this much of its beginning is not left at the end. */
const leastAtEnd = 6;

/** The request, as far as it may hold secrets. */
export interface SentRequest {
  url: string | URL;
  headers?: Record<string, string> | undefined;
  body?: unknown;
}

const secretHeader = /authorization|cookie|token|secret|api-?key|password/i;
const secretField = /token|secret|password|assertion|signature|^(code|code_verifier|sig|key)$/i;

/**
 * The secrets of a request: credentials in its headers (of Basic also the decoded pair), in its URL, and in fields of a
 * form. A password within a Basic pair is not among them, since it may be a word of the protocol: whoever reads the
 * answer cuts it out of texts.
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

/** `Bearer x` → x; `Basic x` → x and the pair in it; anything else is one secret. */
function credentials(header: string): string[] {
  const [, scheme = '', rest = header] = /^(\w+) (.+)$/.exec(header) ?? [];
  if (!/^basic$/i.test(scheme)) return [rest];
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

/** The forms in which a secret may come back: as it is, and as URLs, forms, JSON, HTML and base64 write it. */
function formsOf(secret: string): string[] {
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

interface Forms {
  inTexts: string[];
  /** Written in Latin-1, one character a byte. */
  inBytes: string[];
}

/** By the list that they are of: an endpoint's secrets are the same for all its deliveries. */
const formsByList = new WeakMap<readonly string[], Forms>();

/** The forms of all these secrets, longest first. */
function formsOfAll(secrets: readonly string[]): Forms {
  const known = formsByList.get(secrets);
  if (known) return known;
  const all = [...new Set(secrets.flatMap(formsOf))].sort((a, b) => b.length - a.length);
  const forms = {
    inTexts: all.filter((form) => form.length >= leastInTexts),
    inBytes: all
      .filter((form) => form.length >= leastInBytes)
      .map((form) => Buffer.from(form).toString('latin1')),
  };
  formsByList.set(secrets, forms);
  return forms;
}

function cut(text: string, forms: readonly string[]): string {
  let left = text;
  for (const form of forms) if (left.includes(form)) left = left.replaceAll(form, censored);
  return left;
}

/** Without the beginning of any of these forms at the very end of the text, which was cut off there. */
function cutAtEnd(text: string, forms: readonly string[]): string {
  for (const form of forms) {
    const beginning = form.slice(0, leastAtEnd);
    let at = text.indexOf(beginning, Math.max(0, text.length - form.length + 1));
    while (at >= 0 && !form.startsWith(text.slice(at))) at = text.indexOf(beginning, at + 1);
    if (at >= 0) return text.slice(0, at) + censored;
  }
  return text;
}

/** The text without these secrets, in all forms that they may come back in. */
export function cutFromText(text: string, secrets: readonly string[]): string {
  const { inTexts } = formsOfAll(secrets);
  return cutAtEnd(cut(text, inTexts), inTexts);
}

/** Answers shorter than this were not cut off by anybody's limit. */
const mayBeCutOffBytes = 4_096;

/** The same for bytes of an answer, whatever their encoding; the same buffer if it holds none. */
export function cutFromBytes(bytes: Buffer, secrets: readonly string[]): Buffer {
  const { inBytes } = formsOfAll(secrets);
  // each byte is one character, so that bytes which are no UTF-8 stay as they are
  const text = bytes.toString('latin1');
  const left = cut(text, inBytes);
  const whole = bytes.length < mayBeCutOffBytes ? left : cutAtEnd(left, inBytes);
  return whole === text ? bytes : Buffer.from(whole, 'latin1');
}

/** The same for the headers of an answer. */
function cutFromHeaders<T extends Record<string, string | string[] | undefined>>(
  headers: T,
  secrets: readonly string[],
): T {
  const { inBytes } = formsOfAll(secrets);
  const one = (value: string) => cut(value, inBytes);
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(one) : value === undefined ? value : one(value),
    ]),
  ) as T;
}

/** Longer than any word of a protocol: cut out of answers that are a success, too. */
const leastInSuccess = 16;

/**
 * An answer without the secrets of its request. What is no success is searched whole; a success only for the token or
 * pair of its Authorization header as it was sent, since its content is data.
 */
export function withoutSecrets<T extends Answer>(request: SentRequest, answer: T): T {
  if (answer.status >= 200 && answer.status < 300) {
    const sent = /\S+$/.exec(request.headers?.authorization ?? '')?.[0] ?? '';
    if (sent.length < leastInSuccess || !answer.body.includes(sent)) return answer;
  }
  const secrets = secretsOf(request);
  if (secrets.length === 0) return answer;
  return {
    ...answer,
    headers: cutFromHeaders(answer.headers, secrets),
    body: cutFromBytes(answer.body, secrets),
  };
}

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** A vendor's error without these secrets, its causes included; anything else as it is. */
export function cutFromError(error: unknown, secrets: readonly string[]): unknown {
  if (!(error instanceof VendorError)) return error;
  const clean = (text: string) => cutFromText(text, secrets);
  const { code, title, subcode, retryAfterSeconds, status } = error;
  const said = {
    ...(code === undefined ? {} : { code: typeof code === 'string' ? clean(code) : code }),
    ...(title === undefined ? {} : { title: clean(title) }),
    ...(subcode === undefined ? {} : { subcode }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(status === undefined ? {} : { status }),
  };
  const isClean = clean(error.message) === error.message && said.title === title && said.code === code;
  if (isClean && isCleanCause(error.cause, clean)) return error;
  return new VendorError(error.outcome, clean(error.message), said);
}

function isCleanCause(cause: unknown, clean: (text: string) => string): boolean {
  if (!(cause instanceof Error)) return true;
  return clean(cause.message) === cause.message && isCleanCause(cause.cause, clean);
}

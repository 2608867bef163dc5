// Shared by both webhook verifiers: reading the headers and the secrets.
import type { WebhookEvent } from './generated.ts';

/** Headers as Node, Express, Fastify or fetch provide them, in any case. */
export type WebhookHeaders =
  | Record<string, string | string[] | undefined>
  | { get(name: string): string | null };

export interface VerifyOptions {
  /** How old a webhook may be. Default: 300. */
  toleranceSeconds?: number;
  nowMs?: number;
}

export interface VerifiedWebhook {
  /** The same on every attempt and replay of a delivery: store it to ignore repetitions. */
  id: string;
  event: WebhookEvent;
}

/** Thrown when a webhook is not genuine, too old, or malformed. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

/** What to verify: one of the signatures must be that of the content with one of the keys. */
export interface Claim {
  id: string;
  content: Uint8Array;
  signatures: Uint8Array[];
  keys: Uint8Array[];
  body: Uint8Array;
}

const encoder = new TextEncoder();

/** The bytes of a body. A body that was parsed is the receiver's mistake, not a forgery. */
function bytesOf(body: string | Uint8Array): Uint8Array {
  if (typeof body === 'string') return encoder.encode(body);
  // not instanceof: the bytes may come from another realm
  if (ArrayBuffer.isView(body)) return body;
  throw new TypeError('rawBody must be the bytes or text as received, before any JSON parsing.');
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (typeof (headers as Headers).get === 'function') return (headers as Headers).get(name) ?? undefined;
  const record = headers as Record<string, string | string[] | undefined>;
  const key = Object.keys(record).find((one) => one.toLowerCase() === name);
  const value = key === undefined ? undefined : record[key];
  return Array.isArray(value) ? value[0] : value;
}

/** Decodes base64 as Node does when the gateway signs: both alphabets, other characters ignored. */
function decoded(base64: string): Uint8Array {
  const [text = ''] = base64
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replaceAll(/[^A-Za-z0-9+/=]/g, '')
    .split('=');
  const whole = text.length % 4 === 1 ? text.slice(0, -1) : text;
  return Uint8Array.from(atob(whole), (letter) => letter.charCodeAt(0));
}

/** The key of a secret. An empty one would accept every forgery. */
function keyOf(secret: string): Uint8Array {
  const key = secret.startsWith('whsec_') ? decoded(secret.slice('whsec_'.length)) : encoder.encode(secret);
  if (key.length === 0) throw new WebhookVerificationError('A webhook secret contains no key.');
  return key;
}

function listOf(secrets: string | readonly string[]): string[] {
  const list = [secrets].flat().filter((secret) => typeof secret === 'string' && secret !== '');
  if (list.length === 0) throw new WebhookVerificationError('No webhook secret is configured.');
  return list;
}

/** The claim of the headers webhook-id, webhook-timestamp and webhook-signature. */
export function standardClaim(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  { toleranceSeconds = 300, nowMs = Date.now() }: VerifyOptions = {},
): Claim {
  const keys = listOf(secrets).map(keyOf);
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatureHeader = headerOf(headers, 'webhook-signature');
  if (!id || !timestamp || !signatureHeader)
    throw new WebhookVerificationError('A webhook header is missing.');
  if (!/^\d+$/.test(timestamp)) throw new WebhookVerificationError('webhook-timestamp is not a number.');
  if (Math.abs(nowMs / 1000 - Number(timestamp)) > toleranceSeconds)
    throw new WebhookVerificationError('The webhook is too old, or from the future.');
  const body = bytesOf(rawBody);
  const head = encoder.encode(`${id}.${timestamp}.`);
  const content = new Uint8Array(head.length + body.length);
  content.set(head);
  content.set(body, head.length);
  const signatures = signatureHeader
    .split(' ')
    .filter((one) => one.startsWith('v1,'))
    .map((one) => decoded(one.slice('v1,'.length)));
  return { id, content, signatures, keys, body };
}

/** The claim of the header x-webhook-signature. */
export function plainClaim(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
): Claim {
  const keys = listOf(secrets).map((secret) => encoder.encode(secret));
  const header = headerOf(headers, 'x-webhook-signature');
  if (!header) throw new WebhookVerificationError('The header x-webhook-signature is missing.');
  const hex = header.replace(/^sha256=/, '');
  if (!/^[0-9a-f]{64}$/i.test(hex)) throw new WebhookVerificationError('The signature is not 64 hex digits.');
  const signature = Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
  const body = bytesOf(rawBody);
  return { id: '', content: body, signatures: [signature], keys, body };
}

/** The event of a claim. Throws if it is not genuine. */
export function eventOf({ body }: Claim, isGenuine: boolean): WebhookEvent {
  if (!isGenuine) throw new WebhookVerificationError('No signature matches the body.');
  return JSON.parse(new TextDecoder().decode(body)) as WebhookEvent;
}

// Verifies webhooks of Chatbot Gateway: no dependency, Node 18 or later.
import { createHmac, timingSafeEqual } from 'node:crypto';

/** Thrown when a webhook is not genuine, too old, or malformed. */
export class WebhookVerificationError extends Error {
  constructor(message) {
    super(message);
    this.name = 'WebhookVerificationError';
  }
}

const read = (headers, name) => {
  if (typeof headers?.get === 'function') return headers.get(name) ?? undefined;
  const key = Object.keys(headers ?? {}).find((one) => one.toLowerCase() === name);
  const value = key === undefined ? undefined : headers[key];
  return Array.isArray(value) ? value[0] : value;
};

const standardKey = (secret) =>
  secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : Buffer.from(secret);

const equal = (a, b) => a.length === b.length && timingSafeEqual(a, b);

const listed = (secrets) => {
  const list = [secrets].flat().filter((secret) => typeof secret === 'string' && secret !== '');
  if (list.length === 0) throw new WebhookVerificationError('No webhook secret is configured.');
  return list;
};

/**
 * Checks the headers webhook-id, webhook-timestamp and webhook-signature against the exact bytes received, and answers
 * `{id, event}`: `id` is the same on every repeat of a delivery, so keep it to drop repeats; `event` is the parsed body.
 */
export function verifyWebhook(rawBody, headers, secrets, options = {}) {
  const { toleranceSeconds = 300, nowMs = Date.now() } = options;
  const keys = listed(secrets).map(standardKey);
  const id = read(headers, 'webhook-id');
  const timestamp = read(headers, 'webhook-timestamp');
  const signatures = read(headers, 'webhook-signature');
  if (!id || !timestamp || !signatures) throw new WebhookVerificationError('A webhook header is missing.');
  if (!/^\d+$/.test(timestamp)) throw new WebhookVerificationError('webhook-timestamp is not a number.');
  if (Math.abs(nowMs / 1000 - Number(timestamp)) > toleranceSeconds) {
    throw new WebhookVerificationError('The webhook is too old, or from the future.');
  }
  const body = Buffer.from(rawBody);
  const content = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
  const given = signatures
    .split(' ')
    .filter((one) => one.startsWith('v1,'))
    .map((one) => Buffer.from(one.slice('v1,'.length), 'base64'));
  const expected = keys.map((key) => createHmac('sha256', key).update(content).digest());
  if (!expected.some((digest) => given.some((one) => equal(one, digest)))) {
    throw new WebhookVerificationError('No signature fits the body.');
  }
  return { id, event: JSON.parse(body.toString('utf8')) };
}

/**
 * Checks the one header x-webhook-signature against the exact bytes received, and answers the parsed body. It carries
 * no time: a body once sent can be sent again by whoever saw it. Prefer `verifyWebhook`.
 */
export function verifySignature(rawBody, headers, secrets) {
  const header = read(headers, 'x-webhook-signature');
  if (!header) throw new WebhookVerificationError('The header x-webhook-signature is missing.');
  const hex = header.replace(/^sha256=/, '');
  if (!/^[0-9a-f]{64}$/i.test(hex)) throw new WebhookVerificationError('The signature is not 64 hex digits.');
  const body = Buffer.from(rawBody);
  const given = Buffer.from(hex, 'hex');
  const fits = listed(secrets).some((secret) =>
    equal(given, createHmac('sha256', secret).update(body).digest()),
  );
  if (!fits) throw new WebhookVerificationError('The signature does not fit the body.');
  return JSON.parse(body.toString('utf8'));
}

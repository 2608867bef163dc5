// Code to paste: an attempt as a request to one's own machine, and how to verify it. Pure.
import type { Attempt, DeliveryDetail } from '../../../client/src/generated.ts';

/** Text for a shell's single quotes. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Headers that curl writes itself. */
const ownHeaders = ['host', 'content-length'];

/** The attempt as a request to a receiver on the developer's machine, at the same path and with the headers that are known. */
export function curlOf(
  { body }: Pick<DeliveryDetail, 'body'>,
  { request }: Pick<Attempt, 'request'>,
): string {
  const path = request.url === null ? '/' : request.url.slice(new URL(request.url).origin.length);
  const headers = request.headers.flatMap(({ name, value }) =>
    value === null || ownHeaders.includes(name) ? [] : `-H ${quoted(`${name}: ${value}`)}`,
  );
  return [
    `curl -i ${quoted(`http://127.0.0.1:3000${path}`)}`,
    ...headers,
    `--data-binary ${quoted(body)}`,
  ].join(' \\\n  ');
}

/** How to verify `x-webhook-signature`, as in docs/webhooks.md and the README. */
export const verifying = {
  Node: `import { createHmac, timingSafeEqual } from 'node:crypto';

function genuine(rawBody, header, secret) {
  const [, hex] = /^sha256=([0-9a-f]{64})$/i.exec(header ?? '') ?? [];
  const expected = createHmac('sha256', secret).update(rawBody).digest();
  return hex !== undefined && timingSafeEqual(expected, Buffer.from(hex, 'hex'));
}`,
  Python: `import hashlib
import hmac
import re

def genuine(raw_body: bytes, header: str, secret: str) -> bool:
    found = re.fullmatch(r"sha256=([0-9a-f]{64})", header or "", re.IGNORECASE)
    expected = hmac.new(secret.encode(), raw_body, hashlib.sha256).hexdigest()
    return found is not None and hmac.compare_digest(expected, found[1].lower())`,
  PHP: `function genuine(string $rawBody, string $header, string $secret): bool
{
    return hash_equals('sha256=' . hash_hmac('sha256', $rawBody, $secret), strtolower($header));
}`,
} as const;
export type Language = keyof typeof verifying;
export const languages = Object.keys(verifying) as Language[];

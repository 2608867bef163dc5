// Decoding of compressed responses: no call asks for compression, but a proxy may still add it.
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib';

/** Content codings (RFC 9110 section 8.4.1; zstd: RFC 8878). Without `Accept-Encoding`, a response may use any (section 12.5.3). */
const decoders: Record<
  string,
  ((body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>) | undefined
> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
};

/** True if a response with these headers must be decoded. */
export function isEncoded(headers: Record<string, string | string[] | undefined>): boolean {
  return decoders[codingOf(headers)] !== undefined;
}

const codingOf = (headers: Record<string, string | string[] | undefined>): string =>
  String(headers['content-encoding'] ?? '')
    .trim()
    .toLowerCase();

/**
 * Decodes a whole response body. Returns the body unchanged if the result would exceed `maxBytes` or the body is not encoded
 * as its header says.
 */
export async function decodeBody(
  headers: Record<string, string | string[] | undefined>,
  body: Buffer,
  maxBytes: number,
): Promise<Buffer> {
  const decode = decoders[codingOf(headers)];
  if (!decode || body.length === 0) return body;
  return decode(body, { maxOutputLength: maxBytes }).catch(() => body);
}

// Decodes answers that came compressed, though no call of ours asks for that: a proxy on the way may do it all the same.
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib';

/** Content codings (RFC 9110 section 8.4.1; zstd: RFC 8878). Without `Accept-Encoding`, an answer may use any of them (12.5.3). */
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

/** True if an answer with these headers has to be decoded before it can be read. */
export function isCoded(headers: Record<string, string | string[] | undefined>): boolean {
  return decoders[codingOf(headers)] !== undefined;
}

const codingOf = (headers: Record<string, string | string[] | undefined>): string =>
  String(headers['content-encoding'] ?? '')
    .trim()
    .toLowerCase();

/**
 * The content of a whole answer in one of the known codings, at most `maxBytes` long. The bytes as they came, where they
 * are longer or are not what the header says.
 */
export async function decoded(
  headers: Record<string, string | string[] | undefined>,
  body: Buffer,
  maxBytes: number,
): Promise<Buffer> {
  const decode = decoders[codingOf(headers)];
  if (!decode || body.length === 0) return body;
  return decode(body, { maxOutputLength: maxBytes }).catch(() => body);
}

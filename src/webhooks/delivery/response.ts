// The receiver's response as it is stored: its first bytes, as text that the database accepts. Pure.
import { redactBytes } from '../../base/outgoing/secrets.ts';

export const keptResponseBytes = 4_096;

/**
 * The first 4,096 bytes as UTF-8, without a character that the cut divides; null if the response is empty. Removes `secrets` that the receiver
 * repeats. Invalid UTF-8 becomes U+FFFD, and so does NUL, which PostgreSQL rejects.
 */
export function keptResponse(response: Buffer, secrets: readonly string[] = []): string | null {
  if (response.length === 0) return null;
  const clean = redactBytes(response, secrets);
  const isCut = clean.length > keptResponseBytes;
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(clean.subarray(0, keptResponseBytes), {
    // drops a character that continues beyond the cut
    stream: isCut,
  });
  return text.replaceAll('\0', '\ufffd');
}

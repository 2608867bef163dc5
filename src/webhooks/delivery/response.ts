// What is kept of a receiver's answer: its first bytes, as text that the database can hold. Pure.
import { cutFromBytes } from '../../base/outgoing-secrets.ts';

/** Bytes of an answer that are kept. */
export const keptResponseBytes = 4_096;

/**
 * The first 4,096 bytes as UTF-8, less a character that the cut divides; what is not UTF-8, and NUL, which PostgreSQL
 * refuses, shows as U+FFFD. `secrets` that the receiver repeats are cut out first. Null of an empty answer.
 */
export function keptResponse(answer: Buffer, secrets: readonly string[] = []): string | null {
  if (answer.length === 0) return null;
  const clean = cutFromBytes(answer, secrets);
  const cut = clean.length > keptResponseBytes;
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(clean.subarray(0, keptResponseBytes), {
    // holds back a character that goes on beyond the cut
    stream: cut,
  });
  return text.replaceAll('\0', '\ufffd');
}

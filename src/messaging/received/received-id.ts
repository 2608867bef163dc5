// The id of an inbound message: a repeat of the platform makes the same one. Pure.
import { hash } from 'node:crypto';
import type { ReceivedMessage } from '../../ports/platform-received.ts';

/**
 * Returns a UUIDv7 of the platform's time and a SHA-256 over sender and the platform's message id, so that the primary key
 * drops a repeat, whatever partition it is in. Without a readable id it covers the whole object. Without a readable time
 * the time is 0: the time of arrival would differ for a repeat.
 */
export function receivedId(
  senderId: string,
  { messageRef, raw, timestamp }: Pick<ReceivedMessage, 'messageRef' | 'raw' | 'timestamp'>,
): string {
  const subject = messageRef === null ? `raw\n${raw}` : `id\n${messageRef}`;
  // text, not bytes: a small buffer costs more than the hash
  const digest = hash('sha256', `${senderId}\n${subject}`, 'hex');
  const time = ((timestamp ?? 0) * 1000).toString(16).padStart(12, '0');
  const variant = ((Number.parseInt(digest.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${digest.slice(13, 16)}-${variant}${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
}

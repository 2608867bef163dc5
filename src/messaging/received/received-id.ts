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
  const bytes = hash('sha256', `${senderId}\n${subject}`, 'buffer');
  bytes.writeUIntBE((timestamp ?? 0) * 1000, 0, 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex', 0, 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

// A message with what its call needs, and what is known of calls whose messages were stored as dispatching. Pure.

import { type PlatformMediaIds, storedFilesOf } from '../messages/media.ts';
import type { LeasedMessage } from '../messages/message.ts';

/** A message with everything its call needs, except the sender's access. */
export interface PreparedMessage {
  message: LeasedMessage;
  /** The platform's ids of its files. */
  platformMediaIds?: PlatformMediaIds;
}

/** A message whose files the platform knows by these ids. */
export function prepareWith(message: LeasedMessage, ids: PlatformMediaIds): PreparedMessage {
  const files = storedFilesOf(message.media_id, message.content);
  if (files.length === 0) return { message };
  return { message, platformMediaIds: new Map(files.map((id) => [id, ids.get(id) as string])) };
}

/** What is known of messages of one number that were stored as dispatching. */
export interface StoredCalls {
  /** When storing them began, of `clock.steady()`. */
  begunAtMs: number;
  /** The milliseconds until the first of their slots. */
  firstInMs: number;
  /** The platform's ids of all their files. */
  files: PlatformMediaIds;
}

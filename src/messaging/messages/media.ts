// The stored files that a message's call needs: that of its header, and those of its cards. Pure.
import type { FilledTemplate } from '../../ports/platform.ts';
import type { StoredReply } from './message.ts';

/** Our ids of the files, each once. Replies and contents of one-time codes that were removed have no cards. */
export function storedFilesOf(headerMediaId: string | null, content: FilledTemplate | StoredReply): string[] {
  const cards = ('cards' in content && content.cards) || [];
  if (headerMediaId === null && cards.length === 0) return [];
  const ofCards = cards.map(({ header }) => (header?.kind === 'media' ? header.mediaId : undefined));
  return [...new Set([headerMediaId, ...ofCards].filter((id) => id !== null && id !== undefined))];
}

/** The platform's ids of a message's files, by our ids. */
export type PlatformMediaIds = ReadonlyMap<string, string>;

// Contacts as the API returns them. Pure.
import { uuidTime } from '../../base/uuid-time.ts';
import type { ReceivedContent } from '../../ports/platform-received.ts';
import { windowMs } from '../contacts/window.ts';
import { type StoredReply, stateName } from '../messages/message.ts';
import type { ContactRow } from './list-store.ts';

const optOutNames = [null, 'marketing', 'all'] as const;

/** The item of lists (`contract/contacts.ts`); windows that have closed are left out. */
export function contactItem(row: ContactRow, nowMs: number) {
  const windows = row.windows.map(({ senderId, lastReceivedAt }) => ({
    senderId,
    closesAtMs: Date.parse(lastReceivedAt) + windowMs,
  }));
  return {
    _id: row.id,
    phone: row.phone,
    userId: row.user_id,
    name: row.name,
    lastReceivedAt: row.last_received_at?.toISOString() ?? null,
    windows: windows
      .filter(({ closesAtMs }) => closesAtMs > nowMs)
      .map(({ senderId, closesAtMs }) => ({ senderId, closesAt: new Date(closesAtMs).toISOString() })),
    optOut: optOutNames[row.opt_out] ?? null,
    unreadCount: row.unread,
    lastMessage: lastMessageOf(row),
  };
}

function lastMessageOf(row: ContactRow) {
  if (row.last_id === null) return null;
  const at = uuidTime(row.last_id).toISOString();
  if (row.received_type !== null) {
    const text = previewOf(receivedText(row.received_content ?? {}));
    return {
      direction: 'received',
      id: row.last_id,
      type: row.received_type,
      text,
      status: null,
      at,
    } as const;
  }
  if (row.reply_content === null) return null;
  const { reply } = row.reply_content;
  const text = previewOf(replyText(reply));
  const type = reply.kind === 'media' ? reply.media : reply.kind;
  return {
    direction: 'sent',
    id: row.last_id,
    type,
    text,
    status: stateName(row.reply_state ?? 0),
    at,
  } as const;
}

const receivedText = ({ text, button, interactive, media, location, reaction, order }: ReceivedContent) =>
  text ??
  button?.text ??
  interactive?.title ??
  interactive?.body ??
  media?.caption ??
  location?.name ??
  reaction?.emoji ??
  order?.text;

function replyText(reply: StoredReply['reply']): string | undefined {
  if ('text' in reply) return reply.text;
  if (reply.kind === 'media') return reply.caption;
  if (reply.kind === 'location') return reply.name;
  return reply.kind === 'reaction' ? reply.emoji : undefined;
}

const previewMaxCharacters = 200;

/** The beginning of a text; null if there is none. */
function previewOf(text: string | null | undefined): string | null {
  if (!text) return null;
  const start = [...text.slice(0, previewMaxCharacters * 2)];
  return start.slice(0, previewMaxCharacters).join('');
}

// The filter of the list of messages, as the address and the API write it. Pure.
import type { Message } from '../../../client/src/generated.ts';

export type Status = Message['status'];
export const statuses: Status[] = [
  'queued',
  'dispatching',
  'accepted',
  'sent',
  'delivered',
  'read',
  'failed',
];

export interface MessageFilter {
  status?: Status;
  phone?: string;
  messageId?: string;
  sendId?: string;
  templateId?: string;
}

const isStatus = (value: unknown): value is Status => statuses.some((status) => status === value);
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;

/** Reads the filter from the address. */
export function filterOf(search: Record<string, unknown>): MessageFilter {
  const { status, phone, messageId, sendId, templateId } = search;
  const filter = {
    phone: textOf(phone),
    messageId: textOf(messageId),
    sendId: textOf(sendId),
    templateId: textOf(templateId),
  };
  return Object.fromEntries(
    Object.entries({ ...filter, ...(isStatus(status) ? { status } : {}) }).filter(
      ([, value]) => value !== undefined,
    ),
  );
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** What a person typed into the search: one of our ids opens the message, the platform's id and a phone number are filters. */
export function searchOf(typed: string): { id: string } | Pick<MessageFilter, 'phone' | 'messageId'> {
  const text = typed.trim();
  if (uuid.test(text)) return { id: text };
  if (text.startsWith('wamid.')) return { messageId: text };
  const digits = text.replace(/[\s()+.-]/g, '');
  return digits === '' ? {} : { phone: digits };
}

/** What the search shows for a filter. */
export const typedOf = ({ phone, messageId }: MessageFilter): string => messageId ?? phone ?? '';

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

/** Ranges of time, in hours before now. */
export const ranges = [1, 24, 168, 720] as const;
export type Range = (typeof ranges)[number];

export interface MessageFilter {
  status?: Status;
  phone?: string;
  messageId?: string;
  /** Part of the recipient's name. */
  name?: string;
  /** An entry, as `key=value`. */
  metadata?: string;
  sendId?: string;
  templateId?: string;
  /** Only messages of so many hours. */
  hours?: Range;
}

const isStatus = (value: unknown): value is Status => statuses.some((status) => status === value);
const textOf = (value: unknown): string | undefined =>
  (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : undefined;

/** Reads the filter from the address. */
export function filterOf(search: Record<string, unknown>): MessageFilter {
  const { status, phone, messageId, name, metadata, sendId, templateId, hours } = search;
  const range = ranges.find((one) => one === hours);
  const filter = {
    phone: textOf(phone),
    messageId: textOf(messageId),
    name: textOf(name),
    metadata: textOf(metadata),
    sendId: textOf(sendId),
    templateId: textOf(templateId),
    ...(isStatus(status) ? { status } : {}),
    ...(range === undefined ? {} : { hours: range }),
  };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

/** The filter as the API takes it at `nowMs`. */
export function queryOf(
  { hours, ...filter }: MessageFilter,
  nowMs: number,
): Omit<MessageFilter, 'hours'> & { from?: string } {
  return hours === undefined
    ? filter
    : { ...filter, from: new Date(nowMs - hours * 3_600_000).toISOString() };
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The fields that the search fills. */
type Searched = Pick<MessageFilter, 'phone' | 'messageId' | 'name' | 'metadata'>;

/** What a person typed into the search: one of our ids opens the message; the platform's id, `key=value`, a number or a name are filters. */
export function searchOf(typed: string): { id: string } | Searched {
  const text = typed.trim();
  if (text === '') return {};
  if (uuid.test(text)) return { id: text };
  if (text.startsWith('wamid.')) return { messageId: text };
  if (/^[^=]+=/.test(text)) return { metadata: text };
  const digits = text.replace(/[\s()+.-]/g, '');
  return /^\d+$/.test(digits) ? { phone: digits } : { name: text };
}

/** The filter with another search. */
export function withSearch(filter: MessageFilter, found: Searched): MessageFilter {
  const { phone: _phone, messageId: _messageId, name: _name, metadata: _metadata, ...rest } = filter;
  return { ...rest, ...found };
}

/** What the search shows for a filter. */
export const typedOf = ({ phone, messageId, name, metadata }: MessageFilter): string =>
  messageId ?? phone ?? metadata ?? name ?? '';

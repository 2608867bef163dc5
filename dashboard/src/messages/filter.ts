// The filter of the list of messages, as the address and the API write it. Pure.
import type { Message } from '../../../client/src/generated.ts';
import { civilDate, instantOf } from '../text/civil.ts';

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

/** Ranges of time: in hours before now, or the day of the viewer's zone so far. */
export const ranges = [1, 'today', 24, 168, 720] as const;
export type Range = (typeof ranges)[number];

/** Messages of sends, or replies; both without a choice. */
export const kinds = ['template', 'reply'] as const;
export type Kind = (typeof kinds)[number];

export interface MessageFilter {
  status?: Status;
  kind?: Kind;
  phone?: string;
  messageId?: string;
  /** Part of the recipient's name. */
  name?: string;
  /** An entry, as `key=value`. */
  metadata?: string;
  sendId?: string;
  templateId?: string;
  senderId?: string;
  /** Only messages of so many hours, or of today. */
  hours?: Range;
}

const isStatus = (value: unknown): value is Status => statuses.some((status) => status === value);
const textOf = (value: unknown): string | undefined =>
  (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : undefined;

/** Reads the filter from the address. */
export function filterOf(search: Record<string, unknown>): MessageFilter {
  const { status, kind, phone, messageId, name, metadata, sendId, templateId, senderId, hours } = search;
  const range = ranges.find((one) => one === hours);
  const known = kinds.find((one) => one === kind);
  const filter = {
    phone: textOf(phone),
    messageId: textOf(messageId),
    name: textOf(name),
    metadata: textOf(metadata),
    sendId: textOf(sendId),
    templateId: textOf(templateId),
    senderId: textOf(senderId),
    ...(known ? { kind: known } : {}),
    ...(isStatus(status) ? { status } : {}),
    ...(range === undefined ? {} : { hours: range }),
  };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

type Query = Omit<MessageFilter, 'hours' | 'kind'> & { kind: Kind | 'all'; from?: string };

/** When the range begins. */
const startOf = (range: Range, nowMs: number, zone: string): Date =>
  range === 'today'
    ? instantOf(civilDate(new Date(nowMs), zone), 0, zone)
    : new Date(nowMs - range * 3_600_000);

/** The filter as the API takes it at `nowMs` in the zone. */
export const queryOf = ({ hours, kind, ...filter }: MessageFilter, nowMs: number, zone: string): Query => ({
  ...{ ...filter, kind: kind ?? 'all' },
  ...(hours === undefined ? {} : { from: startOf(hours, nowMs, zone).toISOString() }),
});

/** The address of a file of all messages of the filter's time and kind: the export knows no other filters. */
export function exportOf(filter: MessageFilter, nowMs: number, zone: string): string {
  const { kind, from } = queryOf(filter, nowMs, zone);
  return `/v1/messages.csv?${new URLSearchParams({ kind, ...(from ? { from } : {}) })}`;
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

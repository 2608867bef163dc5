// The recipients' phones: what arrived on each, what its owner wrote, and what they can press.
import { ControlError } from '../server.ts';
import type { Platform } from './call.ts';
import { requireNumber, type Written, writeToNumber } from './inbound.ts';
import type { Accepted } from './ledger.ts';
import { answerOf, type Press } from './presses.ts';
import { waIdOf } from './recipient.ts';

/** A phone with its newest message. */
export interface Phone {
  phone: string;
  /** When the newest message arrived or was written, in milliseconds of the sandbox's clock. */
  lastAt: number;
  lastNumberId: string;
  messages: number;
}

/** A message on a phone: one that arrived, with the business's opaque data, or one that its owner wrote. */
export type PhoneMessage = { id: string; numberId: string; at: number; seq: number } & (
  | {
      direction: 'arrived';
      opaque: string | null;
      /** `template`, or the kind of a reply. */
      type: string;
      /** True once the platform has reported it as read. */
      isRead: boolean;
    }
  | { direction: 'wrote'; type: string; text: string | null }
);

/** When a message is on the phone; undefined before, and for one that does not arrive. */
function arrivedAt({ steps, acceptedAt, type }: Accepted, nowMs: number): number | undefined {
  // old entries have no steps
  if (steps.length === 0) return acceptedAt;
  // a reaction is reported as sent only
  const arrival = steps.filter(
    ({ status }) => status === 'delivered' || status === 'read' || type === 'reaction',
  );
  const [first] = arrival.filter(({ status }) => status !== 'failed');
  return first !== undefined && first.at <= nowMs ? first.at : undefined;
}

/** True for a message of before the phones with messages of its number were cleared. */
const isCleared = ({ state }: Platform, numberId: string, atMs: number): boolean =>
  atMs <= (state.phonesClearedAt.get(numberId) ?? Number.NEGATIVE_INFINITY);

/**
 * Empties the phones of the messages of these numbers (separated by commas). What the platform knows beside it stays: reports that are
 * still due, and who wrote when, which decides what a business may send them.
 */
export function clearPhones({ state }: Platform, query: URLSearchParams): void {
  state.record(['phones-cleared', [...numbersOf(query.get('numbers'))], state.clock.now()]);
}

const numbersOf = (text: string | null): Set<string> => new Set((text ?? '').split(',').filter(Boolean));

/** The newest messages that a list looks at: phones of older ones are not in it. */
const scannedMax = 5_000;

function* messagesOn(platform: Platform, numbers: Set<string>): Iterable<PhoneMessage & { phone: string }> {
  const { state } = platform;
  const nowMs = state.clock.now();
  for (const entry of state.ledger.newest(scannedMax)) {
    const at = numbers.has(entry.phoneNumberId) ? arrivedAt(entry, nowMs) : undefined;
    if (at === undefined || entry.waId === '') continue;
    if (isCleared(platform, entry.phoneNumberId, entry.acceptedAt)) continue;
    const isRead = entry.steps.some(({ status, at: readAt }) => status === 'read' && readAt <= nowMs);
    const { wamid: id, phoneNumberId: numberId, opaque, type = 'template', seq } = entry;
    yield { phone: entry.waId, direction: 'arrived', ...{ id, numberId, at, seq, opaque, type, isRead } };
  }
  for (const wrote of state.conversations.newest(scannedMax)) {
    if (wrote.phone === null || !numbers.has(wrote.numberId)) continue;
    const { messageId: id, numberId, type, text = null } = wrote;
    const at = wrote.wroteAt ?? wrote.at;
    if (isCleared(platform, numberId, at)) continue;
    yield { phone: wrote.phone, direction: 'wrote', ...{ id, numberId, at, seq: 0, type, text } };
  }
}

/** The phones with messages of these numbers (separated by commas), the newest message first. */
export function listPhones(platform: Platform, query: URLSearchParams): { phones: Phone[] } {
  const phones = new Map<string, Phone>();
  for (const { phone, at, numberId } of messagesOn(platform, numbersOf(query.get('numbers')))) {
    const known = phones.get(phone);
    if (!known) phones.set(phone, { phone, lastAt: at, lastNumberId: numberId, messages: 1 });
    else {
      known.messages += 1;
      if (at >= known.lastAt) Object.assign(known, { lastAt: at, lastNumberId: numberId });
    }
  }
  const newest = [...phones.values()].sort((a, b) => b.lastAt - a.lastAt);
  return { phones: newest.slice(0, Number(query.get('limit') ?? 100)) };
}

/** The newest messages on a phone, oldest first. */
export function readPhone(
  platform: Platform,
  phone: string,
  query: URLSearchParams,
): { messages: PhoneMessage[] } {
  const waId = waIdOf(phone);
  const own = [...messagesOn(platform, numbersOf(query.get('numbers')))].filter(
    (one) => one.phone === waId || one.phone === phone,
  );
  own.sort((a, b) => a.at - b.at || a.seq - b.seq);
  return {
    messages: own.slice(-Number(query.get('limit') ?? 50)).map(({ phone: _, ...message }) => message),
  };
}

/** What the owner of a phone does: writes a text, or presses a button or a row of a message. */
export interface PhoneAct {
  text?: string;
  press?: Press;
}

/** Lets the owner of a phone act. 404 for a message that is not on the phone, 400 for a button that it does not have. */
export function actOnPhone(
  platform: Platform,
  phone: string,
  body: PhoneAct & { numberId?: string; numbers?: string[] },
): Written {
  const from = { phone: waIdOf(phone), name: 'Ada Lovelace' };
  const { text, press, numberId, numbers } = body;
  if (press === undefined) {
    if (typeof text !== 'string' || text === '') throw new ControlError(400, 'text: a text is required');
    const number = requireNumber(platform, String(numberId));
    return writeToNumber(platform, number.id, {
      messages: [{ from, kind: 'text', with: { text: { body: text } } }],
    });
  }
  const [entry] = platform.state.ledger.find({ wamid: press.messageId, limit: 1 });
  const isShown = entry?.waId === from.phone && numbers?.includes(entry.phoneNumberId) !== false;
  if (!entry || !isShown || isCleared(platform, entry.phoneNumberId, entry.acceptedAt))
    throw new ControlError(404, `no message ${press.messageId} on this phone`);
  const answer = answerOf(entry, platform.state.templates.get(entry.templateId)?.components, press);
  return writeToNumber(platform, entry.phoneNumberId, {
    messages: [{ from, kind: answer.kind, with: answer.with, quotes: entry.wamid }],
  });
}

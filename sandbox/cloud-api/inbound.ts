// People who write to a number: their messages, repeated and out of order if asked for, and changes of their ids.
import { createHash } from 'node:crypto';
import { ControlError } from '../server.ts';
import type { Platform } from './call.ts';
import { type InboundFile, inboundKinds, sampleFiles } from './inbound-kinds.ts';
import type { PhoneNumber } from './model.ts';
import { contactOf, type InboundPerson, userIdOf } from './person.ts';
import { postCallback } from './template-changes.ts';
import { newNumericId, newWamid } from './wamid.ts';
import { textOfWritten } from './written-text.ts';

export interface InboundMessage {
  from: InboundPerson;
  /** One of `inboundKinds`, or any word: it becomes the type. */
  kind: string;
  /** Members that replace or complete those of the kind. */
  with?: Record<string, unknown>;
  /** The file of a media kind, in base64; default: a small one. */
  file?: { base64: string; mimeType: string; fileName?: string };
  /** The message that this one quotes. */
  quotes?: string;
  /** Epoch seconds; default: now, by the sandbox's clock. */
  timestamp?: number;
  /** Default: a new one. */
  id?: string;
}

export interface InboundWrite {
  messages: InboundMessage[];
  /** One callback for each message; default: one for all of them. */
  separate?: boolean;
  /** The callbacks come in the opposite order. */
  reversed?: boolean;
  /** How many more times each callback comes, with the same ids. */
  repeats?: number;
  /** Values among the messages that no program can read. */
  poison?: unknown[];
}

export interface Written {
  messages: { id: string; mediaId: string | null }[];
}

/** The number with this id; 404 if there is none. */
export function requireNumber({ state }: Platform, id: string): PhoneNumber {
  const number = state.numbers.get(id);
  if (!number) throw new ControlError(404, `no number ${id}`);
  return number;
}

function requirePerson(person: InboundPerson | undefined): InboundPerson {
  if (!person || (person.phone === undefined && person.userId === undefined))
    throw new ControlError(400, 'from: an object with phone or userId');
  return person;
}

/** Stores the file of a message, which the platform keeps for seven days. */
function receivedFile(
  platform: Platform,
  number: PhoneNumber,
  message: InboundMessage,
): InboundFile | undefined {
  const sample = sampleFiles[message.kind];
  if (!sample && !message.file) return undefined;
  const bytes = message.file
    ? Buffer.from(message.file.base64, 'base64')
    : Buffer.from(sample?.hex ?? '', 'hex');
  const mimeType = message.file?.mimeType ?? sample?.mimeType ?? 'application/octet-stream';
  const digest = createHash('sha256').update(bytes).digest();
  const id = message.kind === 'voicemail' ? `wacid.${newNumericId()}` : newNumericId();
  platform.mediaBytes.keep(id, bytes);
  platform.state.record([
    'media',
    {
      ...{ id, phoneNumberId: number.id, mimeType, sizeBytes: bytes.length, isReceived: true },
      ...{ sha256: digest.toString('hex'), uploadedAt: platform.state.clock.now() },
    },
  ]);
  const fileName = message.file?.fileName ?? sample?.fileName;
  return { id, mimeType, sha256: digest.toString('base64'), ...(fileName === undefined ? {} : { fileName }) };
}

const withoutFile: InboundFile = { id: '', mimeType: '', sha256: '' };

/** One element of `messages`, and its file. */
function built(platform: Platform, number: PhoneNumber, message: InboundMessage) {
  const from = requirePerson(message.from);
  const file = receivedFile(platform, number, message);
  const kind = inboundKinds[message.kind];
  const id = message.id ?? newWamid(from.phone ?? number.displayPhoneNumber.replace(/\D/g, ''));
  const seconds = message.timestamp ?? Math.floor(platform.state.clock.now() / 1000);
  const userId = userIdOf(from, number.wabaId);
  const element = {
    ...(from.phone === undefined ? {} : { from: from.phone }),
    from_user_id: userId,
    ...(from.parentUserId === undefined ? {} : { from_parent_user_id: from.parentUserId }),
    ...{ id, timestamp: String(seconds) },
    ...(message.quotes === undefined
      ? {}
      : { context: { from: number.displayPhoneNumber.replace(/\D/g, ''), id: message.quotes } }),
    ...(kind ? kind(file ?? withoutFile) : { type: message.kind }),
    ...message.with,
  };
  const phone = from.phone ?? null;
  const text = textOfWritten(element);
  const wroteAt = message.timestamp === undefined ? platform.state.clock.now() : seconds * 1000;
  const wrote = {
    numberId: number.id,
    messageId: id,
    type: message.kind,
    userId,
    phone,
    at: seconds * 1000,
    wroteAt,
    text,
  };
  platform.state.record(['wrote', wrote]);
  return { element, from, id, mediaId: file?.id ?? null };
}

/** The value of a change about a number. */
export function callbackValue(number: PhoneNumber, more: object): object {
  return {
    messaging_product: 'whatsapp',
    metadata: {
      display_phone_number: number.displayPhoneNumber.replace(/\D/g, ''),
      phone_number_id: number.id,
    },
    ...more,
  };
}

/** Lets people write to a number. The callbacks are repeated, like all others, until they are acknowledged. */
export function writeToNumber(platform: Platform, numberId: string, write: InboundWrite): Written {
  const number = requireNumber(platform, numberId);
  if (!Array.isArray(write.messages)) throw new ControlError(400, 'messages: a list');
  const messages = write.messages.map((message) => built(platform, number, message));
  const perSecond = number.messagesPerSecond ?? platform.state.settings.messagesPerSecond;
  platform.rateLimits.received(number.id, perSecond, messages.length);
  const groups = write.separate ? messages.map((one) => [one]) : [messages];
  if (write.reversed) groups.reverse();
  const values = groups.map((group, index) => {
    const contacts = new Map(
      group.map(({ from }) => [userIdOf(from, number.wabaId), contactOf(from, number.wabaId)]),
    );
    const poison = index === 0 ? (write.poison ?? []) : [];
    return callbackValue(number, {
      contacts: [...contacts.values()],
      messages: [...poison, ...group.map(({ element }) => element)],
    });
  });
  for (let copy = 0; copy <= (write.repeats ?? 0); copy++) {
    for (const value of values) postCallback(platform, number.wabaId, 'messages', value);
  }
  return { messages: messages.map(({ id, mediaId }) => ({ id, mediaId })) };
}

export interface IdentityChange {
  from: InboundPerson;
  /** The new number and id. A new number always comes with a new id. */
  to: InboundPerson;
  /** `field`: the notice `user_id_update` of earlier documentation instead of a system message. */
  as?: 'message' | 'field';
}

/**
 * Tells a number that a person has another phone or id: `user_changed_number` if both phones are visible, else
 * `user_changed_user_id`, which names no number ("System messages webhook reference", 2026-08-11). These system messages have no
 * `contacts` and no `from_user_id`.
 */
export function changeIdentity(platform: Platform, numberId: string, change: IdentityChange): Written {
  const number = requireNumber(platform, numberId);
  const [from, to] = [requirePerson(change.from), requirePerson(change.to)];
  const [previous, current] = [userIdOf(from, number.wabaId), userIdOf(to, number.wabaId)];
  const seconds = String(Math.floor(platform.state.clock.now() / 1000));
  if (change.as === 'field') {
    const notice = {
      ...(to.phone === undefined ? {} : { wa_id: to.phone }),
      detail: 'User id changed',
      user_id: { previous, current },
      timestamp: seconds,
    };
    postCallback(
      platform,
      number.wabaId,
      'user_id_update',
      callbackValue(number, { user_id_update: [notice] }),
    );
    return { messages: [] };
  }
  const isVisible = from.phone !== undefined && to.phone !== undefined;
  const id = newWamid(from.phone ?? '0');
  const message = {
    ...(isVisible ? { from: from.phone } : {}),
    ...{ id, timestamp: seconds, type: 'system' },
    system: {
      body: isVisible ? `User changed from ${from.phone} to ${to.phone}` : 'User id changed',
      type: isVisible ? 'user_changed_number' : 'user_changed_user_id',
      ...(isVisible ? { wa_id: to.phone } : {}),
      ...{ user_id: current, previous_user_id: previous },
    },
  };
  postCallback(platform, number.wabaId, 'messages', callbackValue(number, { messages: [message] }));
  return { messages: [{ id, mediaId: null }] };
}

// What a button of a message does on the phone, where no message of its owner shows it.
import type { MessageParts } from '../../../client/src/generated.ts';
import { textsOf } from '../text/texts.ts';

export type PhoneButton = MessageParts['buttons'][number];

/** Buttons that send a message to the business. */
const answering = new Set(['QUICK_REPLY', 'FLOW', 'REQUEST_CONTACT_INFO']);
const products = new Set(['CATALOG', 'MPM', 'SPM']);

export const isAnswer = ({ type }: PhoneButton): boolean => answering.has(type);

/** The effect of a button in a sentence; empty if the message that it sends shows it. */
export function buttonNote({ type, url, phone, code }: PhoneButton): string {
  const text = textsOf('sandbox');
  if (type === 'FLOW') return text('pressForm');
  if (answering.has(type)) return '';
  if (products.has(type)) return text('pressProducts');
  if (type === 'VOICE_CALL') return text('pressVoice');
  if (code) return text('pressCode', { code });
  if (phone) return text('pressCall', { phone });
  return url ? text('pressLink', { url }) : text('pressNothing', { type });
}

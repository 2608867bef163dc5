// People who stop or resume the marketing messages of a business on the platform's own pages, and the notice `user_preferences`.
import { ControlError } from '../server.ts';
import type { Platform } from './call.ts';
import { callbackValue, requireNumber } from './inbound.ts';
import type { Template } from './model.ts';
import { contactOf, type InboundPerson, userIdOf } from './person.ts';
import { waIdOf } from './recipient.ts';
import { postCallback } from './template-changes.ts';

export interface PreferenceChange {
  from: InboundPerson;
  value: 'stop' | 'resume';
  /** Epoch seconds; default: now, by the sandbox's clock. */
  timestamp?: number;
  /** How many more times the notice comes. */
  repeats?: number;
  /** True: no notice comes, as after "Not interested"; only error 131050 tells. */
  silent?: boolean;
  /** True: the notice has no `contacts`. */
  withoutProfile?: boolean;
}

const keyOf = (wabaId: string, waId: string) => `${wabaId} ${waId}`;

/** True if the person stopped marketing messages: the platform accepts the template and reports 131050. */
export const hasStopped = ({ state }: Platform, template: Template, waId: string): boolean =>
  template.category === 'MARKETING' && state.stopped.has(keyOf(template.wabaId, waId));

/** Changes what a person wants of the business that has this number, and posts the notice. */
export function changePreference(platform: Platform, numberId: string, change: PreferenceChange): void {
  const { state } = platform;
  const number = requireNumber(platform, numberId);
  const { from, value, withoutProfile = false, repeats = 0 } = change;
  if (value !== 'stop' && value !== 'resume') throw new ControlError(400, 'value: stop or resume');
  if (from?.phone === undefined && from?.userId === undefined)
    throw new ControlError(400, 'from: an object with phone or userId');
  const waId = from.waId ?? (from.phone === undefined ? undefined : waIdOf(from.phone));
  if (waId !== undefined) state.record(['preference', keyOf(number.wabaId, waId), value === 'stop']);
  if (change.silent) return;
  const notice = {
    ...(waId === undefined ? {} : { wa_id: waId }),
    user_id: userIdOf(from, number.wabaId),
    detail: `User requested to ${value} marketing messages`,
    category: 'marketing_messages',
    value,
    // a number here, a text in other notices
    timestamp: change.timestamp ?? Math.floor(state.clock.now() / 1000),
  };
  const person = waId === undefined ? from : { ...from, waId };
  const contacts = withoutProfile ? {} : { contacts: [contactOf(person, number.wabaId)] };
  for (let copy = 0; copy <= repeats; copy++)
    postCallback(
      platform,
      number.wabaId,
      'user_preferences',
      callbackValue(number, { ...contacts, user_preferences: [notice] }),
    );
}

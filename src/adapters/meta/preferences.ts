// Notices of the field `user_preferences`: people stop or resume marketing messages (Cloud API, "Marketing templates"). Pure.
import type { PreferenceReport } from '../../ports/platform-received.ts';
import { type Json, objectsOf, phoneNumberIdOf, storableText, textOf, timestampOf } from './json.ts';
import { contactFinder, personFrom, phoneOf, userIdInPhone, userIdOf } from './person.ts';

/** The platform's reference has `stop` and `resume`; `signup`, by a link for new subscribers, comes too (pywa's fixtures). */
const wanted = new Map([
  ['stop', false],
  ['resume', true],
  ['signup', true],
]);

/** Reads the notices of one change; `ignored` counts those of other categories, of unknown words, or about nobody. */
export function preferencesIn(
  value: Json,
  businessAccountId: string,
): { preferences: PreferenceReport[]; ignored: number } {
  const phoneNumberId = phoneNumberIdOf(value) ?? null;
  const find = contactFinder(objectsOf(value.contacts));
  const notices = objectsOf(value.user_preferences);
  const preferences = notices.flatMap((notice) => {
    const wantsMarketing = wanted.get(textOf(notice.value)?.toLowerCase() ?? '');
    const person = personOf(notice, find);
    if (notice.category !== 'marketing_messages' || wantsMarketing === undefined || !person) return [];
    const report: PreferenceReport = {
      ...{ phoneNumberId, businessAccountId, person, wantsMarketing },
      timestamp: timestampOf(notice.timestamp),
      detail: storableText(notice.detail) || null,
    };
    return [report];
  });
  return { preferences, ignored: notices.length - preferences.length };
}

/** The person of a notice, with the ids that `contacts` has of them. */
function personOf(notice: Json, find: ReturnType<typeof contactFinder>): PreferenceReport['person'] | null {
  const contact = find(notice.wa_id, notice.user_id);
  const phones = [notice.wa_id, contact?.wa_id].map(phoneOf);
  const inPhones = [notice.wa_id, contact?.wa_id].map(userIdInPhone);
  const userIds = [...[notice.user_id, contact?.user_id].map(userIdOf), ...inPhones];
  const parents = [notice.parent_user_id, contact?.parent_user_id].map(userIdOf);
  return personFrom({ phones, userIds, parents, contact });
}

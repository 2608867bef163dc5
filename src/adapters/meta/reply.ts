// The body of a reply (Cloud API, "Messages": text, media, location, contacts, reaction and interactive objects). Pure.
import type { OutgoingReply, ReplyContent } from '../../ports/platform.ts';
import type { ReplyCard } from '../../ports/platform-message.ts';
import { coordinates } from './coordinates.ts';

/** The members that are set. */
const withSet = <T extends object>(members: T): Partial<T> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<T>;

function contactCard({ name, firstName, lastName, phones, emails, urls, company }: ReplyCard): object {
  return {
    name: withSet({ formatted_name: name, first_name: firstName, last_name: lastName }),
    ...(phones.length > 0 ? { phones: phones.map(cardPhone) } : {}),
    ...(emails.length > 0 ? { emails } : {}),
    ...(urls.length > 0 ? { urls } : {}),
    ...(company === undefined ? {} : { org: { company } }),
  };
}

const cardPhone = ({ userPhone, ...phone }: ReplyCard['phones'][number]) => ({
  ...phone,
  ...(userPhone === undefined ? {} : { wa_id: userPhone }),
});

const interactive = (type: string, text: string, action: object) => ({
  type: 'interactive',
  interactive: { type, body: { text }, action },
});

function typed(content: ReplyContent, { replyTo, platformMediaId }: OutgoingReply): object {
  switch (content.kind) {
    case 'text':
      return { type: 'text', text: { body: content.text, preview_url: /https?:\/\//i.test(content.text) } };
    case 'media': {
      const { media, link, caption, fileName } = content;
      const file = link === undefined ? { id: platformMediaId } : { link };
      return { type: media, [media]: withSet({ ...file, caption, filename: fileName }) };
    }
    case 'location': {
      const { name, address } = content;
      return { type: 'location', location: withSet({ ...coordinates(content), name, address }) };
    }
    case 'contacts':
      return { type: 'contacts', contacts: content.cards.map(contactCard) };
    case 'reaction':
      return { type: 'reaction', reaction: { message_id: replyTo, emoji: content.emoji } };
    case 'buttons': {
      const buttons = content.buttons.map((reply) => ({ type: 'reply', reply }));
      return interactive('button', content.text, { buttons });
    }
    case 'list':
      return interactive('list', content.text, { button: content.button, sections: content.sections });
    case 'link': {
      const parameters = { display_text: content.title, url: content.url };
      return interactive('cta_url', content.text, { name: 'cta_url', parameters });
    }
  }
}

/**
 * The body of `POST /{phone-number-id}/messages`. A person is named by `to`, or by `recipient` if only their user id is known
 * ("Business-scoped user ids"). A reaction names its message itself, everything else by `context`.
 */
export function replyBody(reply: OutgoingReply): object {
  const { phone, userId, content, replyTo, correlationId } = reply;
  return {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    ...(phone === null ? { recipient: userId } : { to: `+${phone}` }),
    ...(replyTo === undefined || content.kind === 'reaction' ? {} : { context: { message_id: replyTo } }),
    biz_opaque_callback_data: correlationId,
    ...typed(content, reply),
  };
}

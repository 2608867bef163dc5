// The content of a reply as message items show it: the members of its request. Pure.
import type { SentReply } from '../../contract/reply-contents.ts';
import type { ReplyContent } from '../../ports/platform.ts';
import type { StoredReply } from './message.ts';

/** The members of a stored reply. */
export function presentedReply({ reply, replyTo }: StoredReply): SentReply {
  return { ...membersOf(reply), ...(replyTo === undefined ? {} : { replyTo }) };
}

function membersOf(content: ReplyContent): SentReply {
  switch (content.kind) {
    case 'text':
      return { text: content.text };
    case 'media': {
      const { kind: _, media: kind, link: url, ...more } = content;
      return { media: { kind, ...(url === undefined ? {} : { url }), ...more } };
    }
    case 'location': {
      const { kind: _, ...location } = content;
      return { location };
    }
    case 'contacts':
      return { contacts: content.cards };
    case 'reaction':
      return { reaction: { emoji: content.emoji === '' ? null : content.emoji } };
    case 'buttons':
      return { text: content.text, buttons: content.buttons };
    case 'list':
      return { text: content.text, list: { button: content.button, sections: content.sections } };
    case 'link':
      return { text: content.text, link: { title: content.title, url: content.url } };
  }
}

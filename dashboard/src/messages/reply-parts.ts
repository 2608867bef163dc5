// A reply in the parts of a template's message, so that it is drawn the same way. Pure.
import type { MessageParts, SentReply } from '../../../client/src/generated.ts';

type Button = MessageParts['buttons'][number];
const noButton = { url: null, phone: null, code: null, payload: null };

const buttonsOf = ({ buttons, list, link }: SentReply): Button[] => [
  ...(buttons ?? []).map(({ title, id }, index) => ({
    ...{ ...noButton, index, type: 'QUICK_REPLY', text: title, payload: id },
  })),
  ...(list ? [{ ...noButton, index: 0, type: 'LIST', text: list.button }] : []),
  ...(link ? [{ ...noButton, index: 0, type: 'URL', text: link.title, url: link.url }] : []),
];

/** What a person sees of a reply. Files are named, never loaded. */
export function partsOfReply(reply: SentReply): MessageParts {
  const { text, media, location, contacts, reaction } = reply;
  const none = { text: null, url: null, fileName: null, location: null, product: null };
  const name = media?.fileName ?? media?.url ?? media?.mediaId ?? null;
  const kind = media?.kind === 'image' || media?.kind === 'video' ? media.kind : 'document';
  const place = location && { name: '', address: '', ...location };
  return {
    header: media
      ? { ...none, type: kind, fileName: name }
      : place
        ? { ...none, type: 'location', location: place }
        : null,
    body: text ?? media?.caption ?? reaction?.emoji ?? contacts?.map((card) => card.name).join(', ') ?? '',
    footer: null,
    buttons: buttonsOf(reply),
    cards: [],
    offer: null,
  };
}

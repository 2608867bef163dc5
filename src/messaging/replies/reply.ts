// A reply as the caller requests it: who it is for, what it says, and what is wrong with it. Pure.
import { charactersIn } from '../../base/counted.ts';
import type { Problem } from '../../base/errors.ts';
import { phoneProblem } from '../../base/phone.ts';
import type { ReplyBody } from '../../contract/replies.ts';
import type { ReplyContent } from '../../ports/platform.ts';
import { type Choices, cardsOf, listOf, mediaOf, type StoredFile, uniqueChoices } from './reply-parts.ts';

/** The recipient of a reply, or its problems: exactly one of `phone` and `userId` is needed. */
export function recipientOf({ phone, userId }: Pick<ReplyBody, 'phone' | 'userId'>): {
  to: { phone: string } | { userId: string };
  problems: Problem[];
} {
  const problems: Problem[] = [];
  if (phone === undefined && userId === undefined)
    problems.push({ path: 'phone', message: 'is required, or userId' });
  if (phone !== undefined && userId !== undefined)
    problems.push({ path: 'userId', message: 'is not allowed together with phone: give one of the two' });
  const problem = phone === undefined ? undefined : phoneProblem(phone);
  if (problem !== undefined) problems.push({ path: 'phone', message: problem });
  return { to: phone === undefined ? { userId: userId ?? '' } : { phone }, problems };
}

/** The members of which a reply has exactly one; those with `true` also have `text`. */
const kinds = {
  media: false,
  location: false,
  contacts: false,
  reaction: false,
  buttons: true,
  list: true,
  link: true,
} as const;
type Kind = keyof typeof kinds;

/** Texts beside buttons and links are shorter than others. */
const shortTextMax = 1024;

/**
 * The content of a reply; undefined if there are problems. `file` is the stored file with `media.mediaId`, if it exists.
 */
export function contentOf(
  body: ReplyBody,
  file: StoredFile | undefined,
): { content: ReplyContent | undefined; problems: Problem[] } {
  const given = (Object.keys(kinds) as Kind[]).filter((kind) => body[kind] !== undefined);
  const [kind, ...others] = given;
  const problems: Problem[] = others.map((other) => ({
    path: other,
    message: `is not allowed together with ${kind}`,
  }));
  const text = textOf(body, kind, problems);
  const content =
    kind === undefined ? ({ kind: 'text', text } as const) : partOf(kind, body, text, file, problems);
  return { content: problems.length > 0 ? undefined : content, problems };
}

function textOf({ text }: ReplyBody, kind: Kind | undefined, problems: Problem[]): string {
  const add = (message: string) => problems.push({ path: 'text', message });
  if (kind === undefined || kinds[kind]) {
    if (text === undefined)
      add(
        kind === undefined
          ? `is required, or one of ${Object.keys(kinds).join(', ')}`
          : `is required with ${kind}`,
      );
    else if (text.trim() === '') add('must not be blank');
    if ((kind === 'buttons' || kind === 'link') && charactersIn(text ?? '') > shortTextMax)
      add(`must have at most ${shortTextMax} characters with ${kind}`);
  } else if (text !== undefined)
    add(
      kind === 'media'
        ? 'is not allowed together with media: use media.caption'
        : `is not allowed together with ${kind}`,
    );
  return text ?? '';
}

function partOf(
  kind: Kind,
  body: ReplyBody,
  text: string,
  file: StoredFile | undefined,
  problems: Problem[],
): ReplyContent | undefined {
  const { media, location, contacts, reaction, buttons, list, link } = body;
  switch (kind) {
    case 'media':
      return media && mediaOf(media, file, problems);
    case 'location':
      return location && { kind, ...location };
    case 'contacts':
      return contacts && { kind, cards: cardsOf(contacts) };
    case 'reaction':
      return reaction && reactionOf(reaction, body, problems);
    case 'buttons':
      problems.push(...uniqueChoices('buttons', (buttons ?? []) as Choices, ['id', 'title']));
      return buttons && { kind, text, buttons };
    case 'list':
      return list && { kind, text, button: list.button, sections: listOf(list, problems) };
    case 'link':
      return link && linkOf(link, text, problems);
  }
}

function linkOf(link: NonNullable<ReplyBody['link']>, text: string, problems: Problem[]): ReplyContent {
  const isAddress = /^https?:$/.test(URL.parse(link.url)?.protocol ?? '') && !/\s/.test(link.url);
  if (!isAddress)
    problems.push({ path: 'link.url', message: 'must be an http:// or https:// address without spaces' });
  return { kind: 'link', text, ...link };
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Flags are pairs of regional indicators, and keycaps a digit with a mark: neither is pictographic. */
const emojiPattern = /\p{Extended_Pictographic}|\p{Regional_Indicator}{2}|[0-9#*]\uFE0F?\u20E3/u;

function reactionOf(
  { emoji }: NonNullable<ReplyBody['reaction']>,
  { replyTo }: ReplyBody,
  problems: Problem[],
): ReplyContent {
  if (replyTo === undefined) problems.push({ path: 'replyTo', message: 'is required with reaction' });
  const isOne = emoji === null || ([...graphemes.segment(emoji)].length === 1 && emojiPattern.test(emoji));
  if (!isOne)
    problems.push({ path: 'reaction.emoji', message: 'must be one emoji, or null to remove the reaction' });
  return { kind: 'reaction', emoji: emoji ?? '' };
}

// What a recipient gives a template: its own members, and those of the request as defaults. Pure.
import type { ProductSection } from '../../ports/platform.ts';
import type { CardFilling, Filling } from './fill.ts';
import type { ButtonInput } from './fill-buttons.ts';
import type { Location, MediaFile, Product } from './fill-header.ts';

/** What a card may be given besides variables. */
export interface RecipientCard {
  mediaId?: string | undefined;
  headerMediaUrl?: string | undefined;
  product?: Product | undefined;
  buttons?: ButtonInput[] | undefined;
}

/** The members that fill a template; those of a recipient go before those of the request. */
export interface SharedContent extends RecipientCard {
  location?: Location | undefined;
  offerExpiresAt?: string | undefined;
  catalog?: { thumbnailProductId?: string | undefined } | undefined;
  products?: { thumbnailProductId?: string | undefined; sections: ProductSection[] } | undefined;
  cards?: RecipientCard[] | undefined;
}

export interface RecipientContent extends SharedContent {
  variables?: Record<string, unknown> | undefined;
}

/** The members of `SharedContent`. */
export const sharedMembers = [
  'mediaId',
  'headerMediaUrl',
  'product',
  'buttons',
  'location',
  'offerExpiresAt',
  'catalog',
  'products',
  'cards',
] as const satisfies (keyof SharedContent)[];

/** The stored files that the content names, by their public ids. */
export function mediaIdsOf({ mediaId, cards = [] }: SharedContent): string[] {
  return [mediaId, ...cards.map((card) => card.mediaId)].filter((id) => id !== undefined);
}

/** The content of one recipient, with the request's where it has none. A file and an address replace each other. */
export function mergedContent(recipient: RecipientContent, request: SharedContent): RecipientContent {
  const hasFile = recipient.mediaId !== undefined || recipient.headerMediaUrl !== undefined;
  const merged: RecipientContent = { variables: recipient.variables };
  for (const member of sharedMembers) {
    const isFile = member === 'mediaId' || member === 'headerMediaUrl';
    const value = recipient[member] ?? (isFile && hasFile ? undefined : request[member]);
    if (value !== undefined) Object.assign(merged, { [member]: value });
  }
  return merged;
}

/** The filling of one recipient. `media` has the stored files by their public ids. */
export function contentOf(
  recipient: RecipientContent,
  request: SharedContent,
  media: ReadonlyMap<string, MediaFile>,
): Filling {
  const { variables = {}, cards, ...merged } = mergedContent(recipient, request);
  return {
    ...(withFile(merged, media) as Filling),
    variables,
    ...(cards ? { cards: cards.map((card) => withFile(card, media) as CardFilling) } : {}),
  };
}

function withFile<T extends RecipientCard>(given: T, media: ReadonlyMap<string, MediaFile>) {
  const file = given.mediaId === undefined ? undefined : media.get(given.mediaId);
  return file ? { ...given, media: file } : given;
}

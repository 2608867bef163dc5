// The values that a person types for a template, as the API takes them for a recipient. Pure.
import type { PreviewProblem, PreviewTemplate, TemplateInput } from '../../../client/src/generated.ts';

/** What was typed, by the input's key. */
export type Typed = Record<string, string>;

/** The inputs that a line of text can fill. Files, places, products and flows are filled by the API. */
export const isTyped = ({ kind }: TemplateInput): boolean =>
  kind === 'text' || kind === 'code' || kind === 'instant' || kind === 'payload';

/** What a place consists of. */
export const placeParts = ['latitude', 'longitude', 'name', 'address'] as const;

/** The place that was typed below `key`; empty until it has all of its parts. */
function placeOf(typed: Typed, key: string): Pick<PreviewTemplate, 'location'> {
  const part = (name: (typeof placeParts)[number]) => typed[`${key}.${name}`] ?? '';
  if (placeParts.some((name) => part(name).trim() === '')) return {};
  const [latitude, longitude] = [Number.parseFloat(part('latitude')), Number.parseFloat(part('longitude'))];
  if (Number.isNaN(latitude) || Number.isNaN(longitude)) return {};
  return { location: { latitude, longitude, name: part('name'), address: part('address') } };
}

/** A header's file is typed as its address, or is the id of an upload. */
export const isAddress = ({ kind }: TemplateInput): boolean => kind === 'media';

const fileOf = (typed: string) => (/^https?:/i.test(typed) ? { headerMediaUrl: typed } : { mediaId: typed });

interface Part {
  headerMediaUrl?: string;
  mediaId?: string;
  buttons?: { index: number; payload: string }[];
}

/** What a message or one of its cards takes besides variables; `prefix` is `cards.0.` or empty. */
function partOf(given: readonly TemplateInput[], typed: Typed, prefix: string): Part {
  const own = given.filter(({ key }) => key.startsWith(prefix));
  const media = own.find((input) => isAddress(input) && input.key === `${prefix}mediaId`);
  const buttons = own.flatMap(({ key, kind }) => {
    const [, index] = /^buttons\.(\d+)\.payload$/.exec(key.slice(prefix.length)) ?? [];
    return kind === 'payload' && index !== undefined
      ? [{ index: Number(index), payload: typed[key] ?? '' }]
      : [];
  });
  return {
    ...(media ? fileOf(typed[media.key] ?? '') : {}),
    ...(buttons.length > 0 ? { buttons } : {}),
  };
}

/** The content of one recipient. What was left empty is left out, so that the preview names it. */
export function contentOf(inputs: readonly TemplateInput[], typed: Typed): PreviewTemplate {
  const given = inputs.filter(({ key }) => typed[key]);
  const variables = Object.fromEntries(
    given.filter(({ kind }) => kind === 'text' || kind === 'code').map(({ key }) => [key, typed[key] ?? '']),
  );
  const offer = given.find(({ kind }) => kind === 'instant');
  const cardCount =
    1 + Math.max(-1, ...inputs.map(({ part }) => Number(/^cards\.(\d+)/.exec(part)?.[1] ?? -1)));
  const cards = Array.from({ length: cardCount }, (_, index) => partOf(given, typed, `cards.${index}.`));
  return {
    ...(Object.keys(variables).length > 0 ? { variables } : {}),
    ...partOf(given, typed, ''),
    ...(inputs.some(({ kind }) => kind === 'location') ? placeOf(typed, 'location') : {}),
    ...(offer ? { offerExpiresAt: typed[offer.key] ?? '' } : {}),
    ...(cards.some((card) => Object.keys(card).length > 0) ? { cards } : {}),
  };
}

/** The example values of the review. */
export const examplesOf = (inputs: readonly TemplateInput[]): Typed =>
  Object.fromEntries(
    inputs.flatMap((input) =>
      input.example !== null && (isTyped(input) || isAddress(input)) ? [[input.key, input.example]] : [],
    ),
  );

/** The problem of an input, if the preview found one. A problem of the body may name its placeholder alone. */
export const problemOf = (
  { key }: TemplateInput,
  problems: readonly PreviewProblem[],
): string | undefined => {
  const paths = [key, `variables.${key}`, `variables.${key.replace(/^body\./, '')}`];
  return problems.find(({ path }) => paths.includes(path))?.message;
};

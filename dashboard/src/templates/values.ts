// The values that a person types for a template, as the API takes them for a recipient. Pure.
import type { PreviewProblem, PreviewTemplate, TemplateInput } from '../../../client/src/generated.ts';

/** What was typed, by the input's key. */
export type Typed = Record<string, string>;

/** The inputs that a line of text can fill. Files, places, products and flows are filled by the API. */
export const isTyped = ({ kind }: TemplateInput): boolean =>
  kind === 'text' || kind === 'code' || kind === 'instant' || kind === 'payload';

/** The address of a header's file is typed too. */
export const isAddress = ({ key, kind }: TemplateInput): boolean => kind === 'media' && key === 'mediaId';

/** The content of one recipient. What was left empty is left out, so that the preview names it. */
export function contentOf(inputs: readonly TemplateInput[], typed: Typed): PreviewTemplate {
  const given = inputs.filter(({ key }) => typed[key]);
  const variables = Object.fromEntries(
    given.filter(({ kind }) => kind === 'text' || kind === 'code').map(({ key }) => [key, typed[key] ?? '']),
  );
  const payloads = given.flatMap(({ key, kind }) => {
    const [, index] = /^buttons\.(\d+)\.payload$/.exec(key) ?? [];
    return kind === 'payload' && index !== undefined
      ? [{ index: Number(index), payload: typed[key] ?? '' }]
      : [];
  });
  const offer = given.find(({ kind }) => kind === 'instant');
  const address = given.find(isAddress);
  return {
    ...(Object.keys(variables).length > 0 ? { variables } : {}),
    ...(payloads.length > 0 ? { buttons: payloads } : {}),
    ...(offer ? { offerExpiresAt: typed[offer.key] ?? '' } : {}),
    ...(address ? { headerMediaUrl: typed[address.key] ?? '' } : {}),
  };
}

/** The example values of the review. */
export const examplesOf = (inputs: readonly TemplateInput[]): Typed =>
  Object.fromEntries(
    inputs.flatMap((input) =>
      input.example !== null && (isTyped(input) || isAddress(input)) ? [[input.key, input.example]] : [],
    ),
  );

/** The problem of an input, if the preview found one. */
export const problemOf = ({ key }: TemplateInput, problems: readonly PreviewProblem[]): string | undefined =>
  problems.find(({ path }) => path === key || path === `variables.${key}`)?.message;

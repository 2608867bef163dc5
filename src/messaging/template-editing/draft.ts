// WhatsApp's rules for a template's content, checked before its review; each problem has a path. Pure.
import type { Problem } from '../../base/errors.ts';
import type { TemplateComponent } from '../../ports/platform.ts';
import { cardsOf, upper } from '../template-content/kinds.ts';
import { checkButtons } from './draft-buttons.ts';
import { checkCarousel, checkOffer } from './draft-kinds.ts';
import { type Add, checkText } from './draft-texts.ts';
import { languages } from './languages.ts';

/** The file that a media header shows to the reviewers. */
export interface Sample {
  kind: string;
  mimeType: string;
}

export interface DraftShape {
  category: string;
  language: string;
  parameterFormat: 'positional' | 'named';
  components: TemplateComponent[];
}

/** What a sample may be (Graph API, "Resumable Upload API"). */
const sampleTypes: Record<string, readonly string[]> = {
  IMAGE: ['image/jpeg', 'image/png'],
  VIDEO: ['video/mp4'],
  DOCUMENT: ['application/pdf'],
};

const isMedia = (part: TemplateComponent) =>
  upper(part.type) === 'HEADER' && upper(part.format) in sampleTypes;

/** The platform shows samples by address, and takes handles of uploads only. */
const isAddress = (handle: unknown) => typeof handle === 'string' && /^https?:/i.test(handle);

/** True for a media header with a sample that only the platform has. */
export const lacksSample = (part: TemplateComponent): boolean =>
  isMedia(part) &&
  part.mediaId === undefined &&
  isAddress((part.example?.header_handle as unknown[] | undefined)?.[0]);

/** The stored file that a media header names as its sample; undefined for every other component. */
export function sampleIdOf(part: TemplateComponent): string | undefined {
  return isMedia(part) && typeof part.mediaId === 'string' ? part.mediaId : undefined;
}

/** The stored files that a draft names as samples, those of cards too. */
export const sampleIdsOf = (components: readonly TemplateComponent[]): string[] =>
  [...components, ...cardsOf(components).flat()].map(sampleIdOf).filter((id) => id !== undefined);

/** The component for the platform: with the handle of its sample instead of our media id. */
export function withHandle(
  { mediaId: _ours, ...part }: TemplateComponent,
  handle: string,
): TemplateComponent {
  return { ...part, example: { ...part.example, header_handle: [handle] } };
}

/** Finds problems for which the platform would reject a draft; `samples` are the account's files by the ids in the draft. */
export function draftProblems(draft: DraftShape, samples: ReadonlyMap<string, Sample>): Problem[] {
  const problems: Problem[] = [];
  if (!languages.has(draft.language))
    problems.push({
      path: 'language',
      message: `must be a language code of the platform, for example en_US or pt_BR; it is ${draft.language}`,
    });
  const count = (type: string) => draft.components.filter((part) => upper(part.type) === type).length;
  if (count('BODY') !== 1) problems.push({ path: 'components', message: 'must have exactly one BODY' });
  for (const type of ['HEADER', 'FOOTER', 'BUTTONS', 'CAROUSEL', 'LIMITED_TIME_OFFER'])
    if (count(type) > 1) problems.push({ path: 'components', message: `must have at most one ${type}` });
  if (upper(draft.category) === 'AUTHENTICATION' && count('BUTTONS') === 0)
    problems.push({ path: 'components', message: 'must have BUTTONS with one button of the type OTP' });
  draft.components.forEach((part, index) => {
    const add = (member: string, message: string) =>
      problems.push({ path: `components[${index}]${member}`, message });
    checkPart(draft, part, samples, add);
  });
  // one entry for each path, with all of its problems
  return [...Map.groupBy(problems, ({ path }) => path)].map(([path, own]) => ({
    path,
    message: own.map(({ message }) => message).join('; '),
  }));
}

function checkPart(
  draft: DraftShape,
  part: TemplateComponent,
  samples: ReadonlyMap<string, Sample>,
  add: Add,
): void {
  const isAuthentication = upper(draft.category) === 'AUTHENTICATION';
  if (part.mediaId !== undefined && !isMedia(part))
    add('.mediaId', 'is only allowed in a header of the format IMAGE, VIDEO or DOCUMENT');
  switch (upper(part.type)) {
    case 'HEADER':
      if (isAuthentication) add('', 'is not allowed: an authentication template has no header');
      else if (!part.format)
        add('.format', 'is missing; use TEXT, IMAGE, VIDEO, DOCUMENT, LOCATION or PRODUCT');
      else if (isMedia(part)) checkSample(part, samples, add);
      else if (upper(part.format) === 'TEXT') checkText('header', part, draft, add);
      break;
    case 'BODY':
      if (isAuthentication) checkAuthenticationBody(part, add);
      else checkText('body', part, draft, add);
      break;
    case 'FOOTER':
      if (isAuthentication) checkExpiration(part.code_expiration_minutes, add);
      else checkText('footer', part, draft, add);
      break;
    case 'BUTTONS':
      checkButtons(part.buttons ?? [], { isAuthentication, hasOffer: hasOffer(draft) }, add);
      break;
    case 'CAROUSEL':
      checkCarousel(draft, part, add, (header, addOf) => checkSample(header, samples, addOf));
      break;
    case 'LIMITED_TIME_OFFER':
      checkOffer(draft, part, add);
      break;
  }
}

const hasOffer = ({ components }: Pick<DraftShape, 'components'>): boolean =>
  components.some(({ type }) => upper(type) === 'LIMITED_TIME_OFFER');

function checkAuthenticationBody({ text, add_security_recommendation }: TemplateComponent, add: Add): void {
  if (text !== undefined)
    add('.text', 'is not allowed: the platform writes the text of authentication templates');
  if (add_security_recommendation !== undefined && typeof add_security_recommendation !== 'boolean')
    add('.add_security_recommendation', 'must be true or false');
}

function checkExpiration(minutes: unknown, add: Add): void {
  if (minutes !== undefined && !(Number.isInteger(minutes) && Number(minutes) >= 1 && Number(minutes) <= 90))
    add('.code_expiration_minutes', 'must be a whole number from 1 to 90');
}

function checkSample(part: TemplateComponent, samples: ReadonlyMap<string, Sample>, add: Add): void {
  const format = upper(part.format);
  const handle = (part.example?.header_handle as unknown[] | undefined)?.[0];
  const id = sampleIdOf(part);
  if (id === undefined) {
    if (typeof handle !== 'string')
      add('.mediaId', `is missing: upload a sample of the ${format.toLowerCase()} and set its id here`);
    else if (isAddress(handle))
      add(
        '.mediaId',
        'is missing: the platform does not take its own sample again; upload one and set its id here',
      );
    return;
  }
  const sample = samples.get(id);
  const types = sampleTypes[format] ?? [];
  if (!sample) add('.mediaId', 'does not exist in this account; upload it first');
  else if (!types.includes(sample.mimeType))
    add('.mediaId', `must be ${types.join(' or ')}; this file is ${sample.mimeType}`);
}

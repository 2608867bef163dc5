// What the platform asks of a template's content before it reviews it, each fault with its path. Pure.
import type { Fault } from '../../base/errors.ts';
import type { TemplateButton, TemplateComponent } from '../../ports/platform.ts';
import { tokensOf } from './placeholders.ts';

/** The file that a media header shows to the reviewers, as far as it is known here. */
export interface Sample {
  kind: string;
  mimeType: string;
}

export interface DraftShape {
  category: string;
  parameterFormat: 'positional' | 'named';
  components: TemplateComponent[];
}

/** The platform's limits (Cloud API, "Template components"), in characters. */
const most = { header: 60, body: 1024, footer: 60, label: 25, url: 2000 };
const mostButtons: Record<string, number> = { URL: 2, PHONE_NUMBER: 1, COPY_CODE: 1, OTP: 1 };
/** What a sample may be (Graph API, "Resumable Upload API"). */
const sampleTypes: Record<string, readonly string[]> = {
  IMAGE: ['image/jpeg', 'image/png'],
  VIDEO: ['video/mp4'],
  DOCUMENT: ['application/pdf'],
};

const upper = (text: string | undefined) => (text ?? '').toUpperCase();
const length = (text: string | undefined) => [...(text ?? '')].length;
const isMedia = (part: TemplateComponent) =>
  upper(part.type) === 'HEADER' && upper(part.format) in sampleTypes;

/** The stored file that a media header names as its sample; undefined for every other component. */
export function sampleIdOf(part: TemplateComponent): string | undefined {
  return isMedia(part) && typeof part.mediaId === 'string' ? part.mediaId : undefined;
}

/** The component as the platform takes it: its sample by the handle that the platform gave for it. */
export function withHandle(
  { mediaId: _ours, ...part }: TemplateComponent,
  handle: string,
): TemplateComponent {
  return { ...part, example: { ...part.example, header_handle: [handle] } };
}

/** Faults of a draft that the platform would surely refuse; `samples` holds the account's files by the ids that it names. */
export function draftFaults(draft: DraftShape, samples: ReadonlyMap<string, Sample>): Fault[] {
  const faults: Fault[] = [];
  const count = (type: string) => draft.components.filter((part) => upper(part.type) === type).length;
  if (count('BODY') !== 1) faults.push({ path: 'components', message: 'must hold exactly one BODY' });
  for (const type of ['HEADER', 'FOOTER', 'BUTTONS'])
    if (count(type) > 1) faults.push({ path: 'components', message: `must hold at most one ${type}` });
  draft.components.forEach((part, index) => {
    const add = (member: string, message: string) =>
      faults.push({ path: `components[${index}]${member}`, message });
    checkPart(draft, part, samples, add);
  });
  // one entry a place, with all that is wrong there
  return [...Map.groupBy(faults, ({ path }) => path)].map(([path, own]) => ({
    path,
    message: own.map(({ message }) => message).join('; '),
  }));
}

type Add = (member: string, message: string) => void;

function checkPart(
  draft: DraftShape,
  part: TemplateComponent,
  samples: ReadonlyMap<string, Sample>,
  add: Add,
): void {
  const isAuthentication = upper(draft.category) === 'AUTHENTICATION';
  if (part.mediaId !== undefined && !isMedia(part))
    add('.mediaId', 'only a header of the format IMAGE, VIDEO or DOCUMENT has a sample');
  switch (upper(part.type)) {
    case 'HEADER':
      if (isMedia(part)) checkSample(part, samples, add);
      else if (upper(part.format || 'TEXT') === 'TEXT') checkHeaderText(draft, part, add);
      break;
    case 'BODY':
      // the platform writes the text of an authentication template itself
      if (!isAuthentication || part.text !== undefined) checkBody(draft, part, add);
      break;
    case 'FOOTER':
      if (length(part.text) > most.footer) add('.text', `takes at most ${most.footer} characters`);
      if (tokensOf(part.text).length > 0) add('.text', 'a footer takes no variables');
      break;
    case 'BUTTONS':
      checkButtons(part.buttons ?? [], add);
      break;
  }
}

function checkSample(part: TemplateComponent, samples: ReadonlyMap<string, Sample>, add: Add): void {
  const format = upper(part.format);
  const handle = (part.example?.header_handle as unknown[] | undefined)?.[0];
  const id = sampleIdOf(part);
  if (id === undefined) {
    if (typeof handle !== 'string')
      add('.mediaId', `is missing: upload a sample of the ${format.toLowerCase()} and name it here`);
    return;
  }
  const sample = samples.get(id);
  const types = sampleTypes[format] ?? [];
  if (!sample) add('.mediaId', 'there is no such media in this account; upload it first');
  else if (!types.includes(sample.mimeType))
    add('.mediaId', `is ${sample.mimeType}; a sample of this header must be ${types.join(' or ')}`);
}

function checkHeaderText(draft: DraftShape, part: TemplateComponent, add: Add): void {
  if (length(part.text) === 0) add('.text', 'is missing');
  if (length(part.text) > most.header) add('.text', `takes at most ${most.header} characters`);
  const tokens = tokensOf(part.text);
  if (tokens.length > 1) add('.text', 'a text header takes one variable');
  checkTokens(draft, tokens, part, 'header', add);
}

function checkBody(draft: DraftShape, part: TemplateComponent, add: Add): void {
  const text = part.text ?? '';
  if (text === '') add('.text', 'is missing');
  if (length(text) > most.body) add('.text', `takes at most ${most.body} characters`);
  if (/^\s*\{\{|\}\}\s*$/.test(text)) add('.text', 'must not begin or end with a variable');
  checkTokens(draft, tokensOf(text), part, 'body', add);
}

/** Variables numbered without a gap, and an example for each. */
function checkTokens(
  draft: DraftShape,
  tokens: string[],
  part: TemplateComponent,
  where: 'header' | 'body',
  add: Add,
): void {
  if (tokens.length === 0) return;
  const isNamed = draft.parameterFormat === 'named';
  if (!isNamed && tokens.some((token, index) => token !== String(index + 1)))
    add('.text', 'the variables must be numbered {{1}}, {{2}}, … without a gap');
  const member = `${where}_text${isNamed ? '_named_params' : ''}`;
  const given = part.example?.[member];
  const row = Array.isArray(given) && Array.isArray(given[0]) ? given[0] : given;
  if (!Array.isArray(row) || row.length !== tokens.length)
    add(`.example.${member}`, `must hold an example for each of the ${tokens.length} variables`);
}

function checkButtons(buttons: TemplateButton[], add: Add): void {
  const types = buttons.map((button) => upper(button.type));
  if (buttons.length === 0 || buttons.length > 10) add('.buttons', 'must hold 1 to 10 buttons');
  for (const [type, limit] of Object.entries(mostButtons))
    if (types.filter((one) => one === type).length > limit)
      add('.buttons', `must hold at most ${limit} of the type ${type}`);
  const [first, last] = [types.indexOf('QUICK_REPLY'), types.lastIndexOf('QUICK_REPLY')];
  if (first >= 0 && types.slice(first, last).some((type) => type !== 'QUICK_REPLY'))
    add('.buttons', 'quick replies must stand together');
  buttons.forEach((button, index) => {
    checkButton(button, (member, message) => add(`.buttons[${index}]${member}`, message));
  });
}

function checkButton(button: TemplateButton, add: Add): void {
  const type = upper(button.type);
  if (length(button.text) > most.label) add('.text', `takes at most ${most.label} characters`);
  if (!button.text && type !== 'COPY_CODE' && type !== 'OTP') add('.text', 'is missing');
  if (type !== 'URL') return;
  const url = button.url ?? '';
  if (!/^https?:\/\//i.test(url)) add('.url', 'must begin with https:// or http://');
  if (length(url) > most.url) add('.url', `takes at most ${most.url} characters`);
  const tokens = tokensOf(url);
  if (tokens.length > 1 || (tokens.length === 1 && !url.trimEnd().endsWith('}}')))
    add('.url', 'takes one variable, at its end');
  if (tokens.length > 0 && button.example === undefined) add('.example', 'must show the variable filled');
}

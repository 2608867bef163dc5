// Checks of a template message's components, as the platform makes them: counts, formats, lengths (pure).
import { rejection, unknownMedia } from './errors.ts';
import type { Media, Template } from './model.ts';
import { type ButtonParameters, parametersOf, type TextParameters } from './template-parameters.ts';

export interface Parameter {
  type?: string;
  text?: unknown;
  parameter_name?: string;
  payload?: unknown;
  coupon_code?: unknown;
  currency?: { fallback_value?: unknown };
  date_time?: { fallback_value?: unknown };
  [media: string]: unknown;
}

export interface SentComponent {
  type?: string;
  sub_type?: string;
  index?: string | number;
  parameters?: Parameter[];
}

/**
 * Rejects components that do not fit the template, with the platform's code and wording.
 * `mediaById` finds unexpired uploads of the sending number; `lostMediaCode` is the code for all others.
 */
export function checkComponents(
  template: Template,
  components: unknown,
  mediaById: (id: string) => Media | undefined,
  lostMediaCode: number,
): void {
  if (components !== undefined && !Array.isArray(components))
    throw rejection(131009, 'template.components must be an array');
  const sent = (components ?? []) as SentComponent[];
  const expected = parametersOf(template);
  let header: Parameter[] = [];
  let body: Parameter[] = [];
  const buttons = new Map<number, SentComponent>();
  for (const part of sent) {
    const type = String(part?.type ?? '').toLowerCase();
    if (part?.parameters !== undefined && !Array.isArray(part.parameters))
      throw rejection(131009, `${type}: parameters must be an array`);
    if (type === 'header') header = part.parameters ?? [];
    else if (type === 'body') body = part.parameters ?? [];
    else if (type === 'button') buttons.set(Number(part.index), part);
    else throw rejection(131009, `Unexpected component type '${type}'`);
  }
  if (expected.headerFormat === 'TEXT' || expected.headerFormat === 'NONE')
    checkText('header', expected.header, header, expected.named, 60);
  else checkMediaHeader(expected.headerFormat, header, mediaById, lostMediaCode);
  checkText('body', expected.body, body, expected.named, 1024);
  checkButtons(expected.buttons, buttons);
}

function checkText(
  where: string,
  expected: TextParameters,
  given: Parameter[],
  named: boolean,
  maxChars: number,
): void {
  if (given.length !== expected.names.length)
    throw rejection(
      132000,
      `${where}: number of localizable_params (${given.length}) does not match the expected number of params (${expected.names.length})`,
    );
  if (given.length === 0) return;
  const values = new Map<string, string>();
  given.forEach((parameter, i) => {
    const name = named ? parameter?.parameter_name : expected.names[i];
    if (!name) throw rejection(132018, 'Parameter name is missing or empty');
    if (!expected.names.includes(name) || values.has(name))
      throw rejection(132018, `${where}: unexpected parameter name '${name}'`);
    values.set(name, textOf(where, parameter));
  });
  let chars = expected.fixedChars;
  for (const name of expected.uses) chars += values.get(name)?.length ?? 0;
  if (chars > maxChars) throw rejection(132005, `${where}: hydrated text too long (${chars} > ${maxChars})`);
}

function textOf(where: string, parameter: Parameter): string {
  const type = String(parameter?.type ?? '').toLowerCase();
  const text =
    type === 'text'
      ? parameter.text
      : type === 'currency'
        ? parameter.currency?.fallback_value
        : type === 'date_time'
          ? parameter.date_time?.fallback_value
          : undefined;
  if (!['text', 'currency', 'date_time'].includes(type))
    throw rejection(
      132012,
      `${where}: Format mismatch, expected TEXT, received ${type.toUpperCase() || 'UNKNOWN'}`,
    );
  if (text === undefined || text === '')
    throw rejection(131008, `${where}: parameter of type ${type} misses its text`);
  if (typeof text !== 'string')
    throw rejection(131009, `${where}: parameter of type ${type} is not a string`);
  if (/[\n\r\t]| {5}/.test(text))
    throw rejection(
      132018,
      'Param text cannot have new-line/tab characters or more than 4 consecutive spaces',
    );
  return text;
}

function checkMediaHeader(
  format: string,
  given: Parameter[],
  mediaById: (id: string) => Media | undefined,
  lostMediaCode: number,
): void {
  const [parameter] = given;
  const type = String(parameter?.type ?? 'unknown').toUpperCase();
  const wanted = format === 'GIF' ? 'VIDEO' : format;
  if (parameter === undefined || type !== wanted)
    throw rejection(132012, `header: Format mismatch, expected ${wanted}, received ${type}`);
  if (given.length > 1)
    throw rejection(
      132000,
      `header: number of params (${given.length}) does not match the expected number of params (1)`,
    );
  const content = parameter[wanted.toLowerCase()] as Record<string, unknown> | undefined;
  if (!content || typeof content !== 'object')
    throw rejection(
      131008,
      `header: parameter of type ${wanted.toLowerCase()} misses its ${wanted.toLowerCase()}`,
    );
  if (wanted === 'LOCATION') checkLocation(content);
  else checkMedia(wanted, content, mediaById, lostMediaCode);
}

function checkLocation(location: Record<string, unknown>): void {
  for (const [key, most] of [
    ['latitude', 90],
    ['longitude', 180],
  ] as const) {
    const value = location[key];
    if (value === undefined || value === '') throw rejection(131008, `header: location ${key} is required`);
    if (!(Math.abs(Number(value)) <= most)) throw rejection(131009, `header: location ${key} is not valid`);
  }
}

function checkMedia(
  wanted: string,
  content: Record<string, unknown>,
  mediaById: (id: string) => Media | undefined,
  lostMediaCode: number,
): void {
  if (content.id === undefined) {
    if (content.link === undefined) throw rejection(131008, 'header: media needs an id or a link');
    if (!/^https?:\/\/\S+$/.test(String(content.link)))
      throw rejection(131009, 'header: media link is not a valid URL');
    return;
  }
  const media = mediaById(String(content.id));
  if (!media && lostMediaCode === 100) throw unknownMedia(wanted.toLowerCase());
  if (!media)
    throw rejection(
      131053,
      `Media ${content.id} was not found: unknown, expired, or uploaded by another phone number`,
    );
  const matches =
    wanted === 'DOCUMENT'
      ? media.mimeType === 'application/pdf'
      : media.mimeType.startsWith(wanted.toLowerCase());
  if (!matches)
    throw rejection(
      131053,
      `Media of type ${media.mimeType} cannot be the header of a template with ${wanted}`,
    );
}

function checkButtons(expected: ButtonParameters[], given: Map<number, SentComponent>): void {
  for (const [index, part] of given) {
    const button = expected[index];
    const subType = String(part.sub_type ?? '').toUpperCase();
    if (!button) throw rejection(131009, `buttons: the template has no button at index ${part.index}`);
    if (subType !== button.type && !(button.type === 'OTP' && subType === 'URL'))
      throw rejection(
        132012,
        `buttons: Button at index ${index} is of type ${button.type}, received ${subType || 'UNKNOWN'}`,
      );
  }
  expected.forEach((button, index) => {
    checkButton(button, index, given.get(index)?.parameters ?? []);
  });
}

function checkButton(expected: ButtonParameters, index: number, given: Parameter[]): void {
  const [parameter] = given;
  const missing = () =>
    rejection(
      131008,
      `buttons: Button at index ${index} of type ${titleCase(expected.type)} requires a parameter`,
    );
  if (expected.type === 'URL' || expected.type === 'OTP') {
    const wants = expected.type === 'OTP' ? 1 : expected.names.length;
    if (wants === 1 && given.length === 0) throw missing();
    if (given.length !== wants)
      throw rejection(
        132000,
        `buttons: number of localizable_params (${given.length}) does not match the expected number of params (${wants})`,
      );
    if (wants === 1 && parameter && expected.fixedChars + textOf('buttons', parameter).length > 2000)
      throw rejection(132005, `buttons: URL of the button at index ${index} is too long`);
  } else if (expected.type === 'COPY_CODE') {
    if (parameter?.coupon_code === undefined || parameter.coupon_code === '') throw missing();
    if (String(parameter.coupon_code).length > 15)
      throw rejection(
        132005,
        `buttons: coupon code of the button at index ${index} is longer than 15 characters`,
      );
  } else if (
    expected.type === 'QUICK_REPLY' &&
    parameter &&
    parameter.type !== 'payload' &&
    parameter.type !== 'text'
  ) {
    throw rejection(132012, `buttons: Button at index ${index} takes a parameter of type payload`);
  }
}

function titleCase(type: string): string {
  return type
    .split('_')
    .map((word) => word.charAt(0) + word.slice(1).toLowerCase())
    .join('');
}

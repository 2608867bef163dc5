// Checks of the header and the texts of a template message or of one of its cards (pure).
import { rejection, unknownMedia, wrongNumber } from './errors.ts';
import type { Media } from './model.ts';
import type { TextParameters } from './template-parameters.ts';

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

/** Finds unexpired uploads of the sending number; `lostMediaCode` is the code for all others. */
export interface MediaSource {
  mediaById: (id: string) => Media | undefined;
  lostMediaCode: number;
}

/** Checks the values of a text's placeholders: their number, names, form and filled length. */
export function checkText(
  where: string,
  expected: TextParameters,
  given: Parameter[],
  named: boolean,
  maxChars: number,
): void {
  if (given.length !== expected.names.length)
    throw wrongNumber(where, 'localizable_params', { given: given.length, expected: expected.names.length });
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

/** The text of a parameter. */
export function textOf(where: string, parameter: Parameter): string {
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

/** Checks the only parameter of a header that is not text. */
export function checkMediaHeader(format: string, given: Parameter[], source: MediaSource): void {
  const [parameter] = given;
  const type = String(parameter?.type ?? 'unknown').toUpperCase();
  const wanted = format === 'GIF' ? 'VIDEO' : format;
  if (parameter === undefined || type !== wanted)
    throw rejection(132012, `header: Format mismatch, expected ${wanted}, received ${type}`);
  if (given.length > 1) throw wrongNumber('header', 'params', { given: given.length, expected: 1 });
  const content = parameter[wanted.toLowerCase()] as Record<string, unknown> | undefined;
  if (!content || typeof content !== 'object')
    throw rejection(
      131008,
      `header: parameter of type ${wanted.toLowerCase()} misses its ${wanted.toLowerCase()}`,
    );
  if (wanted === 'LOCATION') checkLocation(content);
  else if (wanted === 'PRODUCT') checkProduct(content);
  else checkMedia(wanted, content, source);
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

function checkProduct(product: Record<string, unknown>): void {
  for (const key of ['product_retailer_id', 'catalog_id'])
    if (typeof product[key] !== 'string' || product[key] === '')
      throw rejection(131008, `header: product ${key} is required`);
}

function checkMedia(
  wanted: string,
  content: Record<string, unknown>,
  { mediaById, lostMediaCode }: MediaSource,
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

// The conversion of the platform's template object (Cloud API, "Message templates") to the port's. Pure.
import type { PlatformTemplate, TemplateButton, TemplateComponent } from '../../ports/platform.ts';
import { type Json, objectsOf, textOf } from './json.ts';

/** The fields of every read: the default response omits quality and reasons. */
export const templateFields =
  'id,name,language,status,category,sub_category,parameter_format,components,quality_score,rejected_reason,message_send_ttl_seconds';

const text = (value: unknown): string => textOf(value) ?? '';

/** The parts that have a type. */
const typed = (value: unknown): Json[] => objectsOf(value).filter((one) => typeof one.type === 'string');

/** Passes a component through, without members whose type is not the documented one. */
function component(value: Json): TemplateComponent {
  const { format, text, buttons, example, cards, ...rest } = value;
  return {
    ...(rest as TemplateComponent),
    ...(typeof format === 'string' ? { format } : {}),
    ...(typeof text === 'string' ? { text } : {}),
    ...(buttons === undefined ? {} : { buttons: typed(buttons).map(button) }),
    ...(cards === undefined ? {} : { cards: objectsOf(cards).map(card) }),
    ...(example !== null && typeof example === 'object' ? { example: example as Json } : {}),
  };
}

/** A card of a carousel: components of its own. */
const card = (value: Json): Json => ({ ...value, components: typed(value.components).map(component) });

function button(value: Json): TemplateButton {
  const { url, ...rest } = value;
  return { ...(rest as TemplateButton), ...(typeof url === 'string' ? { url } : {}) };
}

/** Sub-categories whose messages need a part that the template does not list ("Order status template"). */
const unlistedParts = new Set(['ORDER_STATUS', 'RICH_ORDER_STATUS']);

/** The components, with the part that only the sub-category names. */
function componentsOf(value: Json): TemplateComponent[] {
  const type = text(value.sub_category).toUpperCase();
  return [...typed(value.components).map(component), ...(unlistedParts.has(type) ? [{ type }] : [])];
}

/** The platform's words for an approved template: the first approval, and its returns. */
const approvedWords = new Set(['APPROVED', 'REINSTATED', 'UNARCHIVED']);

/** What a status of the platform means for sends, and the status itself. */
export function templateStatus(word: string): Pick<PlatformTemplate, 'state' | 'providerStatus'> {
  const providerStatus = word.toUpperCase();
  return { state: approvedWords.has(providerStatus) ? 'approved' : 'submitted', providerStatus };
}

/** The platform's quality score; null while it has none (`UNKNOWN`). */
export function templateQuality(score: string): string | null {
  const word = score.toUpperCase();
  return word === '' || word === 'UNKNOWN' ? null : word;
}

/** Converts one template of a list or a single read. */
export function platformTemplate(value: Record<string, unknown>): PlatformTemplate {
  const quality = value.quality_score as { score?: unknown } | string | undefined;
  const score = typeof quality === 'string' ? quality : text(quality?.score);
  const reason = text(value.rejected_reason);
  const ttl = Number(textOf(value.message_send_ttl_seconds) ?? 0);
  return {
    providerTemplateId: text(value.id),
    name: text(value.name),
    // the platform's webhook samples use en-US, its API en_US
    language: text(value.language).replace('-', '_'),
    ...templateStatus(text(value.status)),
    category: text(value.category).toUpperCase(),
    parameterFormat: text(value.parameter_format).toUpperCase() === 'NAMED' ? 'named' : 'positional',
    components: componentsOf(value),
    qualityScore: templateQuality(score),
    rejectedReason: reason === '' || reason === 'NONE' ? null : reason,
    messageTtlSeconds: Number.isSafeInteger(ttl) && ttl !== 0 ? ttl : null,
  };
}

// The platform's template object (Cloud API, "Message templates") in ours. Pure.
import type { PlatformTemplate, TemplateButton, TemplateComponent } from '../../ports/platform.ts';
import { type Json, objectsOf, textOf } from './json.ts';

/** Asked for on every read: the default answer leaves quality and reasons out. */
export const templateFields =
  'id,name,language,status,category,parameter_format,components,quality_score,rejected_reason';

const text = (value: unknown): string => textOf(value) ?? '';

/** Parts that say what they are. */
const typed = (value: unknown): Json[] => objectsOf(value).filter((one) => typeof one.type === 'string');

/** Passed through as it is, but for members that are not of the documented kind: those the rules could not read. */
function component(value: Json): TemplateComponent {
  const { format, text, buttons, example, ...rest } = value;
  return {
    ...(rest as TemplateComponent),
    ...(typeof format === 'string' ? { format } : {}),
    ...(typeof text === 'string' ? { text } : {}),
    ...(buttons === undefined ? {} : { buttons: typed(buttons).map(button) }),
    ...(example !== null && typeof example === 'object' ? { example: example as Json } : {}),
  };
}

function button(value: Json): TemplateButton {
  const { url, ...rest } = value;
  return { ...(rest as TemplateButton), ...(typeof url === 'string' ? { url } : {}) };
}

/** The platform's quality score; null while it has none (`UNKNOWN`). */
export function templateQuality(score: string): string | null {
  const word = score.toUpperCase();
  return word === '' || word === 'UNKNOWN' ? null : word;
}

/** One template of a list or a single read. */
export function platformTemplate(value: Record<string, unknown>): PlatformTemplate {
  const quality = value.quality_score as { score?: unknown } | string | undefined;
  const score = typeof quality === 'string' ? quality : text(quality?.score);
  const reason = text(value.rejected_reason);
  return {
    providerTemplateId: text(value.id),
    name: text(value.name),
    // webhook samples use en-US, the interface en_US
    language: text(value.language).replace('-', '_'),
    status: text(value.status).toUpperCase(),
    category: text(value.category).toUpperCase(),
    parameterFormat: text(value.parameter_format).toUpperCase() === 'NAMED' ? 'named' : 'positional',
    components: typed(value.components).map(component),
    qualityScore: templateQuality(score),
    rejectedReason: reason === '' || reason === 'NONE' ? null : reason,
  };
}

// Whether the content of a queued message still fits its template. Pure.
import type { FilledHeader, FilledTemplate, TemplateComponent } from '../../ports/platform.ts';
import { fillTemplate } from './fill.ts';
import type { MediaFile } from './fill-header.ts';
import type { TemplatePlan } from './placeholders.ts';
import { contentOf, mediaIdsOf } from './recipient-content.ts';
import { refill } from './refill.ts';

/** A stored file as far as the fit needs it: of the kind that the content has. */
function fileOf(header: FilledHeader | undefined): MediaFile | undefined {
  if (header?.kind !== 'media' || header.link !== undefined) return undefined;
  return { kind: header.media, mimeType: 'application/pdf', fileName: header.fileName ?? '' };
}

/** True if every value of the content has a place in the template, and every place has a value. */
export function fits(plan: TemplatePlan, content: FilledTemplate): boolean {
  if (plan.unsupported !== null) return false;
  const own = fileOf(content.header);
  const given = { ...refill(plan, content), ...(own ? { mediaId: 'header' } : {}) };
  const files = new Map<string, MediaFile>();
  for (const id of mediaIdsOf(given)) {
    const card = content.cards?.find(({ header }) => header?.kind === 'media' && header.mediaId === id);
    const file = id === 'header' ? own : fileOf(card?.header);
    if (file) files.set(id, file);
  }
  // the end of an offer may have passed: that is not a change of the template
  return fillTemplate(plan, { ...contentOf(given, {}, files), nowMs: 0 }, '').problems.length === 0;
}

/** The components without examples, whose addresses are new in every response of the platform. */
export function shapeOf(row: { components: TemplateComponent[]; parameter_format: string }): string {
  return JSON.stringify([row.parameter_format, row.components], (key, value: unknown) =>
    key === 'example' ? undefined : value,
  );
}

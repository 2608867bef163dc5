// A template's row as the wire shows it. Pure.
import type { TemplateRow } from './store.ts';

/** The item of lists, of the template's own page, and of `templates.status` events. */
export function templateItem(row: TemplateRow) {
  return {
    _id: row.id,
    providerTemplateName: row.name,
    status: row.status,
    language: row.language,
    category: row.category,
    components: row.components,
    providerTemplateId: row.provider_template_id,
    providerStatus: row.provider_status,
    qualityScore: row.quality_score,
    rejectedReason: row.rejected_reason,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

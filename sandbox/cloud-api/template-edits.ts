// POST /{template-id}: edits a template within the platform's limits, after which it is reviewed again.
import { type Call, type Platform, readJson, respond } from './call.ts';
import { checkTtl, readDraft } from './check-template.ts';
import { badParam, badTemplate } from './errors.ts';
import type { Template } from './model.ts';
import { changeTemplate } from './template-changes.ts';
import { scheduleReview } from './template-reviews.ts';

const dayMs = 86_400_000;
/** Limits on edits of an approved template. */
const editsMax = { perDay: 1, per30Days: 10 };
const editable = ['APPROVED', 'REJECTED', 'PAUSED'];

/** Edits a template: approved, rejected and paused ones only; an approved one rarely, and never its category. */
export async function editTemplate(platform: Platform, call: Call, template: Template): Promise<void> {
  const given = await readJson(call.req);
  const { state } = platform;
  const now = state.clock.now();
  const edits = (template.edits ?? []).filter((time) => time > now - 30 * dayMs);
  const isApproved = template.status === 'APPROVED';
  if (!editable.includes(template.status)) throw notEditable(`Its status is ${template.status}.`);
  if (isApproved && edits.filter((time) => time > now - dayMs).length >= editsMax.perDay)
    throw notEditable('You can edit an approved template once in 24 hours.');
  if (isApproved && edits.length >= editsMax.per30Days)
    throw notEditable('You can edit an approved template 10 times in 30 days.');
  const category = String(given.category ?? template.category).toUpperCase();
  if (isApproved && category !== template.category)
    throw badParam('The category of an approved template cannot be edited.');
  const ttl = given.message_send_ttl_seconds;
  if (given.components === undefined && given.category === undefined && ttl === undefined)
    throw badParam('The parameter components is required.');
  checkTtl(category, ttl);
  const isRecategorized = category !== template.category;
  const { name, language, parameterFormat } = template;
  const draft = { name, language, category, parameter_format: parameterFormat };
  const components =
    given.components === undefined
      ? undefined
      : readDraft({ ...draft, components: given.components }, (handle) => state.handles.has(handle))
          .components;
  // samples that the template has are not checked again
  if (!components && isRecategorized) readDraft({ ...draft, components: template.components }, () => true);
  const edited: Template = {
    ...template,
    category,
    status: 'PENDING',
    rejectedReason: 'NONE',
    edits: isApproved ? [...edits, now] : edits,
    reviewAt: now + state.settings.approvalMs,
    ...(ttl === undefined && !isRecategorized
      ? {}
      : { ttlSeconds: ttl === undefined ? undefined : Number(ttl) }),
  };
  state.record(['template', edited], () => {
    respond(call, 200, { success: true });
    if (components) changeTemplate(platform, template.id, { components });
    scheduleReview(platform, edited);
  });
}

function notEditable(text: string) {
  return badTemplate(2388039, 'Message template cannot be edited', text);
}

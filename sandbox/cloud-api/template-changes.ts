// Changes that the platform makes to templates, each reported by the callback of its field.
import { type Call, type Platform, respond } from './call.ts';
import { statusErrors, unknownObject } from './errors.ts';
import type { Component, Template } from './model.ts';
import { componentOf } from './template-parameters.ts';

export interface TemplateChange {
  /** The new status, or an event that is not a status (FLAGGED, REINSTATED, UNARCHIVED, LOCKED). */
  status?: string;
  reason?: string;
  category?: string;
  /** A category that the template gets later: only announced, nothing changes yet. */
  announcedCategory?: string;
  quality?: Template['quality'];
  /** New content, as edited on the platform's own pages. */
  components?: Component[];
}

/** A template's status after an event that is not a status. The end of an archival restores the earlier one ("Template archival"). */
const statusByEvent: Record<string, (template: Template) => string | undefined> = {
  REINSTATED: () => 'APPROVED',
  UNARCHIVED: ({ archivedFrom }) => archivedFrom ?? 'APPROVED',
  FLAGGED: () => undefined,
  LOCKED: () => undefined,
};

/** Applies a change to a template and posts a callback for each part of it; false if the template does not exist. */
export function changeTemplate(platform: Platform, id: string, change: TemplateChange): boolean {
  const { state } = platform;
  const old = state.templates.get(id);
  if (!old) return false;
  const { status, reason = 'NONE', category, quality, components } = change;
  const newStatus =
    status === undefined ? undefined : status in statusByEvent ? statusByEvent[status]?.(old) : status;
  state.record([
    'template',
    {
      ...old,
      status: newStatus ?? old.status,
      archivedFrom: newStatus === 'ARCHIVED' ? old.status : newStatus ? undefined : old.archivedFrom,
      rejectedReason: newStatus === 'REJECTED' ? reason : newStatus ? 'NONE' : old.rejectedReason,
      // a new category sets the time to live to its default
      ...(category !== undefined && { category, previousCategory: old.category, ttlSeconds: undefined }),
      quality: quality ?? old.quality,
      components: components ?? old.components,
      reviewAt: newStatus ? null : old.reviewAt,
    },
  ]);
  if (status !== undefined) {
    const value = {
      event: status,
      ...templateFields(old),
      reason: status === 'PENDING_DELETION' ? null : reason,
      message_template_category: category ?? old.category,
      ...statusDetails(platform, old.status, status, reason),
    };
    postCallback(platform, old.wabaId, 'message_template_status_update', value);
  }
  if (change.announcedCategory !== undefined)
    // on the platform, the announcement has the present category as the new one
    postCallback(platform, old.wabaId, 'template_category_update', {
      ...templateFields(old),
      new_category: old.category,
      correct_category: change.announcedCategory,
      category_update_timestamp: Math.floor(state.clock.now() / 1000) + 86_400,
    });
  if (category !== undefined)
    postCallback(platform, old.wabaId, 'template_category_update', {
      ...templateFields(old),
      previous_category: old.category,
      new_category: category,
    });
  if (quality !== undefined)
    postCallback(platform, old.wabaId, 'message_template_quality_update', {
      previous_quality_score: old.quality,
      new_quality_score: quality,
      ...templateFields(old),
    });
  if (components !== undefined) {
    const header = componentOf(components, 'HEADER')?.text;
    const footer = componentOf(components, 'FOOTER')?.text;
    postCallback(platform, old.wabaId, 'message_template_components_update', {
      ...templateFields(old),
      message_template_element: componentOf(components, 'BODY')?.text,
      ...(header !== undefined && { message_template_title: header }),
      ...(footer !== undefined && { message_template_footer: footer }),
    });
  }
  return true;
}

/** Further fields of a status update: for a pause and its end, a disabled template, a rejected format. */
function statusDetails(platform: Platform, before: string, status: string, reason: string): object {
  if (status === 'PAUSED')
    return {
      other_info: { title: 'FIRST_PAUSE', description: 'Paused for 3 hours, because its quality is low.' },
    };
  if (status === 'APPROVED' && before === 'PAUSED')
    return {
      other_info: { title: 'UNPAUSE', description: 'Your WhatsApp message template has been unpaused.' },
    };
  if (status === 'DISABLED')
    return { disable_info: { disable_date: Math.floor(platform.state.clock.now() / 1000) } };
  if (status === 'REJECTED' && reason === 'INVALID_FORMAT')
    return {
      rejection_info: {
        reason: 'Variables are formatted incorrectly.',
        recommendation: 'Put text around each variable, then submit it again.',
      },
    };
  return {};
}

/** POST /{template-id}/unpause: ends a pause, with its callback; the response says why not ("Template pausing"). */
export function unpauseEdge(platform: Platform, call: Call, template: Template): void {
  if (call.req.method !== 'POST') throw unknownObject(call.req.method ?? '', template.id);
  const isPaused = template.status === 'PAUSED';
  if (isPaused) changeTemplate(platform, template.id, { status: 'APPROVED' });
  respond(
    call,
    200,
    isPaused ? { success: true } : { success: false, reason: 'The template is not paused.' },
  );
}

/** In callbacks the id is a number; in API responses it is a string. The poster converts it. */
function templateFields(template: Template) {
  return {
    message_template_id: template.id,
    message_template_name: template.name,
    message_template_language: template.language,
  };
}

let lastId = 0;

/** Posts a callback about an object of a business account to the account's app, and stores it until it is acknowledged. */
export function postCallback(
  { state, poster }: Platform,
  wabaId: string,
  field: string,
  value: unknown,
): void {
  const appId = state.wabas.get(wabaId)?.appId;
  if (appId === undefined) return;
  lastId = Math.max(lastId + 1, Date.now());
  const time = Math.floor(state.clock.now() / 1000);
  const body = {
    object: 'whatsapp_business_account',
    entry: [{ id: wabaId, time, changes: [{ value, field }] }],
  };
  const callback = { id: lastId, appId, body };
  state.record(['callback', callback], () => poster.postTemplate(callback));
}

/** Reports an error of a whole number, in `value.errors`; false if the number does not exist. */
export function reportProblem(platform: Platform, numberId: string, code: number): boolean {
  const { state } = platform;
  const number = state.numbers.get(numberId);
  if (!number) return false;
  postCallback(platform, number.wabaId, 'messages', {
    messaging_product: 'whatsapp',
    metadata: {
      display_phone_number: number.displayPhoneNumber.replace(/\D/g, ''),
      phone_number_id: numberId,
    },
    errors: statusErrors(code, state.settings.plainErrorData),
  });
  return true;
}

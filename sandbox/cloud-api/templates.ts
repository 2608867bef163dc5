// Template management: list, create, read and delete, and reviews.
import { randomBytes } from 'node:crypto';
import { type Call, type Platform, readJson, respond } from './call.ts';
import { readDraft } from './check-template.ts';
import { badParam, badTemplate, rejection, unknownObject } from './errors.ts';
import { magicTemplateNames } from './magic.ts';
import type { Template, Waba } from './model.ts';
import { statusOf } from './numbers.ts';
import { templateKey } from './state.ts';
import { editTemplate } from './template-edits.ts';
import { scheduleReview } from './template-reviews.ts';
import { newNumericId } from './wamid.ts';

const defaultFields = [
  'name',
  'parameter_format',
  'components',
  'language',
  'status',
  'category',
  'previous_category',
  'id',
];

/** Calls of this edge for a business account with a registered number, and for others ("Rate limits": business use case). */
const callsPerHour = { active: 5000, other: 200 };
/** The limit of a verified business account; others may have 250. */
const templatesMax = 6000;
/** How long the name and language of a deleted approved template are blocked. */
const nameBlockedMs = 30 * 86_400_000;

/** Handles every call on a business account's `message_templates`. */
export async function templatesEdge(platform: Platform, call: Call, waba: Waba): Promise<void> {
  const numbers = [...platform.state.numbers.values()].filter((number) => number.wabaId === waba.id);
  const isActive = numbers.some((number) => statusOf(number) === 'CONNECTED');
  platform.rateLimits.templates(waba.id, callsPerHour[isActive ? 'active' : 'other']);
  if (call.req.method === 'GET') return listTemplates(platform, call, waba);
  if (call.req.method === 'POST') return createTemplate(platform, call, waba);
  if (call.req.method === 'DELETE') return deleteTemplates(platform, call, waba);
  throw unknownObject(call.req.method ?? '', waba.id);
}

/** GET /{template-id}, or its edit. */
export async function templateNode(platform: Platform, call: Call, template: Template): Promise<void> {
  if (call.req.method === 'POST') return editTemplate(platform, call, template);
  if (call.req.method !== 'GET') throw unknownObject(call.req.method ?? '', template.id);
  respond(call, 200, pick(platform, template, fieldsOf(call)));
}

function listTemplates(platform: Platform, call: Call, waba: Waba): void {
  const { query } = call;
  const limit = Number(query.get('limit') ?? 25);
  if (!Number.isInteger(limit) || limit < 1) throw badParam('Param limit must be an integer of at least 1.');
  const matching = ownTemplates(platform, waba).filter((template) => matches(template, query));
  const after = cursorOf(query.get('after'));
  const before = cursorOf(query.get('before'));
  const start = after !== undefined ? after + 1 : before !== undefined ? Math.max(0, before - limit) : 0;
  const end = before !== undefined ? Math.min(before, start + limit) : start + limit;
  const page = matching.slice(start, end);
  const fields = fieldsOf(call);
  respond(call, 200, {
    data: page.map((template) => pick(platform, template, fields)),
    ...(page.length > 0 && {
      paging: paging(platform, call, waba, start, start + page.length - 1, matching.length),
    }),
  });
}

/** The account's templates, newest first, as the platform lists them. */
function ownTemplates({ state }: Platform, waba: Waba): Template[] {
  return [...state.templates.values()].filter((template) => template.wabaId === waba.id).reverse();
}

function matches(template: Template, query: URLSearchParams): boolean {
  const { name, status, category, language } = template;
  const requested = (key: string) => query.get(key)?.toLowerCase();
  return (
    (requested('status') ?? status.toLowerCase()) === status.toLowerCase() &&
    (requested('category') ?? category.toLowerCase()) === category.toLowerCase() &&
    (query.get('language') ?? language) === language &&
    name.includes(query.get('name') ?? '') &&
    (name + JSON.stringify(template.components)).includes(query.get('name_or_content') ?? '')
  );
}

function paging(platform: Platform, call: Call, waba: Waba, first: number, last: number, total: number) {
  const link = (key: string, cursor: string) => {
    const query = new URLSearchParams(call.query);
    query.delete('after');
    query.delete('before');
    query.set('limit', call.query.get('limit') ?? '25');
    query.set(key, cursor);
    return `${platform.url()}/${call.version}/${waba.id}/message_templates?${query}`;
  };
  const cursors = { before: cursor(first), after: cursor(last) };
  return {
    cursors,
    ...(first > 0 && { previous: link('before', cursors.before) }),
    ...(last < total - 1 && { next: link('after', cursors.after) }),
  };
}

function cursor(index: number): string {
  return Buffer.from(`MA${index}ZD`).toString('base64url');
}

function cursorOf(text: string | null): number | undefined {
  if (text === null || text === '') return undefined;
  const index = /^MA(\d+)ZD$/.exec(Buffer.from(text, 'base64url').toString())?.[1];
  if (index === undefined) throw badParam('Invalid cursors values');
  return Number(index);
}

function fieldsOf(call: Call): string[] {
  const requested = call.query.get('fields');
  return requested === null
    ? defaultFields
    : [...new Set(['id', ...requested.split(',').map((field) => field.trim())])];
}

function pick(platform: Platform, template: Template, fields: string[]): unknown {
  const whole: Record<string, unknown> = {
    id: template.id,
    name: template.name,
    language: template.language,
    status: template.status,
    category: template.category,
    previous_category: template.previousCategory,
    parameter_format: template.parameterFormat,
    components: template.components.map(readBack),
    quality_score: { score: template.quality, date: Math.floor(platform.state.clock.now() / 1000) },
    rejected_reason: template.rejectedReason,
    correct_category: template.category,
    cta_url_link_tracking_opted_out: false,
    message_send_ttl_seconds: template.ttlSeconds,
  };
  return Object.fromEntries(
    fields.filter((field) => whole[field] !== undefined).map((field) => [field, whole[field]]),
  );
}

/** A header sample is shown as a link that is new in every response, not as the handle that was given. */
function readBack(component: Template['components'][number]): unknown {
  if (component.cards)
    return {
      ...component,
      cards: component.cards.map((card) => ({ components: card.components.map(readBack) })),
    };
  if (!component.example?.header_handle) return component;
  return {
    ...component,
    example: {
      header_handle: [
        `https://scontent.whatsapp.net/v/t61.29466-34/sample?ccb=1-7&oh=${randomBytes(8).toString('hex')}`,
      ],
    },
  };
}

async function createTemplate(platform: Platform, call: Call, waba: Waba): Promise<void> {
  const { state } = platform;
  const draft = readDraft(await readJson(call.req), (handle) => state.handles.has(handle));
  if (state.templateByName.has(templateKey(waba.id, draft.name, draft.language)))
    throw badTemplate(
      2388024,
      'Content in This Language Already Exists',
      `There is already ${draft.language} content for this template. You can create a new template and try again.`,
    );
  if ((state.blockedNames.get(templateKey(waba.id, draft.name, draft.language)) ?? 0) > state.clock.now())
    throw badTemplate(
      2388023,
      'Message template language is being deleted',
      `New ${draft.language} content for this template can't be added while the existing content is being deleted. Try again in 4 weeks or create a new message template.`,
    );
  if (ownTemplates(platform, waba).length >= templatesMax)
    throw badTemplate(
      2388019,
      'Message Template Limit Exceeded',
      'You have exceeded the maximum number of message templates you can have for this WhatsApp business account.',
    );
  const keptPending = draft.name.startsWith(magicTemplateNames[1].beginsWith);
  const template: Template = {
    ...draft,
    id: newNumericId(),
    wabaId: waba.id,
    status: 'PENDING',
    quality: 'UNKNOWN',
    rejectedReason: 'NONE',
    reviewAt: keptPending ? null : state.clock.now() + state.settings.approvalMs,
  };
  state.record(['template', template], () => {
    respond(call, 200, { id: template.id, status: template.status, category: template.category });
    scheduleReview(platform, template);
  });
}

/** `name` alone deletes every language; with `hsm_id` only that template, which must have that name. */
function deleteTemplates(platform: Platform, call: Call, waba: Waba): void {
  const name = call.query.get('name');
  const id = call.query.get('hsm_id');
  if (!name) throw badParam('The parameter name is required.');
  const gone = ownTemplates(platform, waba).filter((t) => t.name === name && (id === null || t.id === id));
  if (gone.length === 0) throw rejection(100, `No template named ${name} was found`);
  if (gone.some(({ status }) => status === 'DISABLED'))
    throw badParam('A disabled template cannot be deleted.');
  const { state } = platform;
  for (const { id: goneId, language, status } of gone) {
    state.record(['template-gone', goneId]);
    if (status === 'APPROVED')
      state.record(['name-blocked', templateKey(waba.id, name, language), state.clock.now() + nameBlockedMs]);
  }
  respond(call, 200, { success: true });
}

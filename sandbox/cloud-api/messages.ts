// POST /{phone-number-id}/messages: checks a message as the platform does, accepts it, and schedules its callbacks.
import { type Call, type Platform, readJson, respond } from './call.ts';
import { checkComponents } from './check-message.ts';
import { checkReply } from './check-reply.ts';
import { isOpen, markRead, type ReplyRecipient, recipientByUserId } from './conversations.ts';
import { badParam, Rejection, rejection } from './errors.ts';
import type { Accepted } from './ledger.ts';
import { failedWith, type Outcome, outcomeOf, sentOnly } from './magic.ts';
import { mediaOf } from './media.ts';
import type { PhoneNumber, Template } from './model.ts';
import { statusOf } from './numbers.ts';
import { hasStopped } from './preferences.ts';
import { readRecipient, waIdOf } from './recipient.ts';
import { type State, templateKey } from './state.ts';
import { planSteps, scheduleSteps } from './statuses.ts';
import { newWamid } from './wamid.ts';

/** Accepts one message, or throws the platform's rejection. Responds once the message is in the journal. */
export async function postMessage(platform: Platform, call: Call, number: PhoneNumber): Promise<void> {
  const body = await readJson(call.req);
  try {
    acceptMessage(platform, call, number, body);
  } catch (error) {
    if (error instanceof Rejection)
      platform.calls.record(body, `rejected ${error.parts.code}`, String(error.parts.status));
    throw error;
  }
}

function acceptMessage(
  platform: Platform,
  call: Call,
  number: PhoneNumber,
  body: Record<string, unknown>,
): void {
  const { state } = platform;
  if (statusOf(number) !== 'CONNECTED') throw rejection(133010);
  if (body.status !== undefined) {
    postStatus(platform, call, number, body);
    return;
  }
  platform.rateLimits.throughput(number.id, number.messagesPerSecond ?? state.settings.messagesPerSecond);
  checkFields(body);
  const sent =
    body.type === 'template' ? readTemplate(platform, number, body) : readReply(platform, number, body);
  const { phone } = sent;
  const waId = phone === '' ? '' : waIdOf(phone);
  if (phone === number.displayPhoneNumber.replace(/\D/g, ''))
    throw rejection(131021, 'Sender and recipient are the same');
  if (state.settings.pairRate) platform.rateLimits.pair(number.id, waId || (sent.facts.userId ?? ''));

  const outcome = sent.outcome ?? outcomeOf(phone);
  rejectMagicRecipient(platform, number.id, phone, outcome);
  if (!outcome.accepted) {
    platform.calls.record(body, 'not accepted', outcome.response);
    sendFaultyResponse(platform, call, outcome, null);
    return;
  }

  if (sent.facts.type === undefined) platform.messagingLimits.count(number, waId);
  const acceptedAt = state.clock.now();
  const message: Accepted = {
    seq: state.ledger.nextSeq(),
    wamid: newWamid(waId || '0'),
    phoneNumberId: number.id,
    wabaId: number.wabaId,
    appId: call.app.id,
    phone,
    waId,
    ...sent.facts,
    opaque: typeof body.biz_opaque_callback_data === 'string' ? body.biz_opaque_callback_data : null,
    messageStatus: outcome.held ? 'held_for_quality_assessment' : 'accepted',
    acceptedAt,
    steps: planSteps(outcome, acceptedAt, state.settings),
    callbacksPosted: 0,
  };
  const reply = {
    messaging_product: 'whatsapp',
    contacts: [
      sent.facts.userId === undefined
        ? { input: String(body.to), wa_id: waId }
        : { input: sent.facts.userId, user_id: sent.facts.userId },
    ],
    // only templates are paced
    messages: [
      { id: message.wamid, ...(message.type === undefined && { message_status: message.messageStatus }) },
    ],
  };
  platform.calls.record(
    body,
    'accepted',
    call.fault?.does ?? (outcome.response === 'normal' ? '200' : outcome.response),
  );
  state.record(['message', message], () => {
    if (outcome.response === 'normal') respond(call, 200, reply);
    else sendFaultyResponse(platform, call, outcome, reply);
    scheduleSteps(state, platform.poster, message);
  });
}

/** A call about an inbound message, instead of a message. */
function postStatus(
  { state }: Platform,
  call: Call,
  number: PhoneNumber,
  body: Record<string, unknown>,
): void {
  if (body.messaging_product !== 'whatsapp') throw badParam('The parameter messaging_product is required.');
  if (body.status !== 'read') throw badParam('Param status must be one of {read}.');
  markRead(state, number, body);
  respond(call, 200, { success: true });
}

function checkFields(body: Record<string, unknown>): void {
  if (body.messaging_product !== 'whatsapp') throw badParam('The parameter messaging_product is required.');
  if (body.recipient_type !== undefined && body.recipient_type !== 'individual')
    throw rejection(131009, "Parameter 'recipient_type' must be individual");
  if (body.type === undefined && body.text === undefined)
    throw rejection(131008, "Parameter 'type' is required");
  const opaque = body.biz_opaque_callback_data;
  if (opaque !== undefined && (typeof opaque !== 'string' || opaque.length > 512))
    throw badParam('Param biz_opaque_callback_data must be at most 512 characters long.');
}

/** What a message is, and who gets it. */
interface Read {
  phone: string;
  /** Undefined: as the number decides. */
  outcome: Outcome | undefined;
  facts: Pick<Accepted, 'templateId' | 'templateName' | 'language' | 'category' | 'components'> &
    Partial<Pick<Accepted, 'type' | 'userId'>>;
}

function readTemplate(platform: Platform, number: PhoneNumber, body: Record<string, unknown>): Read {
  const { state } = platform;
  checkTemplateFields(body);
  const phone = readRecipient(body.to, number.countryCode);
  const template = findTemplate(platform, number, body.template as Record<string, unknown>);
  const { components } = body.template as { components?: unknown };
  checkComponents(template, components, {
    mediaById: (id) => mediaOf(state, id, number.id),
    lostMediaCode: state.settings.lostMediaCode,
    nowMs: state.clock.now(),
  });
  const { id: templateId, name: templateName, language, category } = template;
  const facts = { templateId, templateName, language, category, components: components ?? null };
  const outcome = hasStopped(platform, template, waIdOf(phone)) ? failedWith(131050) : undefined;
  return { phone, outcome, facts };
}

function readReply({ state }: Platform, number: PhoneNumber, body: Record<string, unknown>): Read {
  checkReply(body, {
    mediaById: (id) => mediaOf(state, id, number.id),
    lostMediaCode: state.settings.lostMediaCode,
  });
  const { phone, userId, isOpen: open } = replyRecipient(state, number, body);
  const { closedWindow } = state.settings;
  const isAllowed = open || closedWindow === 'ignore';
  if (!isAllowed && closedWindow === 'reject') throw rejection(131047, closedWindowDetails);
  const facts = {
    ...{ templateId: '', templateName: '', language: '', category: 'service', components: body },
    type: String(body.type ?? 'text'),
    ...(userId === null ? {} : { userId }),
  };
  const refused = isAllowed ? undefined : failedWith(131047);
  return { phone, outcome: refused ?? reactionOutcome(state, number, body), facts };
}

/** How long a message can be reacted to. */
const reactedForMs = 30 * 86_400_000;

/**
 * A reaction is reported as sent only; one to a message that is unknown, older than 30 days or itself a reaction fails by
 * callback.
 */
function reactionOutcome(
  state: State,
  number: PhoneNumber,
  { reaction }: Record<string, unknown>,
): Outcome | undefined {
  if (reaction === undefined) return undefined;
  const id = String((reaction as { message_id?: unknown }).message_id);
  const wrote = state.conversations.message(id);
  const [sent] = state.ledger.find({ wamid: id, limit: 1 });
  const at =
    wrote?.numberId === number.id ? wrote.at : sent?.phoneNumberId === number.id ? sent.acceptedAt : 0;
  const isReaction = wrote?.type.startsWith('reaction') || sent?.type === 'reaction';
  if (at + reactedForMs <= state.clock.now() || isReaction) return failedWith(131009);
  return sentOnly;
}

const closedWindowDetails =
  'Message failed to send because more than 24 hours have passed since the customer last replied to this number.';

function replyRecipient(state: State, number: PhoneNumber, body: Record<string, unknown>): ReplyRecipient {
  if (body.to === undefined && body.recipient !== undefined)
    return recipientByUserId(state, number, body.recipient);
  const phone = readRecipient(body.to, number.countryCode);
  const known = [phone, waIdOf(phone)].map((one) => state.conversations.last(number.id, { phone: one }));
  return { phone, userId: null, isOpen: known.some((last) => isOpen(state, last)) };
}

function checkTemplateFields(body: Record<string, unknown>): void {
  const template = body.template as Record<string, unknown> | null | undefined;
  if (typeof template !== 'object' || template === null)
    throw rejection(131008, "Parameter 'template' is required");
  if (typeof template.name !== 'string' || template.name === '')
    throw rejection(131008, "Parameter 'template.name' is required");
  const code = (template.language as { code?: unknown } | null | undefined)?.code;
  if (typeof code !== 'string' || code === '')
    throw rejection(131008, "Parameter 'template.language.code' is required");
}

function findTemplate({ state }: Platform, number: PhoneNumber, wanted: Record<string, unknown>): Template {
  const name = wanted.name as string;
  const language = (wanted.language as { code: string }).code;
  const template = state.templateByName.get(templateKey(number.wabaId, name, language));
  if (template?.status === 'APPROVED') return template;
  if (template?.status === 'PAUSED') throw rejection(132015, `Template ${name} is paused due to low quality`);
  if (template?.status === 'DISABLED')
    throw rejection(132016, `Template ${name} is disabled due to low quality`);
  throw rejection(132001, `template name (${name}) does not exist in ${language}`);
}

function rejectMagicRecipient(
  platform: Platform,
  phoneNumberId: string,
  phone: string,
  { rejection: magic }: Outcome,
): void {
  if (!magic) return;
  if (magic.first) {
    const key = `${phoneNumberId} ${phone}`;
    const before = platform.rejections.get(key) ?? 0;
    if (before >= platform.state.settings.refuseFirst) return;
    platform.rejections.set(key, before + 1);
  }
  throw rejection(magic.code, 'A magic recipient of the sandbox was rejected');
}

function sendFaultyResponse(
  { state }: Platform,
  call: Call,
  { response: how }: Outcome,
  reply: unknown,
): void {
  if (how === 'reset') call.res.socket?.resetAndDestroy();
  else if (how === 'empty500') call.res.writeHead(500, { 'content-length': 0 }).end();
  else if (how === 'slow') setTimeout(respond, state.settings.slowAnswerMs, call, 200, reply).unref();
}

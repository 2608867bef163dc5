// The platform's callbacks: handshake, signature and content (Cloud API, "Webhooks" and its payload reference). Pure.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { invalidRequest } from '../../base/errors.ts';
import type {
  CallbackContent,
  CallbackRequest,
  NumberReport,
  ReportedError,
  StatusReport,
  TemplateReport,
} from '../../ports/platform.ts';
import {
  explanationOf,
  isObject,
  isTimestamp,
  type Json,
  latestTimestamp,
  messageIdMax,
  objectsOf,
  phoneNumberIdOf,
  readJson,
  storableText,
  textOf,
} from './json.ts';
import { noticeIn } from './notices.ts';
import { recipientsIn } from './person.ts';
import { preferencesIn } from './preferences.ts';
import { identitiesIn, type MessageSources, messageSources, receivedIn } from './received.ts';
import { templateQuality, templateStatus } from './template.ts';

const signaturePattern = /^sha256=([0-9a-f]{64})$/i;

/** The `X-Hub-Signature-256` header, if it has the form `sha256=<64 hex digits>`. */
export function signatureOf({ headers }: Pick<CallbackRequest, 'headers'>): string | undefined {
  const header = headers['x-hub-signature-256'];
  return typeof header === 'string' && signaturePattern.test(header) ? header : undefined;
}

const digest = (text: string) => createHash('sha256').update(text).digest();
const sameText = (a: string, b: string) => timingSafeEqual(digest(a), digest(b));

/** Returns `hub.challenge` of a handshake with the correct `hub.verify_token`; undefined for any other request. */
export function answerHandshake(
  { url }: Pick<CallbackRequest, 'url'>,
  verifyToken: string,
): string | undefined {
  const query = URL.parse(url)?.searchParams;
  const only = (name: string) => {
    const values = query?.getAll(name) ?? [];
    return values.length === 1 ? (values[0] as string) : '';
  };
  const isValid = only('hub.mode') === 'subscribe' && sameText(only('hub.verify_token'), verifyToken);
  return isValid ? only('hub.challenge') : undefined;
}

/** Verifies `sha256=<hex>`: HMAC-SHA-256 of the raw bytes with the app secret, compared in constant time. */
export function isSigned(rawBody: Buffer, header: string | undefined, appSecret: string): boolean {
  const hex = signaturePattern.exec(header ?? '')?.[1];
  if (!hex) return false;
  // a digest as text costs less than one as a new buffer
  const mac = createHmac('sha256', appSecret).update(rawBody).digest('hex');
  return timingSafeEqual(Buffer.from(hex, 'hex'), Buffer.from(mac, 'hex'));
}

const known = new Set(['sent', 'delivered', 'read', 'failed']);

/** Reads one of `errors[]`, of a status or of a number. */
function errorIn(error: Json): ReportedError {
  const code = Number(error.code);
  const title = storableText(error.title) ?? storableText(error.message) ?? 'Failed';
  return {
    code: Number.isFinite(code) ? code : 0,
    title,
    message: explanationOf(error) ?? storableText(error.message) ?? title,
  };
}

function statusError(status: Json): StatusReport['error'] {
  const error = objectsOf(status.errors)[0];
  return error ? errorIn(error) : null;
}

/** Epoch seconds from a number or text of seconds or (`entry.time`) milliseconds; null if it is not a valid instant. */
function instantOf(value: unknown): number | null {
  const number = Number(textOf(value) ?? Number.NaN);
  const seconds = number > latestTimestamp ? Math.floor(number / 1000) : number;
  return isTimestamp(seconds) ? seconds : null;
}

/** The price of a message. The platform is going to drop `billable`; `type` says the same ("Pricing analytics and webhooks"). */
function priceOf(pricing: unknown): Pick<StatusReport, 'priceCategory' | 'billable'> {
  if (!isObject(pricing)) return { priceCategory: null, billable: null };
  const type = textOf(pricing.type);
  const ofType = type === undefined ? null : type === 'regular' || (type.startsWith('free_') ? false : null);
  return {
    priceCategory: textOf(pricing.category) ?? null,
    billable: typeof pricing.billable === 'boolean' ? pricing.billable : ofType,
  };
}

function statusReport(status: Json, phoneNumberId: string): StatusReport | undefined {
  // the status of a payment has the id of its message, and may be `failed` ("Receive payments": payment webhooks)
  if ((textOf(status.type) ?? 'message') !== 'message') return undefined;
  // `played`: the recipient listened to a voice message, so it was read
  const word = status.status === 'played' ? 'read' : textOf(status.status);
  const wamid = textOf(status.id);
  const timestamp = Number(status.timestamp);
  if (!wamid || wamid.length > messageIdMax || !word || !known.has(word) || !isTimestamp(timestamp))
    return undefined;
  return {
    phoneNumberId,
    messageRef: wamid,
    correlationId: textOf(status.biz_opaque_callback_data) ?? null,
    status: word as StatusReport['status'],
    timestamp,
    ...priceOf(status.pricing),
    error:
      word === 'failed' ? (statusError(status) ?? { code: 0, title: 'Failed', message: 'Failed' }) : null,
  };
}

/** Rejections have a `reason`; pauses have `NONE` there and name the pause in `other_info`. */
function statusReason(value: Json): string | null {
  const reason = textOf(value.reason);
  if (reason && reason !== 'NONE') return reason;
  return (isObject(value.other_info) ? textOf(value.other_info.title) : undefined) ?? null;
}

/**
 * Events that are no status (Cloud API, "message_template_status_update"): a warning of a low quality, a lock against edits, and the end
 * of an archival, which restores a status that the event does not name ("Template archival", 2026-09-11).
 */
const notStatuses = new Set(['FLAGGED', 'LOCKED', 'UNARCHIVED']);

function templateReport(field: string, value: Json, entry: Json): TemplateReport | undefined {
  const providerTemplateId = textOf(value.message_template_id);
  if (!providerTemplateId) return undefined;
  const report: TemplateReport = {
    businessAccountId: textOf(entry.id) ?? '',
    providerTemplateId,
    timestamp: instantOf(entry.time),
  };
  switch (field) {
    case 'message_template_status_update': {
      const word = textOf(value.event)?.toUpperCase();
      if (word && !notStatuses.has(word)) report.status = templateStatus(word);
      if (word === 'UNARCHIVED') report.mustRead = true;
      report.reason = statusReason(value);
      return report;
    }
    case 'template_category_update': {
      // With `correct_category` it announces a later change, and `new_category` is still the old one.
      const category = value.correct_category === undefined ? textOf(value.new_category) : undefined;
      if (category) report.category = category;
      const next = textOf(value.correct_category);
      const at = instantOf(value.category_update_timestamp);
      if (next) report.nextCategory = { category: next.toUpperCase(), timestamp: at };
      return report;
    }
    case 'message_template_quality_update': {
      const score = textOf(value.new_quality_score);
      if (score) report.qualityScore = templateQuality(score);
      return report;
    }
    case 'message_template_components_update':
      return { ...report, mustRead: true };
    default:
      return undefined;
  }
}

/**
 * Reads every status, inbound message, preference, template change, number error and notice of a callback. Unknown kinds are counted and ignored.
 * Throws AppError `invalid_request` if the bytes are not a callback's JSON.
 */
export function readCallback(rawBody: Buffer): CallbackContent {
  let root: unknown;
  try {
    root = readJson(rawBody);
  } catch {
    root = undefined;
  }
  if (!isObject(root) || !Array.isArray(root.entry)) {
    throw invalidRequest([
      { path: 'entry', message: 'is missing: this is not a callback of the messaging platform' },
    ]);
  }
  const content: CallbackContent = {
    ...{ statuses: [], templates: [], numbers: [], received: [], recipients: [], identities: [] },
    ...{ preferences: [], notices: [], ignored: 0 },
  };
  const sources = messageSources(rawBody);
  for (const [at, entry] of root.entry.entries()) {
    if (!isObject(entry) || !Array.isArray(entry.changes)) continue;
    for (const [index, change] of entry.changes.entries()) {
      if (isObject(change)) readChange(content, change, entry, () => sources(at, index));
    }
  }
  return content;
}

function readChange(
  content: CallbackContent,
  change: Json,
  entry: Json,
  sources: () => ReturnType<MessageSources>,
): void {
  const field = textOf(change.field) ?? '';
  const value = isObject(change.value) ? change.value : {};
  if (field === 'messages') {
    const phoneNumberId = phoneNumberIdOf(value);
    const statuses = objectsOf(value.statuses);
    for (const status of statuses) {
      const report = phoneNumberId ? statusReport(status, phoneNumberId) : undefined;
      if (report) content.statuses.push(report);
      else content.ignored += 1;
    }
    // later statuses name the same people
    if (phoneNumberId && statuses.some(({ status }) => status === 'sent'))
      content.recipients.push(...recipientsIn(value, phoneNumberId));
    if (value.messages !== undefined) {
      if (phoneNumberId) content.received.push(...receivedIn(value, phoneNumberId, sources()));
      else content.ignored += 1;
    }
    // errors of the number itself; those in `messages[]` concern inbound messages only
    const errors: NumberReport[] = objectsOf(value.errors).flatMap((error) =>
      phoneNumberId
        ? [{ phoneNumberId, timestamp: instantOf(entry.time ?? value.timestamp), error: errorIn(error) }]
        : [],
    );
    content.numbers.push(...errors);
    return;
  }
  if (field === 'user_id_update') {
    content.identities.push(...identitiesIn(value, textOf(entry.id) ?? ''));
    return;
  }
  if (field === 'user_preferences') {
    const { preferences, ignored } = preferencesIn(value, textOf(entry.id) ?? '');
    content.preferences.push(...preferences);
    content.ignored += ignored;
    return;
  }
  const notice = noticeIn(field, value, entry);
  const report = notice ? undefined : templateReport(field, value, entry);
  if (notice) content.notices.push(notice);
  else if (report) content.templates.push(report);
  else content.ignored += 1;
}

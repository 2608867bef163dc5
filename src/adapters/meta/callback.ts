// The platform's callbacks: their signature, and what they say (Cloud API, "Webhooks: payload reference"). Pure.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { invalidRequest } from '../../base/errors.ts';
import type { CallbackContent, NumberReport, StatusReport, TemplateReport } from '../../ports/platform.ts';
import {
  explanationOf,
  isObject,
  type Json,
  messageIdMax,
  objectsOf,
  readJson,
  storableText,
  textOf,
} from './json.ts';
import { templateQuality } from './template.ts';

const signaturePattern = /^sha256=([0-9a-f]{64})$/i;

/** Returns whether a header has the form `sha256=<64 hex digits>`. */
export function isSignature(header: string): boolean {
  return signaturePattern.test(header);
}

/** `X-Hub-Signature-256: sha256=<hex>`: HMAC-SHA-256 of the raw bytes with the app secret, compared in constant time. */
export function isSigned(rawBody: Buffer, header: string | undefined, appSecret: string): boolean {
  const hex = signaturePattern.exec(header ?? '')?.[1];
  if (!hex) return false;
  return timingSafeEqual(Buffer.from(hex, 'hex'), createHmac('sha256', appSecret).update(rawBody).digest());
}

/** The last second of the year 9999: no instant of ours lies behind it. */
const latestTimestamp = 253_402_300_799;

const known = new Set(['sent', 'delivered', 'read', 'failed']);

/** One of `errors[]`, in statuses and of whole numbers. */
function errorIn(error: Json): NonNullable<StatusReport['error']> {
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

/** Epoch seconds, given as a number or a text, of seconds or (in `entry.time`) of milliseconds; null if it is no instant. */
function instantOf(value: unknown): number | null {
  const number = Number(textOf(value) ?? Number.NaN);
  const seconds = number > latestTimestamp ? Math.floor(number / 1000) : number;
  return Number.isSafeInteger(seconds) && seconds >= 0 && seconds <= latestTimestamp ? seconds : null;
}

function statusReport(status: Json, phoneNumberId: string): StatusReport | undefined {
  // `played` is a voice message that was listened to: it was read
  const word = status.status === 'played' ? 'read' : textOf(status.status);
  const wamid = textOf(status.id);
  const timestamp = Number(status.timestamp);
  const isInstant = Number.isSafeInteger(timestamp) && timestamp >= 0 && timestamp <= latestTimestamp;
  if (!wamid || wamid.length > messageIdMax || !word || !known.has(word) || !isInstant) return undefined;
  return {
    phoneNumberId,
    messageRef: wamid,
    correlationId: textOf(status.biz_opaque_callback_data) ?? null,
    status: word as StatusReport['status'],
    timestamp,
    priceCategory: isObject(status.pricing) ? (textOf(status.pricing.category) ?? null) : null,
    error:
      word === 'failed' ? (statusError(status) ?? { code: 0, title: 'Failed', message: 'Failed' }) : null,
  };
}

/** Rejections have a `reason`; pauses have `NONE` there, and say in `other_info` which pause it is. */
function statusReason(value: Json): string | null {
  const reason = textOf(value.reason);
  if (reason && reason !== 'NONE') return reason;
  return (isObject(value.other_info) ? textOf(value.other_info.title) : undefined) ?? null;
}

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
      const status = textOf(value.event);
      if (status) report.status = status;
      report.reason = statusReason(value);
      return report;
    }
    case 'template_category_update': {
      // An announcement of a later change has `correct_category`; its `new_category` is that of before, and may come late.
      const category = value.correct_category === undefined ? textOf(value.new_category) : undefined;
      if (category) report.category = category;
      return report;
    }
    case 'message_template_quality_update': {
      const score = textOf(value.new_quality_score);
      if (score) report.qualityScore = templateQuality(score);
      return report;
    }
    case 'message_template_components_update':
      return { ...report, componentsChanged: true };
    default:
      return undefined;
  }
}

/**
 * Every status and template change in a callback: all entries, all changes, all statuses. Unknown members and kinds
 * are passed over and counted. 400 if the bytes are not a callback's JSON.
 */
export function readCallback(rawBody: Buffer): CallbackContent {
  let root: unknown;
  try {
    root = readJson(rawBody);
  } catch {
    root = undefined;
  }
  if (!isObject(root) || !Array.isArray(root.entry)) {
    throw invalidRequest([{ path: 'entry', message: 'this is not a callback of the messaging platform' }]);
  }
  const content: CallbackContent = { statuses: [], templates: [], numbers: [], ignored: 0 };
  for (const entry of objectsOf(root.entry)) {
    for (const change of objectsOf(entry.changes)) readChange(content, change, entry);
  }
  return content;
}

function readChange(content: CallbackContent, change: Json, entry: Json): void {
  const field = textOf(change.field) ?? '';
  const value = isObject(change.value) ? change.value : {};
  if (field === 'messages') {
    const phoneNumberId = isObject(value.metadata) ? textOf(value.metadata.phone_number_id) : undefined;
    for (const status of objectsOf(value.statuses)) {
      const report = phoneNumberId ? statusReport(status, phoneNumberId) : undefined;
      if (report) content.statuses.push(report);
      else content.ignored += 1;
    }
    // errors of the number itself; those in `messages[]` are about inbound messages alone
    const errors: NumberReport[] = objectsOf(value.errors).flatMap((error) =>
      phoneNumberId
        ? [{ phoneNumberId, timestamp: instantOf(entry.time ?? value.timestamp), error: errorIn(error) }]
        : [],
    );
    content.numbers.push(...errors);
    content.ignored += objectsOf(value.messages).length;
    return;
  }
  const report = templateReport(field, value, entry);
  if (report) content.templates.push(report);
  else content.ignored += 1;
}

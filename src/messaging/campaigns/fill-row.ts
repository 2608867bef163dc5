// Filling the template for one recipient of a draft, from an uploaded row or from its stored content. Pure.
import type { Problem } from '../../base/errors.ts';
import { phoneProblem } from '../../base/phone.ts';
import type { FilledTemplate } from '../../ports/platform.ts';
import type { RequestedRecipient } from '../sending/recipients.ts';
import { fillTemplate } from '../template-content/fill.ts';
import type { MediaFile } from '../template-content/fill-header.ts';
import type { TemplatePlan } from '../template-content/placeholders.ts';
import { contentOf } from '../template-content/recipient-content.ts';
import { refill } from '../template-content/refill.ts';
import type { Defaults } from './drafts-store.ts';

export interface FilledRow {
  content: FilledTemplate;
  /** The id of the stored file. */
  mediaId: string | null;
  metadata: Record<string, string> | null;
  problems: Problem[];
}

/** A number as spreadsheets shorten it. */
const shortened = /^[0-9]+([.,][0-9]+)?[eE]\+?[0-9]+$/;

function phoneError(phone: string): string | undefined {
  if (phone === '') return 'this field is required';
  if (!shortened.test(phone)) return phoneProblem(phone);
  return 'was shortened by a spreadsheet; format the column as text, enter the numbers again, and export the file again';
}

/** Fills the template for a recipient; `media` has the files that exist, by their public id. */
export function fillRow(
  plan: TemplatePlan,
  recipient: RequestedRecipient,
  { defaults, media, nowMs }: { defaults: Defaults; media: ReadonlyMap<string, MediaFile>; nowMs: number },
): FilledRow {
  const content = contentOf(recipient, defaults, media);
  const { filled, problems } = fillTemplate(plan, { ...content, nowMs }, '');
  const phone = phoneError(recipient.phone);
  return {
    content: filled,
    mediaId: content.media?.id ?? null,
    metadata: recipient.metadata ?? defaults.metadata ?? null,
    problems: [...(phone === undefined ? [] : [{ path: 'phone', message: phone }]), ...problems],
  };
}

/** Fills the template, as it is now, with the values of a recipient's content; `publicId` names the file of its header. */
export function refillRow(
  plan: TemplatePlan,
  content: FilledTemplate,
  {
    publicId,
    media,
    nowMs,
  }: { publicId: string | undefined; media: ReadonlyMap<string, MediaFile>; nowMs: number },
): { content: FilledTemplate; problems: Problem[] } {
  const values = refill(plan, content);
  const recipient = publicId === undefined ? values : { ...values, mediaId: publicId };
  const { filled, problems } = fillTemplate(plan, { ...contentOf(recipient, {}, media), nowMs }, '');
  return { content: filled, problems };
}

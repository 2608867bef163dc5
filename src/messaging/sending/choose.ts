// What a send goes by: its template, approved, and the number that sends it.
import { AppError } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import type { Db } from '../../db/db.ts';
import { findDefaultSender, findSender, type SenderRow } from '../senders/store.ts';
import { planTemplate, type TemplatePlan } from '../templates/placeholders.ts';
import { findTemplate, type TemplateRow } from '../templates/store.ts';

/** The account's template, known to exist: 404 `template_not_found`. */
export async function templateOf(db: Db, accountId: string, templateId: string): Promise<TemplateRow> {
  const row = isUuid(templateId) ? await findTemplate(db, accountId, templateId) : undefined;
  if (row) return row;
  throw new AppError('template_not_found', 'There is no such template in this account.');
}

/** The named sender: 404 `sender_not_found`; undefined if none was named. */
export async function namedSender(
  db: Db,
  accountId: string,
  senderId: string | undefined,
): Promise<SenderRow | undefined> {
  if (senderId === undefined) return undefined;
  const row = isUuid(senderId) ? await findSender(db, accountId, senderId) : undefined;
  if (row) return row;
  throw new AppError('sender_not_found', 'There is no such sender in this account.');
}

/** The plan of a template that can be sent at all; 400 for one with parts that this gateway cannot fill surely. */
export function sendablePlan(row: TemplateRow): TemplatePlan {
  const plan = planTemplate({
    category: row.category,
    parameterFormat: row.parameter_format,
    components: row.components,
  });
  if (plan.unsupported === null) return plan;
  const message = `this template cannot be sent here: ${plan.unsupported}`;
  throw new AppError('invalid_request', `templateId: ${message}.`, {
    errors: [{ path: 'templateId', message }],
  });
}

/** 409 `template_not_approved` unless the platform takes it now. */
export function requireApproved(row: TemplateRow): void {
  if (row.status === 'approved') return;
  const word = row.provider_status ? ` (the platform says ${row.provider_status})` : '';
  throw new AppError(
    'template_not_approved',
    `The template ${row.name} is ${row.status}${word}; only an approved one can be sent.`,
  );
}

/** The sender: the named one, if it belongs to the template's business account (409), else that account's default (409 if none). */
export async function senderFor(
  db: Db,
  template: TemplateRow,
  named: SenderRow | undefined,
): Promise<SenderRow> {
  if (named) {
    if (named.business_account_id === template.business_account_id) return named;
    throw new AppError(
      'sender_mismatch',
      'This sender belongs to another business account than the template. Use one of the same, or name none.',
    );
  }
  const sender = await findDefaultSender(db, template.account_id, template.business_account_id ?? undefined);
  if (sender) return sender;
  throw new AppError('sender_not_configured', 'The account has no sender for this template. Add one first.');
}

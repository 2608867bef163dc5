// What a send goes by: its template, approved, and the number that sends it.
import { AppError } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import type { Db } from '../../db/db.ts';
import { planTemplate, type TemplatePlan } from '../templates/placeholders.ts';
import type { TemplateRow } from '../templates/store.ts';
import { templateNotFound } from '../templates/submit.ts';
import { findTemplateWithSender, type ResolvedSender, type ResolvedTemplate } from './choice-store.ts';

/** The template, known to exist (404), and the number that would send it: a named one is known to exist too (404). */
export async function resolveTemplate(
  db: Db,
  accountId: string,
  { templateId, senderId }: { templateId: string; senderId?: string | undefined },
): Promise<ResolvedTemplate> {
  const named = isUuid(senderId ?? '') ? senderId?.toLowerCase() : undefined;
  const choice = isUuid(templateId)
    ? await findTemplateWithSender(db, accountId, templateId, named)
    : undefined;
  if (!choice) throw templateNotFound();
  if (senderId === undefined || (named !== undefined && choice.sender?.id === named)) return choice;
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

/** The number that sends: 409 if it belongs to another business account than the template, or if there is none. */
export function requireSender({ template, sender }: ResolvedTemplate): ResolvedSender {
  if (!sender)
    throw new AppError(
      'sender_not_configured',
      'The account has no sender for this template. Add one first.',
    );
  if (sender.business_account_id === template.business_account_id) return sender;
  throw new AppError(
    'sender_mismatch',
    'This sender belongs to another business account than the template. Use one of the same, or name none.',
  );
}

// Resolution of the references of a send: an approved template, and its sender.
import { AppError } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import type { Db, Tx } from '../../db/db.ts';
import { planOfRow, type TemplatePlan } from '../template-content/placeholders.ts';
import { templateNotFound } from '../templates/find.ts';
import type { TemplateRow } from '../templates/store.ts';
import {
  findTemplateWithSender,
  type ResolvedSender,
  type ResolvedTemplate,
  type TemplateAsked,
} from './resolve-template-store.ts';

/**
 * Finds the template and its sender with `find`, which may combine many look-ups; 404 if the template, or a sender given by id,
 * does not exist.
 */
export async function resolveTemplate(
  db: Db | Tx,
  accountId: string,
  { templateId, senderId }: { templateId: string; senderId?: string | undefined },
  find = (asked: TemplateAsked) => findTemplateWithSender(db, asked),
): Promise<ResolvedTemplate> {
  const named = isUuid(senderId ?? '') ? senderId?.toLowerCase() : undefined;
  const asked = { accountId, templateId: templateId.toLowerCase(), senderId: named };
  const resolved = isUuid(templateId) ? await find(asked) : undefined;
  if (!resolved) throw templateNotFound();
  if (senderId === undefined || (named !== undefined && resolved.sender?.id === named)) return resolved;
  throw new AppError('sender_not_found', 'There is no such sender in this account.');
}

/** Plans by the row that was read, which many sends share. */
const plans = new WeakMap<TemplateRow, TemplatePlan>();

function sharedPlanOf(row: TemplateRow): TemplatePlan {
  const known = plans.get(row) ?? planOfRow(row);
  plans.set(row, known);
  return known;
}

/** The plan for filling a template; 400 for one with parts that this gateway cannot fill. */
export function sendablePlan(row: TemplateRow): TemplatePlan {
  const plan = sharedPlanOf(row);
  if (plan.unsupported === null) return plan;
  const message = `this template cannot be sent here: ${plan.unsupported}`;
  throw new AppError('invalid_request', `templateId: ${message}.`, {
    errors: [{ path: 'templateId', message }],
  });
}

/** Throws 409 `template_not_approved` unless the platform accepts sends of it now. */
export function requireApproved(row: TemplateRow): void {
  if (row.status === 'approved') return;
  const word = row.provider_status ? ` (the platform says ${row.provider_status})` : '';
  throw new AppError(
    'template_not_approved',
    `The template ${row.name} is ${row.status}${word}; only approved templates can be sent.`,
  );
}

/** The sender; 409 if there is none, or if it belongs to another business account than the template. */
export function requireSender({
  template,
  sender,
}: Pick<ResolvedTemplate, 'template' | 'sender'>): ResolvedSender {
  if (!sender)
    throw new AppError(
      'sender_not_configured',
      'The account has no sender for this template. Add one first.',
    );
  if (sender.business_account_id === template.business_account_id) return sender;
  throw new AppError(
    'sender_mismatch',
    'This sender belongs to another business account than the template. Use a sender of the same business account, or omit senderId.',
  );
}

// Lookup of a template by the id in a request, and the error for one that is not there.
import { AppError } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import type { Db } from '../../db/db.ts';
import { findTemplate, type TemplateRow } from './store.ts';

/** The 404 of a template. */
export function templateNotFound(): AppError {
  return new AppError('template_not_found', 'There is no such template in this account.');
}

/** The account's template with that id; throws 404 `template_not_found`. */
export async function requireTemplate(db: Db, accountId: string, templateId: string): Promise<TemplateRow> {
  const row = isUuid(templateId) ? await findTemplate(db, accountId, templateId) : undefined;
  if (!row) throw templateNotFound();
  return row;
}

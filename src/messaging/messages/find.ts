// Lookup of a send by the id in a request, and the errors for sends and messages that are not there.
import { AppError } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import type { Db } from '../../db/db.ts';
import { findSend, type SendRow } from './sends-store.ts';

/** The 404 for a send that is not in this account. */
export function sendNotFound(): AppError {
  return new AppError('send_not_found', 'There is no such send in this account.');
}

/** The 404 for a message that is not in this account. */
export function messageNotFound(): AppError {
  return new AppError('message_not_found', 'There is no such message in this account.');
}

/** The account's send with that id; throws 404 `send_not_found`. */
export async function requireSend(deps: { db: Db }, accountId: string, sendId: string): Promise<SendRow> {
  const send = isUuid(sendId) ? await findSend(deps.db, accountId, sendId) : undefined;
  if (!send) throw sendNotFound();
  return send;
}

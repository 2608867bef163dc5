// Read marks and the typing indicator: platform calls that are made immediately and never retried.
import { AppError, externalError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Db } from '../../db/db.ts';
import type { MessagingPlatform } from '../../ports/platform.ts';
import { identitiesOfContact } from '../contacts/identities-store.ts';
import type { ReceivedRow } from '../received/presenter.ts';
import { listReceived } from '../received/store.ts';
import { type AccessDeps, senderAccess } from '../senders/access.ts';
import { findSenderById } from '../senders/store.ts';
import type { Conversation } from './store.ts';

export interface MarkReadDeps extends AccessDeps {
  db: Db;
  log: Log;
  platform: Pick<MessagingPlatform, 'markRead'>;
}

/**
 * Marks a received message and all earlier ones of the person as read; with `typing`, also shows them for up to 25 seconds that
 * an answer is being typed. Throws 404 `sender_not_found` if the number was removed, 409 `conflict` if the platform gave the
 * message no id, 502 or 503.
 */
export async function markRead(
  deps: MarkReadDeps,
  row: Pick<ReceivedRow, 'sender_id' | 'message_ref'>,
  typing: boolean,
): Promise<void> {
  if (row.message_ref === null)
    throw new AppError(
      'conflict',
      'The platform gave this message no readable id, so it cannot be marked as read.',
    );
  const sender = await findSenderById(deps.db, row.sender_id);
  if (!sender) throw new AppError('sender_not_found', 'The number that received this message was removed.');
  try {
    await deps.platform.markRead(senderAccess(deps, sender), { messageRef: row.message_ref, typing });
  } catch (error) {
    throw externalError(error, 'The messaging platform');
  }
}

/**
 * Marks the person's last message to the number as read before a reply. Never rejects: a failure is logged, and the reply is sent
 * without it.
 */
export async function tryMarkRead(
  deps: MarkReadDeps,
  accountId: string,
  conversation: Pick<Conversation, 'contact_id' | 'sender_id'>,
  typing: boolean,
): Promise<void> {
  try {
    const identities = await identitiesOfContact(deps.db, accountId, conversation.contact_id);
    const people = identities.map(({ identity }) => identity);
    const { rows } = await listReceived(deps.db, accountId, { people, senderId: conversation.sender_id }, 1);
    const [last] = rows;
    if (last) await markRead(deps, last, typing);
  } catch (error) {
    deps.log.warn({ err: error, accountId }, 'reply.not_marked_read');
  }
}

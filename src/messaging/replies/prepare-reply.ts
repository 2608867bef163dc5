// The references and contents of a requested reply, checked except for its window.
import { invalidRequest } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import type { ReplyBody } from '../../contract/replies.ts';
import type { Db } from '../../db/db.ts';
import { findIdentities } from '../contacts/identities-store.ts';
import { identityOf } from '../contacts/identity.ts';
import { findMedia } from '../media/store.ts';
import { messageNotFound } from '../messages/find.ts';
import { findMessage } from '../messages/store.ts';
import { findReceived } from '../received/store.ts';
import type { ReplyRequest } from './queue-reply.ts';
import { contentOf, recipientOf } from './reply.ts';

/**
 * Makes the request of a reply from its body. Throws 404 `message_not_found` if `replyTo` is an id of ours that the account does
 * not have or that the platform never named, and 400 with every problem of the content, or if `replyTo` belongs to the conversation with another
 * person.
 */
export async function prepareReply(
  { db }: { db: Db },
  accountId: string,
  body: ReplyBody,
): Promise<ReplyRequest> {
  const { senderId, metadata } = body;
  const quoted = body.replyTo === undefined ? undefined : await findQuoted(db, accountId, body.replyTo);
  const mediaId = body.media?.mediaId;
  const row = mediaId === undefined ? undefined : await findMedia(db, accountId, mediaId);
  const { to, problems } = recipientOf(body);
  const file = row && { kind: row.kind, fileName: row.file_name };
  const { content, problems: ofContent } = contentOf(body, file);
  problems.push(...ofContent);
  if (quoted?.person && (await isAnother(db, accountId, to, quoted.person)))
    problems.push({ path: 'replyTo', message: 'is a message of the conversation with another person' });
  if (problems.length > 0 || !content) throw invalidRequest(problems);
  return { accountId, to, senderId, content, replyTo: quoted?.ref, metadata };
}

interface Quoted {
  /** The platform's id. */
  ref: string;
  /** The identity of the person whose conversation it belongs to; null if it is not known. */
  person: string | null;
}

/** Finds a message that is named by the platform's id or by ours. */
async function findQuoted(db: Db, accountId: string, id: string): Promise<Quoted> {
  if (!isUuid(id)) return { ref: id, person: null };
  const received = await findReceived(db, accountId, id);
  const found = received ?? (await findMessage(db, accountId, id));
  const ref = found && ('message_ref' in found ? found.message_ref : found.wamid);
  if (!found || ref === null || ref === undefined) throw messageNotFound();
  return { ref, person: identityOf({ phone: found.phone, userId: found.user_id }) };
}

/** True if both are known, as different contacts. */
async function isAnother(
  db: Db,
  accountId: string,
  to: ReplyRequest['to'],
  person: string,
): Promise<boolean> {
  const own = identityOf({ phone: null, userId: null, ...to });
  if (own === null || own === person) return false;
  const found = await findIdentities(
    db,
    [own, person].map((identity) => ({ accountId, identity })),
  );
  return new Set(found.map(({ contactId }) => contactId)).size > 1;
}

// The references and contents of a requested reply, checked except for its window.
import { invalidRequest } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import type { ReplyBody } from '../../contract/replies.ts';
import type { Db } from '../../db/db.ts';
import { findMedia } from '../media/store.ts';
import { findReceived } from '../received/store.ts';
import { findMessage } from '../sending/messages-store.ts';
import { messageNotFound } from '../sending/resend.ts';
import type { ReplyRequest } from './queue-reply.ts';
import { contentOf, recipientOf } from './reply.ts';

/**
 * Makes the request of a reply from its body. Throws 404 `message_not_found` if `replyTo` is an id of ours that the account does
 * not have or that the platform never named, and 400 with every problem of the content.
 */
export async function prepareReply(
  { db }: { db: Db },
  accountId: string,
  body: ReplyBody,
): Promise<ReplyRequest> {
  const { senderId, metadata } = body;
  const replyTo = body.replyTo === undefined ? undefined : await platformRef(db, accountId, body.replyTo);
  const mediaId = body.media?.mediaId;
  const row = mediaId === undefined ? undefined : await findMedia(db, accountId, mediaId);
  const { to, problems } = recipientOf(body);
  const file = row && { kind: row.kind, fileName: row.file_name };
  const { content, problems: ofContent } = contentOf(body, file);
  problems.push(...ofContent);
  if (problems.length > 0 || !content) throw invalidRequest(problems);
  return { accountId, to, senderId, content, replyTo, metadata };
}

/** The platform's id of a message that is named by that id or by ours. */
async function platformRef(db: Db, accountId: string, id: string): Promise<string> {
  if (!isUuid(id)) return id;
  const received = await findReceived(db, accountId, id);
  const ref = received ? received.message_ref : (await findMessage(db, accountId, id))?.wamid;
  if (ref === null || ref === undefined) throw messageNotFound();
  return ref;
}

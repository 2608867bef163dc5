// The response to a reply, and what repeats of its Idempotency-Key get; as for a send with one message (`sending/send-response.ts`).
import type { Db } from '../../db/db.ts';
import { type IdempotencyKeyRow, type KeyResponse, recordKeyResponses } from '../../db/idempotency-keys.ts';
import { ok } from '../../http/reply.ts';
import { messageNotFound } from '../messages/find.ts';
import { type MessageKey, state } from '../messages/message.ts';
import { findMessage } from '../messages/store.ts';
import { storeUnlessAccepted } from '../sending/send-response.ts';
import { describeReply, presentReply, type ReplyResultRow } from './presenter.ts';

type Deps = { db: Db; hot: Db };

/** The response to a reply with this result. */
export function responseOf(row: ReplyResultRow): KeyResponse {
  const data = presentReply(row);
  return { subjectId: row.id, status: 200, body: JSON.stringify(ok(describeReply(data), data)) };
}

/** The response to an accepted reply, whatever was reported since. */
const acceptedResponse = (row: ReplyResultRow) => responseOf({ ...row, state: state.accepted, error: null });

/** The reply's row. Throws 404 `message_not_found`. */
export async function requireReply({ db }: Deps, { accountId, id }: MessageKey): Promise<ReplyResultRow> {
  const row = await findMessage(db, accountId, id);
  if (!row) throw messageNotFound();
  return row;
}

/**
 * Returns the response to give, the same that repeats of the key get from now on: stores it, unless the acceptance of the reply is
 * the response. `answeredBy`: of the key; null if it was stored by an earlier version.
 */
export async function settleResponse(
  deps: Deps,
  accountId: string,
  { row, answeredBy }: { row: ReplyResultRow; answeredBy: string | null },
): Promise<KeyResponse> {
  const { id } = row;
  if (answeredBy !== id) {
    const [stored] = await recordKeyResponses(deps.db, [responseOf(row)]);
    return stored ?? responseOf(row);
  }
  if (row.wamid) return acceptedResponse(row);
  const message = { accountId, id };
  const stored = await storeUnlessAccepted(deps.hot, message, responseOf(row));
  return stored ?? settleResponse(deps, accountId, { row: await requireReply(deps, message), answeredBy });
}

/** Makes the response of a key that stores none, for `lookUpKey`. Undefined if no accepted reply answers it. */
export async function makeResponse(
  { db }: Deps,
  accountId: string,
  { subject_id: id, answered_by: answeredBy }: IdempotencyKeyRow,
): Promise<KeyResponse | undefined> {
  const row = answeredBy === id ? await findMessage(db, accountId, id) : undefined;
  return row?.wamid ? acceptedResponse(row) : undefined;
}

// The response to a send, and what repeats of its Idempotency-Key get: a stored response, or one made again from its only message.
import type { Db } from '../../db/db.ts';
import { type IdempotencyKeyRow, type KeyResponse, recordKeyResponses } from '../../db/idempotency-keys.ts';
import { ok } from '../../http/reply.ts';
import { type MessageKey, state } from '../messages/message.ts';
import { lockUnaccepted } from '../messages/moves-store.ts';
import { describeSend, presentSend } from '../messages/presenter.ts';
import { findSend } from '../messages/sends-store.ts';
import { listResults, type ResultRow } from '../messages/store.ts';
import type { SendSteps } from './send-steps.ts';

/** A send to whose request is responded. */
export interface RespondingSend {
  id: string;
  templateId: string;
  /** When it starts, if it waits for that. */
  sendAt: Date | null;
  isAsync: boolean;
  hasKey: boolean;
  /** The only message of the send, if its acceptance answers the key; see `answered_by` of keys. */
  answeredBy: string | null;
}

export type SendResponseDeps = { db: Db; hot: Db; sendSteps: Pick<SendSteps, 'recordResponse'> };

/** The response to a send with these results, in the order of its recipients. */
function responseOf(
  send: Pick<RespondingSend, 'id' | 'templateId' | 'sendAt' | 'isAsync'>,
  rows: ResultRow[],
): KeyResponse {
  const data = presentSend(send, rows);
  const body = JSON.stringify(ok(describeSend(data, send.sendAt), data));
  return { subjectId: send.id, status: send.isAsync ? 202 : 200, body };
}

/** True if the send has only the message that answers the key: after an upgrade, a key may name that of an earlier send. */
const isAnswered = (answeredBy: string | null, rows: readonly ResultRow[]): boolean =>
  rows.length === 1 && rows[0]?.id === answeredBy;

/** The response to a send whose only message was accepted, whatever was reported since. */
const acceptedResponse = (send: Pick<RespondingSend, 'id' | 'templateId'>, row: ResultRow): KeyResponse =>
  responseOf({ ...send, sendAt: null, isAsync: false }, [{ ...row, state: state.accepted, error: null }]);

/**
 * Returns the response to give, the same that repeats of the key get from now on: stores it, unless the acceptance of
 * the only message is the response.
 */
export async function settleResponse(
  deps: SendResponseDeps,
  accountId: string,
  send: RespondingSend,
  rows: ResultRow[],
): Promise<KeyResponse> {
  if (!send.hasKey) return responseOf(send, rows);
  const [row] = rows;
  if (!row || !isAnswered(send.answeredBy, rows))
    return deps.sendSteps.recordResponse(responseOf(send, rows));
  if (row.wamid) return acceptedResponse(send, row);
  const stored = await storeUnlessAccepted(deps.hot, { accountId, id: row.id }, responseOf(send, rows));
  return stored ?? settleResponse(deps, accountId, send, await listResults(deps.db, accountId, send.id));
}

/**
 * Stores a response for repeats of a key that this message answers; returns what is stored. Undefined, and nothing is stored, if the
 * platform has accepted the message: one repeat could find the acceptance, and a later one the response.
 */
export async function storeUnlessAccepted(
  hot: Db,
  message: MessageKey,
  response: KeyResponse,
): Promise<KeyResponse | undefined> {
  return hot.transaction().execute(async (tx) => {
    if (!(await lockUnaccepted(tx, message))) return undefined;
    return (await recordKeyResponses(tx, [response]))[0];
  });
}

/** Makes the response of a key that stores none, for `lookUpKey`. Undefined if no accepted message answers it. */
export async function makeResponse(
  db: Db,
  accountId: string,
  { subject_id: id, answered_by: answeredBy }: IdempotencyKeyRow,
): Promise<KeyResponse | undefined> {
  if (answeredBy === null) return undefined;
  const [send, rows] = await Promise.all([findSend(db, accountId, id), listResults(db, accountId, id)]);
  const [row] = rows;
  if (!send || !row?.wamid || !isAnswered(answeredBy, rows)) return undefined;
  return acceptedResponse({ id, templateId: send.template_id }, row);
}

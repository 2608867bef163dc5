// Routes: replies to people who wrote.
import type { KeyedHash } from '../../base/keyed-hash.ts';
import { parseTraceparent } from '../../base/trace-ids.ts';
import { success } from '../../contract/envelope.ts';
import { ReplyBody, ReplyResult } from '../../contract/replies.ts';
import { fingerprintOf, lookUpKey, sendReplay } from '../../http/idempotency.ts';
import { sendBody } from '../../http/reply.ts';
import type { Server } from '../../http/request.ts';
import type { Tracing } from '../../ports/tracing.ts';
import { state } from '../messages/message.ts';
import { traceRequest } from '../messages/traced-steps.ts';
import { awaitCompletions, releasingKey } from '../sending/send.ts';
import { keyLeaseOf } from '../sending/store-send.ts';
import { type MarkReadDeps, tryMarkRead } from './mark-read.ts';
import { prepareReply } from './prepare-reply.ts';
import type { ReplyResultRow } from './presenter.ts';
import { queueReply, type ReplyDeps, requireConversation } from './queue-reply.ts';
import { readRoutes } from './read-routes.ts';
import { makeResponse, requireReply, responseOf, settleResponse } from './reply-response.ts';

export type ReplyRoutesDeps = ReplyDeps &
  MarkReadDeps & {
    keyedHash: KeyedHash;
    /** Where spans are recorded, if traces are on. */
    tracing?: Tracing | undefined;
  };

/** POST /v1/messages/reply and POST /v1/messages/received/:id/read. */
export function replyRoutes(server: Server, deps: ReplyRoutesDeps): void {
  readRoutes(server, deps);
  server.post(
    '/v1/messages/reply',
    {
      schema: { body: ReplyBody, response: { 200: success(ReplyResult) } },
      config: { scope: 'messages:send', idempotency: 'optional', subject: 'messageId' },
    },
    async (request, reply) => {
      const { accountId } = request.caller;
      const key = request.idempotencyKey && {
        ...{ accountId, operation: 'reply', key: request.idempotencyKey },
        ...fingerprintOf(deps.keyedHash, request.body),
      };
      const respond = async (row: ReplyResultRow, answeredBy: string | null) => {
        const { body } = key ? await settleResponse(deps, accountId, { row, answeredBy }) : responseOf(row);
        return sendBody(reply, body);
      };
      if (key) {
        const repeat = await lookUpKey(
          deps.db,
          { ...key, ...keyLeaseOf(deps) },
          { makeResponse: (row) => makeResponse(deps, accountId, row) },
        );
        if (repeat.kind === 'answered') return sendReplay(reply, repeat);
        if (repeat.kind === 'continue') {
          const { subjectId, answeredBy } = repeat;
          return await releasingKey(deps, subjectId, async () =>
            respond(await continued(deps, accountId, subjectId), answeredBy),
          );
        }
      }
      const prepared = await prepareReply(deps, accountId, request.body);
      const { markRead = false, typing = false } = request.body;
      if (markRead || typing)
        await tryMarkRead(deps, accountId, await requireConversation(deps, prepared), typing);
      const queued = await queueReply(deps, prepared, key || undefined);
      const { id, phone, userId: user_id } = queued;
      request.subjectId = id;
      const completions = await awaitCompletions(deps, accountId, queued.awaited);
      const result = completions.get(id) ?? { state: state.queued, wamid: null, error: null };
      const sent = await releasingKey(deps, id, () => respond({ ...result, id, phone, user_id }, id));
      if (deps.tracing)
        traceRequest(deps.tracing, [id], {
          ...{ name: 'reply', startMs: Date.now() - reply.elapsedTime },
          attributes: { 'gateway.account': accountId },
          links: [parseTraceparent(request.headers.traceparent)],
        });
      return sent;
    },
  );
}

/** The reply that an earlier request with the same key stored. */
async function continued(deps: ReplyRoutesDeps, accountId: string, id: string): Promise<ReplyResultRow> {
  const row = await requireReply(deps, { accountId, id });
  if (row.state >= state.accepted) return row;
  await awaitCompletions(deps, accountId, [id]);
  return await requireReply(deps, { accountId, id });
}

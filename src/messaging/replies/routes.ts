// Routes: replies to people who wrote.
import type { FastifyReply } from 'fastify';
import { invalidRequest } from '../../base/errors.ts';
import type { KeyedHash } from '../../base/keyed-hash.ts';
import { success } from '../../contract/envelope.ts';
import { ReplyBody, ReplyResult } from '../../contract/replies.ts';
import { recordKeyResponse } from '../../db/idempotency-keys.ts';
import { fingerprintOf, lookUpKey, sendReplay } from '../../http/idempotency.ts';
import { ok } from '../../http/reply.ts';
import type { Server } from '../../http/request.ts';
import { state } from '../sending/message.ts';
import { findMessage } from '../sending/messages-store.ts';
import { messageNotFound } from '../sending/resend.ts';
import { awaitCompletions, keyLeaseSeconds, releaseIfAway } from '../sending/send.ts';
import { describeReply, presentReply, type ReplyResultRow } from './presenter.ts';
import { queueReply, type ReplyDeps } from './queue-reply.ts';
import { contentOf, recipientOf } from './reply.ts';

export type ReplyRoutesDeps = ReplyDeps & { keyedHash: KeyedHash };

/** POST /v1/messages/reply. */
export function replyRoutes(server: Server, deps: ReplyRoutesDeps): void {
  server.post(
    '/v1/messages/reply',
    {
      schema: { body: ReplyBody, response: { 200: success(ReplyResult) } },
      config: { scope: 'messages:send', idempotency: 'optional' },
    },
    async (request, reply) => {
      const { accountId } = request.caller;
      const { senderId, replyTo, metadata, ...body } = request.body;
      const { to, problems } = recipientOf(body);
      const { content, problems: contentProblems } = contentOf(body);
      problems.push(...contentProblems);
      if (problems.length > 0 || !content) throw invalidRequest(problems);
      const key = request.idempotencyKey && {
        ...{ accountId, operation: 'reply', key: request.idempotencyKey },
        ...fingerprintOf(deps.keyedHash, request.body),
      };
      const respond = (row: ReplyResultRow) => respondWith(deps, row, key !== undefined, reply);
      if (key) {
        const repeat = await lookUpKey(deps.db, { ...key, leaseSeconds: keyLeaseSeconds(deps) });
        if (repeat.kind === 'answered') return sendReplay(reply, repeat);
        if (repeat.kind === 'continue') return respond(await continued(deps, accountId, repeat.subjectId));
      }
      const queued = await queueReply(
        deps,
        { accountId, to, senderId, content, replyTo, metadata },
        key || undefined,
      );
      const { id, phone, userId: user_id } = queued;
      const completions = await awaitCompletions(deps, accountId, queued.awaited);
      const result = completions.get(id) ?? { state: state.queued, wamid: null, error: null };
      return respond({ ...result, id, phone, user_id });
    },
  );
}

/** The reply that an earlier request with the same key stored. */
async function continued(deps: ReplyRoutesDeps, accountId: string, id: string): Promise<ReplyResultRow> {
  try {
    const found = async () => {
      const row = await findMessage(deps.db, accountId, id);
      if (!row) throw messageNotFound();
      return row;
    };
    const row = await found();
    if (row.state >= state.accepted) return row;
    await awaitCompletions(deps, accountId, [id]);
    return await found();
  } catch (error) {
    releaseIfAway(deps, error, id);
    throw error;
  }
}

async function respondWith(
  deps: ReplyRoutesDeps,
  row: ReplyResultRow,
  hasKey: boolean,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const data = presentReply(row);
  const body = JSON.stringify(ok(describeReply(data), data));
  try {
    if (hasKey) await recordKeyResponse(deps.db, row.id, { status: 200, body });
  } catch (error) {
    releaseIfAway(deps, error, row.id);
    throw error;
  }
  return reply.type('application/json; charset=utf-8').send(body);
}

// The route that resends a failed message.
import { uuidv7 } from '../../base/ids.ts';
import type { KeyedHash } from '../../base/keyed-hash.ts';
import { parseTraceparent, rootSpanOf } from '../../base/trace-ids.ts';
import { nullable, success } from '../../contract/envelope.ts';
import { MessageItem, MessageParams, ResendBody } from '../../contract/messages.ts';
import { insertKey, recordKeyResponse } from '../../db/idempotency-keys.ts';
import { fingerprintOf, lookUpKey, sendReplay } from '../../http/idempotency.ts';
import { ok, sendBody } from '../../http/reply.ts';
import type { Caller, Server } from '../../http/request.ts';
import type { Tracing } from '../../ports/tracing.ts';
import { messageNotFound } from '../messages/find.ts';
import { state } from '../messages/message.ts';
import { canReadContents, showMessages } from '../messages/show.ts';
import { findMessage } from '../messages/store.ts';
import { traceRequest } from '../messages/traced-steps.ts';
import { type ResendDeps, resendMessage } from './resend.ts';
import { awaitCompletions, releaseIfUnavailable } from './send.ts';
import { keyLeaseOf } from './store-send.ts';

export type ResendRoutesDeps = ResendDeps & {
  keyedHash: KeyedHash;
  /** Where spans are recorded, if traces are on. */
  tracing?: Tracing | undefined;
};

/** POST /v1/messages/:id/resend. */
export function resendRoutes(server: Server, deps: ResendRoutesDeps): void {
  server.post(
    '/v1/messages/:id/resend',
    {
      schema: {
        params: MessageParams,
        body: nullable(ResendBody),
        response: { 200: success(MessageItem) },
      },
      config: { scope: 'messages:send', idempotency: 'optional' },
    },
    async (request, reply) => {
      const { caller } = request;
      const { accountId } = caller;
      const messageId = request.params.id;
      const evenIfUnknown = request.body?.evenIfUnknown ?? false;
      const key = request.idempotencyKey && {
        // a stored response with contents is not replayed to a key that may not read them
        operation: canReadContents(caller) ? 'resend' : 'resend-without-contents',
        ...{ accountId, key: request.idempotencyKey },
        ...fingerprintOf(deps.keyedHash, { messageId: messageId.toLowerCase(), evenIfUnknown }),
      };
      const repeat = key ? await lookUpKey(deps.db, { ...key, ...keyLeaseOf(deps) }) : undefined;
      if (repeat?.kind === 'answered') return sendReplay(reply, repeat);
      const unused = repeat?.kind === 'first' ? key || undefined : undefined;
      const resent = await resendMessage(deps, { accountId, messageId, evenIfUnknown }, unused);
      const subjectId = repeat?.kind === 'continue' ? repeat.subjectId : resent.startedId;
      try {
        await awaitCompletions(deps, accountId, resent.awaited);
        const body = await bodyOf(deps, caller, resent.id);
        if (subjectId === undefined && unused) await storeResponse(deps, unused, body);
        else if (subjectId !== undefined && key)
          await recordKeyResponse(deps.db, subjectId, { status: 200, body });
        if (deps.tracing && resent.startedId !== undefined)
          traceRequest(deps.tracing, [resent.id], {
            ...{ name: 'resend', startMs: Date.now() - reply.elapsedTime },
            attributes: { 'gateway.account': accountId, 'gateway.resent': messageId },
            links: [rootSpanOf(messageId), parseTraceparent(request.headers.traceparent)],
          });
        return sendBody(reply, body);
      } catch (error) {
        if (subjectId !== undefined) releaseIfUnavailable(deps, error, subjectId);
        throw error;
      }
    },
  );
}

/** Stores the response for a new key of a message that had been resent before. */
async function storeResponse(
  deps: ResendRoutesDeps,
  key: Omit<Parameters<typeof insertKey>[1], 'subjectId' | 'leaseSeconds'>,
  body: string,
): Promise<void> {
  const subjectId = uuidv7(deps.clock.now());
  await deps.db.transaction().execute(async (tx) => {
    if (await insertKey(tx, { ...key, subjectId, leaseSeconds: 1 }))
      await recordKeyResponse(tx, subjectId, { status: 200, body });
  });
}

async function bodyOf(deps: ResendRoutesDeps, caller: Caller, id: string): Promise<string> {
  const row = await findMessage(deps.db, caller.accountId, id);
  if (!row) throw messageNotFound();
  const [message] = await showMessages(deps.db, caller, [row]);
  const text =
    row.state === state.failed ? 'Message resent; the new message failed, see error.' : 'Message resent.';
  return JSON.stringify(ok(text, message));
}

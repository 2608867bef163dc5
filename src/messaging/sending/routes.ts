// Routes: the send operation.
import type { FastifyReply } from 'fastify';
import type { KeyedHash } from '../../base/keyed-hash.ts';
import type { Metrics } from '../../base/metrics.ts';
import { parseTraceparent } from '../../base/trace-ids.ts';
import { success } from '../../contract/envelope.ts';
import { SendBody, SendResult } from '../../contract/sends.ts';
import { fingerprintOf, lookUpKey, sendReplay } from '../../http/idempotency.ts';
import { sendBody } from '../../http/reply.ts';
import type { Server } from '../../http/request.ts';
import { idInBody } from '../../http/request-line.ts';
import type { Tracing } from '../../ports/tracing.ts';
import type { Completion } from '../messages/completion-waiters.ts';
import { requireSend } from '../messages/find.ts';
import { state } from '../messages/message.ts';
import { sendStage } from '../messages/send-stage.ts';
import { listResults, type ResultRow } from '../messages/store.ts';
import { traceRequest } from '../messages/traced-steps.ts';
import type { ResendDeps } from './resend.ts';
import { resendRoutes } from './resend-routes.ts';
import { awaitCompletions, releasingKey, type StartedSend, startSend, startWithKnown } from './send.ts';
import { makeResponse, type RespondingSend, settleResponse } from './send-response.ts';
import { keyLeaseOf } from './store-send.ts';

export type SendingRoutesDeps = ResendDeps & {
  keyedHash: KeyedHash;
  metrics: Pick<Metrics, 'sendOverhead'>;
  /** Where spans are recorded, if traces are on. */
  tracing?: Tracing | undefined;
};

const prefersAsync = /(^|[,;\s])respond-async($|[,;\s])/i;

/** POST /v1/templates/send, POST /v1/messages/:id/resend. */
export function sendingRoutes(server: Server, deps: SendingRoutesDeps): void {
  sendRoute(server, deps);
  resendRoutes(server, deps);
}

/** The ids of messages without a result. */
const pendingIds = (rows: ResultRow[]) =>
  rows.filter((row) => row.state < state.accepted).map((row) => row.id);

/** The results of a send that this request started. */
async function resultsOf(
  deps: SendingRoutesDeps,
  accountId: string,
  send: StartedSend & { isAsync: boolean },
): Promise<(ResultRow & Pick<Completion, 'callMs'>)[]> {
  const completions = send.isAsync
    ? new Map<string, Completion>()
    : await awaitCompletions(deps, accountId, send.awaited);
  return send.messages.map(({ id, phone, name }) => ({
    ...(send.ended.get(id) ?? completions.get(id) ?? { state: state.queued, wamid: null, error: null }),
    ...{ id, phone, name },
  }));
}

/** Sends the response, which repeats of the request's key get as well. */
async function respond(
  deps: SendingRoutesDeps,
  send: RespondingSend & { accountId: string },
  rows: ResultRow[],
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { status, body } = await releasingKey(deps, send.id, () =>
    settleResponse(deps, send.accountId, send, rows),
  );
  if (status === 202) reply.header('Preference-Applied', 'respond-async');
  return sendBody(reply.code(status), body);
}

function sendRoute(server: Server, deps: SendingRoutesDeps): void {
  server.post(
    '/v1/templates/send',
    {
      schema: {
        body: SendBody,
        response: { 200: success(SendResult), 202: success(SendResult) },
      },
      config: { subject: 'sendId', scope: 'messages:send', idempotency: 'optional' },
      bodyLimit: 8 * 1024 * 1024,
    },
    async (request, reply) => {
      const { accountId } = request.caller;
      const isAsync = prefersAsync.test(String(request.headers.prefer ?? ''));
      const key = request.idempotencyKey && {
        accountId,
        operation: 'send',
        key: request.idempotencyKey,
        ...fingerprintOf(deps.keyedHash, request.body, SendBody),
        isAnsweredByMessage: !isAsync,
      };
      const requestOf = { accountId, isAsync, hasKey: key !== undefined };
      const given = { accountId, ...request.body };
      // the key of a first request is stored with its send; only if that stored nothing is it looked up
      const known = await startWithKnown(deps, given, key || undefined);
      if (key && !known) {
        const of = { ...key, ...keyLeaseOf(deps) };
        const repeat = await lookUpKey(deps.db, of, {
          find: deps.sendSteps.findKey,
          makeResponse: (row) => makeResponse(deps.db, accountId, row),
        });
        if (repeat.kind === 'answered') {
          request.subjectId = idInBody(repeat.body, 'sendId');
          return sendReplay(reply, repeat);
        }
        if (repeat.kind === 'continue') {
          const { subjectId, answeredBy } = repeat;
          return await releasingKey(deps, subjectId, async () => {
            const found = await requireSend(deps, accountId, subjectId);
            const { id, template_id: templateId } = found;
            const sendAt = found.stage === sendStage.scheduled ? found.send_at : null;
            const rows = () => listResults(deps.db, accountId, id);
            if (!isAsync && found.stage === sendStage.started)
              await awaitCompletions(deps, accountId, pendingIds(await rows()));
            request.subjectId = id;
            return respond(deps, { ...requestOf, id, templateId, sendAt, answeredBy }, await rows(), reply);
          });
        }
      }
      const started = known ?? (await startSend(deps, given, key || undefined));
      const send = { ...started, ...requestOf };
      request.subjectId = send.id;
      const rows = await resultsOf(deps, accountId, send);
      await respond(deps, send, rows, reply);
      if (deps.tracing)
        traceRequest(
          deps.tracing,
          // a send that waits is fed in portions, which are in its own trace
          [send.id, ...send.messages.map(({ id }) => id)],
          {
            ...{ name: 'send', startMs: Date.now() - reply.elapsedTime },
            attributes: { 'gateway.send': send.id, 'gateway.account': accountId },
            links: [parseTraceparent(request.headers.traceparent)],
          },
        );
      const [{ callMs } = {}] = rows;
      if (rows.length === 1 && callMs !== undefined)
        deps.metrics.sendOverhead.observe((reply.elapsedTime - callMs) / 1000);
      return reply;
    },
  );
}

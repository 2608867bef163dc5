// Routes: drafts, and changes of sends.
import { counted } from '../../base/counted.ts';
import { isUuid } from '../../base/ids.ts';
import type { KeyedHash } from '../../base/keyed-hash.ts';
import { parseTraceparent } from '../../base/trace-ids.ts';
import { ChangeSendBody, DeletedSend, DraftBody, SendSummary } from '../../contract/campaigns.ts';
import { success } from '../../contract/envelope.ts';
import { CheckedRecipients } from '../../contract/send-recipients.ts';
import { SendParams } from '../../contract/sends.ts';
import { recordKeyResponse } from '../../db/idempotency-keys.ts';
import { fingerprintOf, lookUpKey, sendReplay } from '../../http/idempotency.ts';
import { ok, sendBody } from '../../http/reply.ts';
import type { Server } from '../../http/request.ts';
import type { Tracing } from '../../ports/tracing.ts';
import { sendNotFound } from '../messages/find.ts';
import { traceRequest } from '../messages/traced-steps.ts';
import { checkRecipients } from './check.ts';
import { changeSend, createDraft, type DraftDeps, deleteDraft, draftKeyLeaseSeconds } from './drafts.ts';
import { sendSummaryOf } from './summary.ts';

export type DraftRoutesDeps = DraftDeps & {
  keyedHash: KeyedHash;
  /** Where spans are recorded, if traces are on. */
  tracing?: Tracing | undefined;
};

/** The key of a send in a request; 404 for a malformed id. */
export function sendKeyOf(request: { caller: { accountId: string }; params: { sendId: string } }) {
  const { sendId } = request.params;
  if (!isUuid(sendId)) throw sendNotFound();
  return { accountId: request.caller.accountId, sendId };
}

/** POST /v1/sends, PATCH and DELETE /v1/sends/:sendId, POST /v1/sends/:sendId/check. */
export function draftRoutes(server: Server, deps: DraftRoutesDeps): void {
  createRoute(server, deps);
  server.patch(
    '/v1/sends/:sendId',
    {
      schema: { params: SendParams, body: ChangeSendBody, response: { 200: success(SendSummary) } },
      config: { scope: 'messages:send' },
    },
    async (request) => {
      const of = sendKeyOf(request);
      await changeSend(deps, of, request.body);
      return ok('Send changed.', await sendSummaryOf(deps, of));
    },
  );
  server.delete(
    '/v1/sends/:sendId',
    {
      schema: { params: SendParams, response: { 200: success(DeletedSend) } },
      config: { scope: 'messages:send' },
    },
    async (request) => {
      const of = sendKeyOf(request);
      await deleteDraft(deps, of);
      return ok('Draft deleted.', { sendId: of.sendId });
    },
  );
  server.post(
    '/v1/sends/:sendId/check',
    {
      schema: { params: SendParams, response: { 200: success(CheckedRecipients) } },
      config: { scope: 'messages:send' },
    },
    async (request) => {
      const result = await checkRecipients(deps, sendKeyOf(request));
      return ok(`${counted(result.checked, 'recipient')} checked.`, result);
    },
  );
}

function createRoute(server: Server, deps: DraftRoutesDeps): void {
  server.post(
    '/v1/sends',
    {
      schema: { body: DraftBody, response: { 200: success(SendSummary) } },
      config: { scope: 'messages:send', idempotency: 'optional' },
    },
    async (request, reply) => {
      const { accountId } = request.caller;
      const key = request.idempotencyKey && {
        accountId,
        operation: 'createSend',
        key: request.idempotencyKey,
        ...fingerprintOf(deps.keyedHash, request.body),
      };
      const known = key
        ? await lookUpKey(deps.db, { ...key, leaseSeconds: draftKeyLeaseSeconds, processId: deps.processId })
        : undefined;
      if (known?.kind === 'answered') return sendReplay(reply, known);
      const sendId =
        known?.kind === 'continue'
          ? known.subjectId
          : await createDraft(deps, accountId, request.body, key || undefined);
      const body = JSON.stringify(ok('Draft created.', await sendSummaryOf(deps, { accountId, sendId })));
      if (key) await recordKeyResponse(deps.db, sendId, { status: 200, body });
      if (deps.tracing)
        traceRequest(deps.tracing, [sendId], {
          ...{ name: 'create send', startMs: Date.now() - reply.elapsedTime },
          attributes: { 'gateway.account': accountId },
          links: [parseTraceparent(request.headers.traceparent)],
        });
      return sendBody(reply, body);
    },
  );
}

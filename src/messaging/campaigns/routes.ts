// Routes: the list of sends, a send and its progress, and its actions.
import { counted } from '../../base/counted.ts';
import { isUuid } from '../../base/ids.ts';
import { parseTraceparent } from '../../base/trace-ids.ts';
import { ListSendsQuery, SendItem, SendSummary } from '../../contract/campaigns.ts';
import { cursorPage, success } from '../../contract/envelope.ts';
import { SendParams } from '../../contract/sends.ts';
import { cursorPageOf, cursorPosition } from '../../http/paging.ts';
import { ok } from '../../http/reply.ts';
import type { Server } from '../../http/request.ts';
import { traceChange } from '../messages/traced-steps.ts';
import { type ActDeps, act } from './act.ts';
import { type DraftRoutesDeps, draftRoutes, sendKeyOf } from './draft-routes.ts';
import { type ExportRoutesDeps, exportRoutes } from './export-routes.ts';
import { listSends } from './list-store.ts';
import { presentSendItem } from './presenter.ts';
import { type RecipientRoutesDeps, recipientRoutes } from './recipient-routes.ts';
import type { SendAction } from './state.ts';
import { sendSummaryOf } from './summary.ts';

export type CampaignRoutesDeps = ActDeps & DraftRoutesDeps & RecipientRoutesDeps & ExportRoutesDeps;

/** Drafts, recipients, GET /v1/sends, GET /v1/sends/:sendId, and POST /v1/sends/:sendId/start, /pause, /resume, /cancel. */
export function campaignRoutes(server: Server, deps: CampaignRoutesDeps): void {
  listRoute(server, deps);
  getRoute(server, deps);
  draftRoutes(server, deps);
  recipientRoutes(server, deps);
  exportRoutes(server, deps);
  actionRoute(server, deps, 'start', ({ state }) =>
    state === 'scheduled' ? 'Send scheduled.' : 'Send started.',
  );
  actionRoute(server, deps, 'pause', () => 'Send paused.');
  actionRoute(server, deps, 'resume', () => 'Send resumed.');
  actionRoute(server, deps, 'cancel', ({ counts }, before) => {
    // the worker, which may have begun already, continues with those that wait and are queued
    const failed = (counts.failed ?? 0) - (before?.counts.failed ?? 0);
    const unsent = failed + counts.waiting + (counts.queued ?? 0);
    return `Send cancelled: ${counted(unsent, 'message')} will not be sent.`;
  });
}

function listRoute(server: Server, deps: CampaignRoutesDeps): void {
  server.get(
    '/v1/sends',
    {
      schema: { querystring: ListSendsQuery, response: { 200: success(cursorPage(SendItem)) } },
      config: { scope: 'messages:read' },
    },
    async (request) => {
      const { query } = request;
      const limit = query.limit ?? 20;
      const [beforeId] = cursorPosition('sends', query.cursor, 1) ?? [];
      const isNobody = [query.templateId, query.senderId].some((id) => id !== undefined && !isUuid(id));
      const filter = {
        all: query.kind === 'all',
        state: query.state,
        templateId: query.templateId,
        senderId: query.senderId,
        from: query.from === undefined ? undefined : new Date(query.from),
        to: query.to === undefined ? undefined : new Date(query.to),
        beforeId,
      };
      const { rows, scannedTo } = isNobody
        ? { rows: [], scannedTo: undefined }
        : await listSends(deps.db, request.caller.accountId, filter, limit + 1);
      const items = rows.map((row) => presentSendItem(row, row.is_pending));
      return ok(
        'Sends listed.',
        cursorPageOf('sends', items, limit, (item) => [item.sendId], scannedTo ? [scannedTo] : undefined),
      );
    },
  );
}

function getRoute(server: Server, deps: CampaignRoutesDeps): void {
  server.get(
    '/v1/sends/:sendId',
    {
      schema: { params: SendParams, response: { 200: success(SendSummary) } },
      config: { scope: 'messages:read' },
    },
    async (request) => ok('Send found.', await sendSummaryOf(deps, sendKeyOf(request))),
  );
}

type SendSummaryData = Awaited<ReturnType<typeof sendSummaryOf>>;

/** POST /v1/sends/:sendId/<action>. */
function actionRoute(
  server: Server,
  deps: CampaignRoutesDeps,
  action: SendAction,
  describe: (send: SendSummaryData, before: SendSummaryData | undefined) => string,
): void {
  server.post(
    `/v1/sends/:sendId/${action}`,
    {
      schema: { params: SendParams, response: { 200: success(SendSummary) } },
      config: { scope: 'messages:send' },
    },
    async (request, reply) => {
      const of = sendKeyOf(request);
      const before = action === 'cancel' ? await sendSummaryOf(deps, of) : undefined;
      await act(deps, of, action);
      if (deps.tracing)
        traceChange(deps.tracing, of.sendId, {
          ...{ name: `${action} send`, startMs: Date.now() - reply.elapsedTime },
          links: [parseTraceparent(request.headers.traceparent)],
        });
      const send = await sendSummaryOf(deps, of);
      return ok(describe(send, before), send);
    },
  );
}

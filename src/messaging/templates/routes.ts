// Routes of templates.
import { isUuid } from '../../base/ids.ts';
import { page, success } from '../../contract/envelope.ts';
import { CreateTemplateBody } from '../../contract/template-drafts.ts';
import {
  ListTemplatesQuery,
  TemplateDetail,
  TemplateItem,
  TemplateParams,
  TemplateReadings,
} from '../../contract/templates.ts';
import { pageOf, pageWindow } from '../../http/paging.ts';
import { ok } from '../../http/reply.ts';
import type { Server } from '../../http/request.ts';
import { sendersFor, templateDetail } from './detail.ts';
import { templateHistoryRoutes } from './history-routes.ts';
import { templateItem } from './presenter.ts';
import { previewRoute } from './preview-routes.ts';
import { findTemplate, listTemplates } from './store.ts';
import { createDraft, type SubmitDeps, templateNotFound } from './submit.ts';
import type { SyncDeps } from './sync.ts';
import { syncNow } from './sync-schedule.ts';
import { unpauseTemplate } from './unpause.ts';

export type TemplateRoutesDeps = SubmitDeps & SyncDeps;

/** GET /v1/templates and /v1/templates/:templateId, and the management of templates. */
export function templateRoutes(server: Server, deps: TemplateRoutesDeps): void {
  readingRoutes(server, deps);
  previewRoute(server, deps);
  draftRoutes(server, deps);
  syncRoute(server, deps);
  templateHistoryRoutes(server, deps);
}

function readingRoutes(server: Server, deps: TemplateRoutesDeps): void {
  const config = { scope: 'templates:read' } as const;

  server.get(
    '/v1/templates',
    {
      schema: {
        querystring: ListTemplatesQuery,
        response: { 200: success(page(TemplateItem)) },
      },
      config,
    },
    async (request) => {
      const { rows, total } = await listTemplates(
        deps.db,
        request.caller.accountId,
        request.query,
        pageWindow(request.query),
      );
      const senders = await sendersFor(deps, rows);
      const items = rows.map((row) => templateItem(row, senders));
      return ok('Templates listed.', pageOf(items, total, request.query));
    },
  );

  server.get(
    '/v1/templates/:templateId',
    {
      schema: {
        params: TemplateParams,
        response: { 200: success(TemplateDetail) },
      },
      config,
    },
    async (request) => {
      const { templateId } = request.params;
      const row = isUuid(templateId)
        ? await findTemplate(deps.db, request.caller.accountId, templateId)
        : undefined;
      if (!row) throw templateNotFound();
      return ok('Template found.', await templateDetail(deps, row));
    },
  );
}

const manage = { scope: 'manage' } as const;

function draftRoutes(server: Server, deps: TemplateRoutesDeps): void {
  server.post(
    '/v1/templates',
    {
      schema: {
        body: CreateTemplateBody,
        response: { 200: success(TemplateDetail) },
      },
      config: manage,
    },
    async (request) => {
      const row = await createDraft(deps, { accountId: request.caller.accountId, ...request.body });
      return ok('Draft created. Submit it for review.', await templateDetail(deps, row));
    },
  );

  server.post(
    '/v1/templates/:templateId/unpause',
    { schema: { params: TemplateParams, response: { 200: success(TemplateDetail) } }, config: manage },
    async (request) => {
      const { accountId } = request.caller;
      const row = await unpauseTemplate(deps, { accountId, templateId: request.params.templateId });
      return ok(
        'The platform ends the pause. The status changes when it is read again.',
        await templateDetail(deps, row),
      );
    },
  );
}

function syncRoute(server: Server, deps: TemplateRoutesDeps): void {
  server.post(
    '/v1/templates/sync',
    {
      schema: {
        response: { 200: success(TemplateReadings) },
      },
      config: manage,
    },
    async (request) => {
      const readings = await syncNow(deps, request.caller.accountId);
      const data = {
        count: readings.reduce((sum, { count }) => sum + count, 0),
        readings: readings.map((one) => ({
          ...one,
          readAt: one.readAt.toISOString(),
          nextReadAt: one.nextReadAt.toISOString(),
        })),
      };
      const isReused = readings.some(({ reused }) => reused);
      return ok(
        isReused
          ? 'Templates were read a moment ago. They are read again at nextReadAt.'
          : 'Templates read from the platform.',
        data,
      );
    },
  );
}

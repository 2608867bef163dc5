// Routes that list and show templates, and read them from the platform.
import { page, success } from '../../contract/envelope.ts';
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
import type { ReadsUnapproved } from './edit-rules.ts';
import { requireTemplate } from './find.ts';
import { templateHistoryRoutes } from './history-routes.ts';
import { templateItem } from './presenter.ts';
import { previewRoute } from './preview-routes.ts';
import { listTemplates } from './store.ts';
import type { SyncDeps } from './sync.ts';
import { syncNow } from './sync-schedule.ts';

export type TemplateRoutesDeps = SyncDeps & { platform: ReadsUnapproved };

/** GET /v1/templates and /v1/templates/:templateId, their preview, history and reading. */
export function templateRoutes(server: Server, deps: TemplateRoutesDeps): void {
  readingRoutes(server, deps);
  previewRoute(server, deps);
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
      const row = await requireTemplate(deps.db, request.caller.accountId, templateId);
      return ok('Template found.', await templateDetail(deps, row));
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
      config: { scope: 'manage' },
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

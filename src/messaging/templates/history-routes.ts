// Route: the history of a template.
import { uuidTime } from '../../base/uuid-time.ts';
import { cursorPage, success } from '../../contract/envelope.ts';
import { TemplateChangeItem, TemplateHistoryQuery } from '../../contract/template-history.ts';
import { TemplateParams } from '../../contract/templates.ts';
import type { Db } from '../../db/db.ts';
import { cursorPageOf, cursorPosition } from '../../http/paging.ts';
import { ok } from '../../http/reply.ts';
import type { Server } from '../../http/request.ts';
import { listTemplateChanges } from './changes-store.ts';
import { requireTemplate } from './find.ts';

/** GET /v1/templates/:templateId/history. */
export function templateHistoryRoutes(server: Server, { db }: { db: Db }): void {
  server.get(
    '/v1/templates/:templateId/history',
    {
      schema: {
        params: TemplateParams,
        querystring: TemplateHistoryQuery,
        response: { 200: success(cursorPage(TemplateChangeItem)) },
      },
      config: { scope: 'templates:read' },
    },
    async ({ caller: { accountId }, params: { templateId }, query }) => {
      const limit = query.limit ?? 20;
      const [beforeId] = cursorPosition('template-history', query.cursor, 1) ?? [];
      await requireTemplate(db, accountId, templateId);
      const rows = await listTemplateChanges(db, { accountId, templateId }, { beforeId, limit: limit + 1 });
      const items = rows.map((row) => ({
        ...{ _id: row.id, at: uuidTime(row.id).toISOString() },
        ...{ status: row.status, providerStatus: row.provider_status, category: row.category },
        ...{ qualityScore: row.quality_score, previous: row.previous, reason: row.reason },
      }));
      return ok(
        'History listed.',
        cursorPageOf('template-history', items, limit, (item) => [item._id]),
      );
    },
  );
}

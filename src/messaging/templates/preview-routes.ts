// The route that previews a template. It sends nothing.

import type { Clock } from '../../base/clock.ts';
import { phoneProblem } from '../../base/phone.ts';
import { success } from '../../contract/envelope.ts';
import { PreviewBody } from '../../contract/recipients.ts';
import { TemplatePreview } from '../../contract/template-preview.ts';
import { TemplateParams } from '../../contract/templates.ts';
import type { Db } from '../../db/db.ts';
import { ok } from '../../http/reply.ts';
import type { Server } from '../../http/request.ts';
import { findMedia } from '../media/store.ts';
import { fillForPreview } from '../template-content/fill.ts';
import type { MediaFile } from '../template-content/fill-header.ts';
import { fileOf } from '../template-content/media-files.ts';
import { planOfRow } from '../template-content/placeholders.ts';
import { contentOf, mediaIdsOf } from '../template-content/recipient-content.ts';
import { renderTemplate } from '../template-content/render.ts';
import { requireTemplate } from './find.ts';

interface PreviewDeps {
  db: Db;
  clock: Clock;
}

/** POST /v1/templates/:templateId/preview. */
export function previewRoute(server: Server, deps: PreviewDeps): void {
  server.post(
    '/v1/templates/:templateId/preview',
    {
      schema: {
        params: TemplateParams,
        body: PreviewBody,
        response: { 200: success(TemplatePreview) },
      },
      config: { scope: 'templates:read' },
    },
    async (request) => {
      const { templateId } = request.params;
      const { accountId } = request.caller;
      const row = await requireTemplate(deps.db, accountId, templateId);
      const plan = planOfRow(row);
      const media = new Map<string, MediaFile>();
      for (const id of mediaIdsOf(request.body)) {
        const file = await findMedia(deps.db, accountId, id);
        if (file) media.set(id, fileOf(file));
      }
      const content = contentOf(request.body, {}, media);
      const { filled, problems } = fillForPreview(plan, { ...content, nowMs: deps.clock.now() });
      const { phone } = request.body;
      const wrongPhone = phone === undefined ? undefined : phoneProblem(phone);
      const errors = [
        ...(plan.unsupported === null
          ? []
          : [{ path: 'templateId', message: `this template cannot be sent here: ${plan.unsupported}` }]),
        ...(wrongPhone === undefined ? [] : [{ path: 'phone', message: wrongPhone }]),
        ...problems,
      ];
      const rendered = renderTemplate(plan, filled);
      return ok(
        errors.length === 0 ? 'Template filled.' : 'Template filled as far as possible. See errors.',
        { ...rendered, errors },
      );
    },
  );
}

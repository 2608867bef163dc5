// The routes that edit and submit a template. Part of sending, because they depend on queued messages.
import { success } from '../../contract/envelope.ts';
import { CancelQueuedQuery, EditTemplateBody } from '../../contract/template-drafts.ts';
import { TemplateDetail, TemplateParams } from '../../contract/templates.ts';
import { ok } from '../../http/reply.ts';
import type { Server } from '../../http/request.ts';
import { templateDetail } from '../templates/detail.ts';
import type { DeleteTemplateDeps } from './delete-template.ts';
import { editTemplate, submitTemplate } from './edit-template.ts';

/** PATCH /v1/templates/:templateId and POST /v1/templates/:templateId/submit. */
export function editTemplateRoutes(server: Server, deps: DeleteTemplateDeps): void {
  const schema = {
    params: TemplateParams,
    querystring: CancelQueuedQuery,
    response: { 200: success(TemplateDetail) },
  };
  const config = { scope: 'manage' } as const;

  server.patch(
    '/v1/templates/:templateId',
    { schema: { ...schema, body: EditTemplateBody }, config },
    async (request) => {
      const of = {
        accountId: request.caller.accountId,
        templateId: request.params.templateId,
        cancelQueued: request.query.cancelQueued ?? false,
      };
      const { row, isChanged } = await editTemplate(deps, of, request.body);
      const message = isChanged
        ? 'Template edited.'
        : 'The template already has these values, so nothing was changed.';
      return ok(message, await templateDetail(deps, row));
    },
  );

  server.post('/v1/templates/:templateId/submit', { schema, config }, async (request) => {
    const row = await submitTemplate(deps, {
      accountId: request.caller.accountId,
      templateId: request.params.templateId,
      cancelQueued: request.query.cancelQueued ?? false,
    });
    return ok(
      'Template submitted. Its status changes when the platform has reviewed it.',
      await templateDetail(deps, row),
    );
  });
}

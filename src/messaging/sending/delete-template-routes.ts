// The route that deletes a template. Part of sending, because it depends on queued messages.
import { success } from '../../contract/envelope.ts';
import { CancelQueuedQuery } from '../../contract/template-drafts.ts';
import { DeletedTemplate, TemplateParams } from '../../contract/templates.ts';
import { ok } from '../../http/reply.ts';
import type { Server } from '../../http/request.ts';
import { type DeleteTemplateDeps, deleteTemplate } from './delete-template.ts';

/** DELETE /v1/templates/:templateId. */
export function deleteTemplateRoutes(server: Server, deps: DeleteTemplateDeps): void {
  server.delete(
    '/v1/templates/:templateId',
    {
      schema: {
        params: TemplateParams,
        querystring: CancelQueuedQuery,
        response: { 200: success(DeletedTemplate) },
      },
      config: { scope: 'manage' },
    },
    async (request) => {
      const { templateId } = request.params;
      const { cancelled, staysAt } = await deleteTemplate(deps, {
        accountId: request.caller.accountId,
        templateId,
        cancelQueued: request.query.cancelQueued ?? false,
      });
      const message = staysAt
        ? `Template deleted here only: the account has no sender of the business account ${staysAt}, to which the platform's template belongs.`
        : 'Template deleted.';
      return ok(message, { _id: templateId, cancelled });
    },
  );
}

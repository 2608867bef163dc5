// Routes that create, edit, submit, unpause and delete templates.
import { success } from '../../contract/envelope.ts';
import { CancelQueuedQuery, CreateTemplateBody, EditTemplateBody } from '../../contract/template-drafts.ts';
import { DeletedTemplate, TemplateDetail, TemplateParams } from '../../contract/templates.ts';
import { ok } from '../../http/reply.ts';
import type { Server } from '../../http/request.ts';
import { templateDetail } from '../templates/detail.ts';
import { createDraft } from './create-draft.ts';
import { deleteTemplate, type TemplateEditingDeps } from './delete.ts';
import { editTemplate, submitTemplate } from './edit.ts';
import { unpauseTemplate } from './unpause.ts';

const ofTemplate = { params: TemplateParams, querystring: CancelQueuedQuery };
const schema = { ...ofTemplate, response: { 200: success(TemplateDetail) } };
const config = { scope: 'manage' } as const;

/** POST /v1/templates, and what changes one of them. */
export function templateEditingRoutes(server: Server, deps: TemplateEditingDeps): void {
  server.post(
    '/v1/templates',
    {
      schema: {
        body: CreateTemplateBody,
        response: { 200: success(TemplateDetail) },
      },
      config,
    },
    async (request) => {
      const row = await createDraft(deps, { accountId: request.caller.accountId, ...request.body });
      return ok('Draft created. Submit it for review.', await templateDetail(deps, row));
    },
  );

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

  server.post(
    '/v1/templates/:templateId/unpause',
    { schema: { params: TemplateParams, response: { 200: success(TemplateDetail) } }, config },
    async (request) => {
      const { accountId } = request.caller;
      const row = await unpauseTemplate(deps, { accountId, templateId: request.params.templateId });
      return ok(
        'The platform ends the pause. The status changes when it is read again.',
        await templateDetail(deps, row),
      );
    },
  );

  server.delete(
    '/v1/templates/:templateId',
    { schema: { ...ofTemplate, response: { 200: success(DeletedTemplate) } }, config },
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

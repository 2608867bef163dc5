// Saving a draft, and submitting it for the platform's review.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { isGatewayError } from '../../../../client/src/errors.ts';
import type { TemplateDetail } from '../../../../client/src/generated.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../design/button.tsx';
import { ConfirmButton } from '../../design/confirm.tsx';
import { ErrorNote } from '../../design/messages.tsx';
import { textsOf } from '../../text/texts.ts';
import type { EditedDraft } from './use-draft.ts';

interface Props {
  template: TemplateDetail | undefined;
  draft: EditedDraft;
  canSave: boolean;
}

type Action = 'save' | 'submit' | 'submitAndCancel';

export function SaveButtons({ template, draft, canSave }: Props) {
  const text = textsOf('editor');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const isAtPlatform = template !== undefined && template.status !== 'draft';
  const { identity, components = [] } = draft;
  const options = {
    mutationFn: async (action: Action) => {
      const cancelQueued = action === 'submitAndCancel';
      const saved = await save(cancelQueued);
      // what is at the platform was submitted by the edit itself, if it changed something
      const isReviewed = isAtPlatform && saved.providerStatus !== 'REJECTED';
      if (action === 'save' || isReviewed) return saved;
      return api.submitTemplate({ templateId: saved._id, cancelQueued });
    },
    onSuccess: async ({ _id }: TemplateDetail) => {
      draft.settle();
      await queries.invalidateQueries({ queryKey: ['templates'] });
      await navigate({ to: '/templates/$id', params: { id: _id } });
    },
  };
  const { mutate, isPending, variables, error } = useMutation(options);
  // its own, so that the error of the first stays while it runs
  const forced = useMutation(options);
  function save(cancelQueued: boolean): Promise<TemplateDetail> {
    const { name, language, category } = identity;
    if (!template)
      return api.createTemplate({ body: { providerTemplateName: name, language, category, components } });
    const isApproved = template.status === 'approved';
    return api.editTemplate({
      templateId: template._id,
      cancelQueued,
      body: { components, ...(isApproved ? {} : { category }) },
    });
  }
  const isInUse = isGatewayError(error, 'template_in_use');
  const isBlocked = !canSave || template?.isEditable === false;
  return (
    <div className="column">
      <div className="row wrap">
        {template && (
          <Link to="/templates/$id" params={{ id: template._id }}>
            {text('discard')}
          </Link>
        )}
        {!isAtPlatform && (
          <Button
            isBusy={isPending && variables === 'save'}
            isDisabled={isBlocked || isPending}
            onClick={() => mutate('save')}
          >
            {text('saveDraft')}
          </Button>
        )}
        <Button
          kind="primary"
          isBusy={isPending && variables !== 'save'}
          isDisabled={isBlocked || isPending}
          onClick={() => mutate('submit')}
        >
          {text('submit')}
        </Button>
      </div>
      {error && <ErrorNote error={error} />}
      {isInUse && (
        <ConfirmButton
          question={{
            title: text('confirmCancelQueued'),
            effect: text('confirmCancelQueuedEffect'),
            verb: text('cancelQueued'),
            isDestructive: true,
          }}
          run={() => forced.mutateAsync('submitAndCancel')}
        />
      )}
    </div>
  );
}

// A campaign that has not started, step by step. The step is in the address, so that it can be left and opened again.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { Send, TemplateDetail } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { templateQuery } from '../api/templates.ts';
import { ConfirmButton } from '../design/confirm.tsx';
import { KeepTyped } from '../design/keep-typed.tsx';
import { Loading } from '../design/loading.tsx';
import { Page } from '../design/page.tsx';
import { PageError } from '../design/page-error.tsx';
import { textsOf } from '../text/texts.ts';
import { CheckStep } from './check-step.tsx';
import { type Draft, RecipientsStep } from './recipients-step.tsx';
import { type Step, StepBar, steps } from './steps.tsx';
import { TimingStep } from './timing-step.tsx';
import { useUpload } from './use-upload.ts';

export function DraftSend({ send }: { send: Send }) {
  const { data, error, refetch } = useQuery(templateQuery(send.templateId));
  if (error && !data) return <PageError error={error} onRetry={() => void refetch()} />;
  return data ? <DraftSteps send={send} template={data} /> : <Loading />;
}

function DraftSteps({ send, template }: { send: Send; template: TemplateDetail }) {
  const text = textsOf('sends');
  const navigate = useNavigate();
  const { step: wanted } = useSearch({ strict: false }) as { step?: unknown };
  const [draft, setDraft] = useState<Draft>();
  const upload = useUpload(send.sendId, template.inputs);
  const known = steps.find((step) => step === wanted && step !== 'template');
  const step: Step = known ?? (send.total > 0 ? 'timing' : 'recipients');
  const go = (next: Step) =>
    void navigate({ to: '/sends/$id', params: { id: send.sendId }, search: { step: next } });
  return (
    <Page
      crumbs={[{ name: send.name ?? text('unnamed') }]}
      title={<bdi>{send.name ?? text('unnamed')}</bdi>}
      text={
        <span className="row wrap">
          {text('isDraft')}
          <span className="mono" dir="ltr">
            {template.providerTemplateName}
          </span>
        </span>
      }
      actions={<DeleteDraft send={send} />}
    >
      <KeepTyped isChanged={upload.isRunning} effect={text('leaveAdding')} />
      <StepBar current={step} onGo={go} />
      {step === 'recipients' && (
        <RecipientsStep
          send={send}
          template={template}
          draft={draft}
          onChange={setDraft}
          upload={upload}
          onNext={() => go('timing')}
        />
      )}
      {step === 'timing' && (
        <TimingStep
          send={send}
          template={template}
          onBack={() => go('recipients')}
          onNext={() => go('check')}
        />
      )}
      {step === 'check' && (
        <CheckStep
          send={send}
          template={template}
          optedOut={upload.outcome?.optedOut}
          onBack={() => go('timing')}
          onRecipients={() => go('recipients')}
        />
      )}
    </Page>
  );
}

function DeleteDraft({ send: { sendId, total } }: { send: Send }) {
  const text = textsOf('sends');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { mutateAsync } = useMutation({
    mutationFn: () => api.deleteSend({ sendId }),
    onSuccess: async () => {
      await navigate({ to: '/sends' });
      queries.removeQueries({ queryKey: ['sends', 'one', sendId] });
    },
  });
  return (
    <ConfirmButton
      kind="quiet"
      question={{
        title: text('confirmDelete'),
        effect: text('confirmDeleteEffect', { count: total }),
        verb: text('deleteDraft'),
        isDestructive: true,
      }}
      run={() => mutateAsync()}
    />
  );
}

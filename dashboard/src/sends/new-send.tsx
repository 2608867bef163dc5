// The first step of a campaign: its template, seen as it will arrive, and a name. It makes the draft.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { Page } from '../design/page.tsx';
import { useSettled } from '../design/use-settled.ts';
import { textsOf } from '../text/texts.ts';
import { StepFoot } from './step-foot.tsx';
import { StepBar } from './steps.tsx';
import { TemplateChoice } from './template-choice.tsx';
import { ExamplePhone } from './template-phone.tsx';
import './sends.css';

const searchAfterMs = 250;

export function NewSend() {
  const text = textsOf('sends');
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { template: wanted } = useSearch({ strict: false }) as { template?: unknown };
  const [templateId, choose] = useState(typeof wanted === 'string' ? wanted : undefined);
  const [name, setName] = useState('');
  const [typed, setTyped] = useState('');
  const search = useSettled(typed.trim(), searchAfterMs);
  const { data, error } = useQuery({
    queryKey: ['templates', 'search', search],
    queryFn: () => api.listTemplates({ status: 'approved', limit: 50, ...(search ? { search } : {}) }),
    placeholderData: (before) => before,
  });
  const create = useMutation({
    mutationFn: (id: string) =>
      api.createSend({ body: { templateId: id, ...(name.trim() ? { name: name.trim() } : {}) } }),
    onSuccess: (send) => {
      queries.setQueryData(['sends', 'one', send.sendId], send);
      void navigate({ to: '/sends/$id', params: { id: send.sendId }, search: { step: 'recipients' } });
    },
  });
  // one-time codes can be neither drafted nor scheduled
  const templates = data?.items.filter(({ category }) => category !== 'AUTHENTICATION') ?? [];
  return (
    <Page title={text('new')} crumbs={[{ name: text('new') }]} text={text('newText')}>
      <StepBar current="template" />
      {error && <ErrorNote error={error} />}
      <div className="columns">
        <div className="column loose">
          <Card title={text('name')} note={text('nameNote')}>
            <input
              className="input wide-input"
              dir="auto"
              maxLength={256}
              aria-label={text('name')}
              value={name}
              onChange={({ target }) => setName(target.value)}
            />
          </Card>
          <TemplateChoice
            templates={templates}
            isLoaded={data !== undefined}
            chosenId={templateId}
            onChoose={choose}
            typed={typed}
            onType={setTyped}
          />
        </div>
        <div className="column">{templateId && <ExamplePhone templateId={templateId} />}</div>
      </div>
      {create.error && <ErrorNote error={create.error} />}
      <StepFoot>
        <Button
          kind="primary"
          isBusy={create.isPending}
          isDisabled={templateId === undefined}
          onClick={() => templateId && create.mutate(templateId)}
        >
          {text('toRecipients')}
        </Button>
      </StepFoot>
    </Page>
  );
}

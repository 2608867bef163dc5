// One template: its values, what it looks like filled, and a test to a phone of one's own.
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { TemplateDetail } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { IdChip } from '../design/id-chip.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { Page } from '../design/page.tsx';
import { PhonePreview } from '../design/phone-preview.tsx';
import { Quality } from '../design/quality.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { useSettled } from '../design/use-settled.ts';
import { useMay, useSession } from '../session/session.tsx';
import { textsOf } from '../text/texts.ts';
import { categoryWord } from './category-word.ts';
import { SendTest } from './send-test.tsx';
import { stateOf } from './template-state.ts';
import { ValueForm } from './value-form.tsx';
import { contentOf, examplesOf, type Typed } from './values.ts';
import './templates.css';

const previewAfterMs = 150;

export function Template() {
  const { id } = useParams({ from: '/templates/$id' });
  const { data, error, refetch } = useQuery({
    queryKey: ['templates', 'one', id],
    queryFn: () => api.getTemplate({ templateId: id }),
  });
  if (error && !data)
    return (
      <div className="page">
        <ErrorNote error={error} onRetry={() => void refetch()} />
      </div>
    );
  return data ? <TemplateView template={data} /> : null;
}

function TemplateView({ template }: { template: TemplateDetail }) {
  const text = textsOf('templates');
  const { account } = useSession();
  const [typed, setTyped] = useState<Typed>({});
  const settled = useSettled(typed, previewAfterMs);
  const content = contentOf(template.inputs, settled);
  const { data: preview, error } = useQuery({
    queryKey: ['templates', 'preview', template._id, content],
    queryFn: () => api.previewTemplate({ templateId: template._id, body: content }),
    placeholderData: (before) => before,
  });
  const maySend = useMay('messages:send');
  return (
    <Page
      title={
        <span className="row wrap">
          <span className="mono-title" dir="ltr">
            {template.providerTemplateName}
          </span>
          <StateBadge state={stateOf(template)} />
        </span>
      }
      text={<Facts template={template} />}
    >
      <Notices template={template} />
      <div className="columns">
        <div className="column loose">
          <Card
            title={text('values')}
            note={text('valuesNote')}
            end={
              <Button kind="quiet" onClick={() => setTyped(examplesOf(template.inputs))}>
                {text('useExamples')}
              </Button>
            }
          >
            <ValueForm
              inputs={template.inputs}
              typed={typed}
              problems={preview?.errors ?? []}
              onChange={setTyped}
            />
          </Card>
          {maySend && template.status === 'approved' && (
            <SendTest template={template} content={content} missing={preview?.errors.length ?? 0} />
          )}
        </div>
        <div className="column">
          {error && <ErrorNote error={error} />}
          {preview && (
            <PhonePreview
              parts={preview}
              from={account.name}
              note={text('businessAccount')}
              at={new Date().toISOString()}
            />
          )}
          <p className="small note">{text('picture')}</p>
        </div>
      </div>
    </Page>
  );
}

function Facts({ template }: { template: TemplateDetail }) {
  const text = textsOf('templates');
  return (
    <span className="row wrap loose">
      <span>{categoryWord(template.category)}</span>
      <span className="mono">{template.language}</span>
      <Quality rating={template.qualityScore} />
      {template.providerTemplateId && (
        <IdChip value={template.providerTemplateId} label={text('platformId')} />
      )}
      <span>
        {text('changed')} <Timestamp at={template.updatedAt} />
      </span>
    </span>
  );
}

/** Why the template cannot be sent, in the platform's words or ours. */
function Notices({ template: { rejectedReason, unsendableReason } }: { template: TemplateDetail }) {
  const text = textsOf('templates');
  const notices = [
    rejectedReason && rejectedReason !== 'NONE' && `${text('rejectedFor')} ${rejectedReason}`,
    unsendableReason && `${text('cannotSend')} ${unsendableReason}`,
  ].filter((notice): notice is string => Boolean(notice));
  return notices.map((notice) => (
    <div key={notice} className="note-box warn" role="status">
      {notice}
    </div>
  ));
}

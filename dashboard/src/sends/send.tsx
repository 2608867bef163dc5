// One campaign: the steps while it is a draft, then its progress and results.
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { Send as SendType } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { templateQuery } from '../api/templates.ts';
import { IdChip } from '../design/id-chip.tsx';
import { Loading } from '../design/loading.tsx';
import { Page } from '../design/page.tsx';
import { PageError } from '../design/page-error.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { useMay } from '../session/session.tsx';
import { textsOf } from '../text/texts.ts';
import { DraftSend } from './draft.tsx';
import { Failures } from './failures.tsx';
import { Progress } from './progress.tsx';
import { Results } from './results.tsx';
import { SendActions } from './send-actions.tsx';
import { isMoving } from './send-state.ts';
import { SenderNote } from './sender-note.tsx';

const movingMs = 1_000;

export function Send() {
  const text = textsOf('sends');
  const maySend = useMay('messages:send');
  const mayEdit = useMay('templates:read') && maySend;
  const { id } = useParams({ from: '/sends/$id' });
  const { data, error, refetch } = useQuery({
    queryKey: ['sends', 'one', id],
    queryFn: () => api.getSend({ sendId: id }),
    refetchInterval: ({ state }) => (state.data && isMoving(state.data) ? movingMs : false),
  });
  if (error && !data) return <PageError error={error} onRetry={() => void refetch()} />;
  if (!data)
    return (
      <Page title={text('title')} isTitleHidden>
        <Loading />
      </Page>
    );
  return data.state === 'draft' && mayEdit ? <DraftSend send={data} /> : <SendView send={data} />;
}

function SendView({ send }: { send: SendType }) {
  const text = textsOf('sends');
  const { sendId, name, state, templateId, senderId, startedAt, createdAt, createdBy } = send;
  const { data: template } = useQuery({ ...templateQuery(templateId), enabled: useMay('templates:read') });
  const sender = template?.senders.find(({ _id }) => _id === senderId);
  return (
    <Page
      crumbs={[{ name: name ?? text('unnamed') }]}
      title={
        <span className="row wrap">
          <bdi>{name ?? text('unnamed')}</bdi>
          <StateBadge state={state} />
        </span>
      }
      text={
        <span className="row wrap loose">
          {template && (
            <Link to="/templates/$id" params={{ id: templateId }} className="mono">
              {template.providerTemplateName}
            </Link>
          )}
          {sender && <span dir="auto">{text('fromNumber', { name: sender.name })}</span>}
          <span>
            {text(startedAt ? 'started' : 'created')} <Timestamp at={startedAt ?? createdAt} form="both" />
          </span>
          {createdBy?.name && <span dir="auto">{text('by', { name: createdBy.name })}</span>}
          <IdChip value={sendId} label={text('id')} />
        </span>
      }
      actions={<SendActions send={send} />}
    >
      <Progress send={send} />
      <SenderNote send={send} />
      <Failures send={send} />
      <Results send={send} />
    </Page>
  );
}

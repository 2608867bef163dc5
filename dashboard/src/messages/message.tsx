// One message: what happened, as lanes from the request to each receiver; what the person sees; its webhooks.
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { MessageDetail } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { Card } from '../design/card.tsx';
import { IdChip } from '../design/id-chip.tsx';
import { Loading } from '../design/loading.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { Page } from '../design/page.tsx';
import { PageError } from '../design/page-error.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { useMay } from '../session/session.tsx';
import { formatDuration } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { Content } from './content.tsx';
import { Deliveries } from './deliveries.tsx';
import { Failure } from './failure.tsx';
import { MessageFacts } from './message-facts.tsx';
import { stateOf } from './message-state.ts';
import { Resend, ResentNote } from './resend.tsx';
import { tookMs } from './steps.ts';
import { Timeline } from './timeline.tsx';
import { ToConversation } from './to-conversation.tsx';

export function Message() {
  const text = textsOf('messages');
  const { id } = useParams({ from: '/messages/$id' });
  const { data, error, refetch } = useQuery({
    queryKey: ['messages', 'one', id],
    queryFn: () => api.getMessage({ id }),
    refetchInterval: ({ state }) => (state.data && isOver(state.data) ? false : 2_000),
  });
  if (error && !data) return <PageError error={error} onRetry={() => void refetch()} />;
  if (!data)
    return (
      <Page title={text('title')} isTitleHidden>
        <Loading />
      </Page>
    );
  return (
    <MessageView message={data}>
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
    </MessageView>
  );
}

/** True if nothing more is expected to happen. */
const isOver = ({ status, deliveries }: MessageDetail): boolean =>
  (status === 'read' || status === 'failed') && deliveries.every((one) => one.status !== 'pending');

function MessageView({ message, children }: { message: MessageDetail; children: ReactNode }) {
  const text = textsOf('messages');
  const to = message.name ?? message.recipientPhone ?? message.recipientUserId ?? '';
  const ms = tookMs(message);
  return (
    <Page
      crumbs={[{ name: to }]}
      title={
        <span className="row wrap">
          <bdi>{to}</bdi>
          <StateBadge state={stateOf(message)} />
        </span>
      }
      text={<Identity message={message} />}
      actions={
        <>
          <ToConversation message={message} />
          <Resend message={message} />
        </>
      }
    >
      {children}
      <ResentNote message={message} />
      <Failure message={message} />
      <div className="columns">
        <div className="column loose">
          <Card
            title={text('whatHappened')}
            {...(ms === undefined ? {} : { note: text('took', { duration: formatDuration(ms) }) })}
            end={<span className="dashed-key small note wide-only">{text('dashed')}</span>}
            isPadded={false}
          >
            <Timeline message={message} />
          </Card>
          {message.deliveries.length > 0 && <Deliveries deliveries={message.deliveries} />}
        </div>
        <div className="column loose">
          <Content message={message} />
          <MessageFacts message={message} />
        </div>
      </div>
    </Page>
  );
}

function Identity({ message }: { message: MessageDetail }) {
  const text = textsOf('messages');
  const mayReadTemplates = useMay('templates:read');
  return (
    <span className="row wrap loose">
      {message.name !== null && (
        <span className="mono" dir="ltr">
          {message.recipientPhone ?? message.recipientUserId}
        </span>
      )}
      {message.templateName && (
        <span>
          {mayReadTemplates && message.templateId ? (
            <Link to="/templates/$id" params={{ id: message.templateId }} className="mono">
              {message.templateName}
            </Link>
          ) : (
            message.templateName
          )}{' '}
          <span className="note">{message.language}</span>
        </span>
      )}
      {message.kind === 'reply' && <span>{text('isReply')}</span>}
      <IdChip value={message.id} label={text('id')} hasKey />
      {message.messageId && <IdChip value={message.messageId} label={text('platformId')} keep={20} />}
    </span>
  );
}

// One message: what happened, as lanes from the request to each receiver; what the person sees; its webhooks.

import IconArrowBackUp from '@tabler/icons-react/dist/esm/icons/IconArrowBackUp.mjs';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { MessageDetail } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { Confirm } from '../design/confirm.tsx';
import { IdChip } from '../design/id-chip.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { Page } from '../design/page.tsx';
import { PageError } from '../design/page-error.tsx';
import { PhonePreview } from '../design/phone-preview.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { usePageKeys } from '../design/use-page-keys.ts';
import { useMay, useSession } from '../session/session.tsx';
import { textsOf } from '../text/texts.ts';
import { DeliveryTable } from './delivery-table.tsx';
import { MessageFacts } from './message-facts.tsx';
import { stateOf } from './message-state.ts';
import { Timeline } from './timeline.tsx';
import { ToConversation } from './to-conversation.tsx';

export function Message() {
  const { id } = useParams({ from: '/messages/$id' });
  const { data, error, refetch } = useQuery({
    queryKey: ['messages', 'one', id],
    queryFn: () => api.getMessage({ id }),
    refetchInterval: ({ state }) => (state.data && isOver(state.data) ? false : 2_000),
  });
  if (error && !data) return <PageError error={error} onRetry={() => void refetch()} />;
  if (!data) return null;
  return <MessageView message={data} />;
}

/** True if nothing more is expected to happen. */
const isOver = ({ status, deliveries }: MessageDetail): boolean =>
  (status === 'read' || status === 'failed') && deliveries.every((one) => one.status !== 'pending');

function MessageView({ message }: { message: MessageDetail }) {
  const text = textsOf('messages');
  const { account } = useSession();
  const mayReadTemplates = useMay('templates:read');
  const to = message.name ?? message.recipientPhone ?? message.recipientUserId ?? '';
  return (
    <Page
      title={
        <span className="row wrap">
          <bdi>{to}</bdi>
          <StateBadge state={stateOf(message)} />
        </span>
      }
      text={
        <span className="row wrap loose">
          <span className="mono" dir="ltr">
            {message.recipientPhone ?? message.recipientUserId}
          </span>
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
          <IdChip value={message.id} label={text('id')} hasKey />
          {message.messageId && <IdChip value={message.messageId} label={text('platformId')} keep={20} />}
        </span>
      }
      actions={
        <>
          <ToConversation message={message} />
          <Resend message={message} />
        </>
      }
    >
      {message.error && <Failure error={message.error} />}
      <div className="columns">
        <div className="column loose">
          <Card title={text('whatHappened')} isPadded={false}>
            <Timeline message={message} />
          </Card>
          {message.deliveries.length > 0 && (
            <Card title={text('webhooks')} isPadded={false}>
              <DeliveryTable deliveries={message.deliveries} />
            </Card>
          )}
        </div>
        <div className="column loose">
          {message.parts && (
            <PhonePreview
              parts={message.parts}
              from={account.name}
              note={text('asSeen')}
              at={message.createdAt}
            />
          )}
          <MessageFacts message={message} />
        </div>
      </div>
    </Page>
  );
}

const Failure = ({
  error: { code, title, message },
}: {
  error: { code: number; title: string; message: string };
}) => (
  <div className="note-box bad" role="status">
    <div className="grow">
      <div className="strong">
        {title} <span className="mono">{code}</span>
      </div>
      <div className="muted" dir="auto">
        {message}
      </div>
    </div>
  </div>
);

/** Sends a failed message again. One whose outcome is unknown may have arrived: that is asked first. */
function Resend({ message }: { message: MessageDetail }) {
  const text = textsOf('messages');
  const navigate = useNavigate();
  const maySend = useMay('messages:send');
  const isUnknown = stateOf(message) === 'outcome_unknown';
  const [isAsking, setAsking] = useState(false);
  const { mutate, mutateAsync, reset, isPending, error } = useMutation({
    mutationFn: () =>
      api.resendMessage({ id: message.id, ...(isUnknown ? { body: { evenIfUnknown: true } } : {}) }),
    onSuccess: ({ id }) => void navigate({ to: '/messages/$id', params: { id } }),
  });
  const canSend = message.status === 'failed' && !message.resentAs && maySend;
  // a key is pressed by mistake more easily than a button
  usePageKeys([{ text: 'sendAgain', run: { r: canSend ? () => setAsking(true) : undefined } }]);
  if (!canSend) return null;
  return (
    <div className="column">
      <Button
        icon={<IconArrowBackUp size={15} aria-hidden />}
        isBusy={isPending && !isAsking}
        onClick={() => (isUnknown ? setAsking(true) : mutate())}
      >
        {text('sendAgain')}
      </Button>
      {error && !isAsking && <ErrorNote error={error} />}
      <Confirm
        isOpen={isAsking}
        question={{
          title: text('confirmSendAgain'),
          effect: text(isUnknown ? 'maybeSent' : 'failedSoFar'),
          verb: text('sendAgain'),
        }}
        run={() => mutateAsync()}
        onClose={() => {
          setAsking(false);
          reset();
        }}
      />
    </div>
  );
}

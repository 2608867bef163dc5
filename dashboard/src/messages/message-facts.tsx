// What belongs to a message besides what happened: its send and who made it, its number, metadata, price, tries and end.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { MessageDetail } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { sendersQuery } from '../api/senders.ts';
import { Card } from '../design/card.tsx';
import { IdChip } from '../design/id-chip.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { useMay } from '../session/session.tsx';
import { textsOf } from '../text/texts.ts';

export function MessageFacts({ message }: { message: MessageDetail }) {
  const text = textsOf('messages');
  const { metadata, attempts, expiresAt, priceCategory, billable, sendId, status } = message;
  const { data: send } = useQuery({
    queryKey: ['sends', 'one', sendId],
    queryFn: () => api.getSend({ sendId: sendId ?? '' }),
    enabled: sendId !== null,
    staleTime: 60_000,
  });
  const { data: senders } = useQuery({
    ...sendersQuery,
    enabled: useMay('manage'),
  });
  const sender = senders?.items.find(({ _id }) => _id === message.senderId);
  return (
    <Card>
      <dl className="facts">
        {sendId && (
          <>
            <dt>{text('send')}</dt>
            <dd className="row wrap">
              <IdChip value={sendId} label={text('send')} />
              <Link to="/sends/$id" params={{ id: sendId }} dir="auto">
                {send?.name ?? text('openSend')}
              </Link>
            </dd>
          </>
        )}
        {send?.createdBy?.name && (
          <>
            <dt>{text('by')}</dt>
            <dd dir="auto">{send.createdBy.name}</dd>
          </>
        )}
        {sender && (
          <>
            <dt>{text('number')}</dt>
            <dd dir="auto">{sender.name}</dd>
          </>
        )}
        {metadata && (
          <>
            <dt>{text('metadata')}</dt>
            <dd className="mono" dir="ltr">
              {Object.entries(metadata).map(([key, value]) => (
                <div key={key}>
                  {key} = {value}
                </div>
              ))}
            </dd>
          </>
        )}
        {priceCategory && (
          <>
            <dt>{text('price')}</dt>
            <dd>
              {priceCategory}
              {billable !== null && `, ${text(billable ? 'billable' : 'free')}`}
            </dd>
          </>
        )}
        <dt>{text('attempts')}</dt>
        <dd className="number">{attempts}</dd>
        {status === 'queued' && expiresAt !== null && (
          <>
            <dt>{text('expires')}</dt>
            <dd>
              <Timestamp at={expiresAt} form="both" />
            </dd>
          </>
        )}
      </dl>
    </Card>
  );
}

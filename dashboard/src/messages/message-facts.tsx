// What belongs to a message besides what happened: its send, metadata, price, tries and end.
import { Link } from '@tanstack/react-router';
import type { MessageDetail } from '../../../client/src/generated.ts';
import { Card } from '../design/card.tsx';
import { IdChip } from '../design/id-chip.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { textsOf } from '../text/texts.ts';

export function MessageFacts({ message }: { message: MessageDetail }) {
  const text = textsOf('messages');
  const { metadata, attempts, expiresAt, priceCategory, billable, sendId } = message;
  return (
    <Card>
      <dl className="facts">
        {sendId && (
          <>
            <dt>{text('send')}</dt>
            <dd className="row wrap">
              <IdChip value={sendId} label={text('send')} />
              <Link to="/sends/$id" params={{ id: sendId }}>
                {text('openSend')}
              </Link>
            </dd>
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
        <dt>{text('expires')}</dt>
        <dd>
          <Timestamp at={expiresAt} form="both" />
        </dd>
      </dl>
    </Card>
  );
}

// What identifies a number, to copy, and what can be changed about it.
import { useState } from 'react';
import type { Sender } from '../../../client/src/generated.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { IdChip } from '../design/id-chip.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { formatNumber } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { SenderSettings } from './sender-settings.tsx';

interface Props {
  sender: Sender;
  /** True: there is no other number. */
  isOnly: boolean;
}

export function SenderFacts({ sender, isOnly }: Props) {
  const text = textsOf('senders');
  const [isChanging, setChanging] = useState(false);
  const { phoneNumberId, businessAccountId, callbackUrl, verifiedName, throughput, templatesSyncedAt } =
    sender;
  return (
    <Card
      title={sender.name}
      end={
        !isChanging && (
          <Button kind="quiet" onClick={() => setChanging(true)}>
            {text('change')}
          </Button>
        )
      }
    >
      {isChanging && <SenderSettings sender={sender} isOnly={isOnly} onDone={() => setChanging(false)} />}
      <dl className="facts">
        <dt>{text('verifiedName')}</dt>
        <dd dir="auto">{verifiedName ?? '–'}</dd>
        <dt>{text('numberId')}</dt>
        <dd>
          <IdChip value={phoneNumberId} label={text('numberId')} keep={24} />
        </dd>
        <dt>{text('businessId')}</dt>
        <dd>
          <IdChip value={businessAccountId} label={text('businessId')} keep={24} />
        </dd>
        <dt>{text('callback')}</dt>
        <dd>
          <IdChip value={callbackUrl} label={text('callback')} keep={22} />
        </dd>
        <dt>{text('granted')}</dt>
        <dd>{throughput === null ? '–' : text('perSecond', { count: formatNumber(throughput) })}</dd>
        <dt>{text('templatesRead')}</dt>
        <dd>
          {templatesSyncedAt ? <Timestamp at={templatesSyncedAt} /> : '–'}
          {sender.templatesSyncFailure && (
            <div className="bad-text" dir="auto">
              {sender.templatesSyncFailure}
            </div>
          )}
        </dd>
        <dt>{text('connectedSince')}</dt>
        <dd>
          <Timestamp at={sender.createdAt} />
        </dd>
      </dl>
    </Card>
  );
}

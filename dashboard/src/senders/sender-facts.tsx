// What identifies a number, to copy.
import type { Sender } from '../../../client/src/generated.ts';
import { Card } from '../design/card.tsx';
import { IdChip } from '../design/id-chip.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { formatNumber } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';

export function SenderFacts({ sender }: { sender: Sender }) {
  const text = textsOf('senders');
  const { phoneNumberId, businessAccountId, callbackUrl, verifiedName, throughput, templatesSyncedAt } =
    sender;
  return (
    <Card title={sender.name}>
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
        <dd>{templatesSyncedAt ? <Timestamp at={templatesSyncedAt} /> : '–'}</dd>
      </dl>
    </Card>
  );
}

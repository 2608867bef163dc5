// Why messages of a campaign failed: each reason with how many people it concerns.
import { useQuery } from '@tanstack/react-query';
import type { Send } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { Card } from '../design/card.tsx';
import { ReasonList } from '../messages/reason-list.tsx';
import { formatMoment } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { partsOf } from './send-state.ts';

export function Failures({ send }: { send: Send }) {
  const text = textsOf('sends');
  const { sendId, createdAt } = send;
  const failedCount = partsOf(send).failed;
  const { data } = useQuery({
    queryKey: ['sends', 'failures', sendId, failedCount],
    queryFn: () => api.getFailureStatistics({ sendId }),
    enabled: failedCount > 0,
    placeholderData: (earlier) => earlier,
  });
  if (failedCount === 0 || !data || data.items.length === 0) return null;
  const isWhole = data.countedFrom <= createdAt;
  return (
    <Card
      title={text('whyFailed')}
      {...(isWhole
        ? {}
        : { note: text('whyFailedSome', { time: formatMoment(new Date(data.countedFrom)) }) })}
    >
      <ReasonList reasons={data.items} />
    </Card>
  );
}

// The webhook deliveries of a message, with their last answer and the next try.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Delivery } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { IdChip } from '../design/id-chip.tsx';
import { StateBadge, wordOf } from '../design/state-badge.tsx';
import { Table } from '../design/table.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { useMay } from '../session/session.tsx';
import { textsOf } from '../text/texts.ts';
import { shortUrl } from '../webhooks/endpoint-state.ts';

export function DeliveryTable({ deliveries }: { deliveries: Delivery[] }) {
  const text = textsOf('messages');
  const mayOpen = useMay('webhooks:manage');
  const { data } = useQuery({
    queryKey: ['endpoints'],
    queryFn: () => api.listEndpoints({ limit: 100 }),
    enabled: mayOpen,
  });
  const urls = new Map(data?.items.map(({ _id, url }) => [_id, shortUrl(url)]));
  return (
    <Table
      columns={[
        { label: text('endpoint') },
        { label: text('event'), widthPx: 150 },
        { label: text('state'), widthPx: 130 },
        { label: text('answer'), widthPx: 120 },
        { label: text('attempts'), widthPx: 70, isFigure: true },
        { label: text('next'), widthPx: 110, isFigure: true },
      ]}
    >
      {deliveries.map(
        ({ _id, endpointId, event, stage, status, lastStatusCode, lastFailure, attempts, nextAttemptAt }) => (
          <tr key={_id}>
            <td>
              {mayOpen ? (
                <Link
                  to="/webhooks/deliveries/$id"
                  params={{ id: _id }}
                  className="cell-link cut"
                  dir="ltr"
                  data-row-link
                >
                  {urls.get(endpointId) ?? endpointId}
                </Link>
              ) : (
                <IdChip value={endpointId} label={text('endpoint')} />
              )}
            </td>
            <td className="muted">{stage ? wordOf(stage) : event}</td>
            <td>
              <StateBadge state={status} />
            </td>
            <td className="muted">{lastStatusCode ?? lastFailure ?? '–'}</td>
            <td className="figure number wide-only">{attempts}</td>
            <td className="figure muted wide-only">
              {nextAttemptAt ? <Timestamp at={nextAttemptAt} /> : '–'}
            </td>
          </tr>
        ),
      )}
    </Table>
  );
}

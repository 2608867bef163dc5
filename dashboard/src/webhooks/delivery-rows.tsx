// The rows of deliveries, newest first.
import { Link } from '@tanstack/react-router';
import type { Delivery, Endpoint } from '../../../client/src/generated.ts';
import { StateBadge, wordOf } from '../design/state-badge.tsx';
import { Table } from '../design/table.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { textsOf } from '../text/texts.ts';
import { shortUrl } from './endpoint-state.ts';

interface Props {
  deliveries: Delivery[];
  /** To name their addresses. */
  endpoints: Endpoint[];
}

export function DeliveryRows({ deliveries, endpoints }: Props) {
  const text = textsOf('webhooks');
  const urls = new Map(endpoints.map(({ _id, url }) => [_id, shortUrl(url)]));
  return (
    <Table
      columns={[
        { label: text('state'), widthPx: 140 },
        { label: text('event'), widthPx: 200 },
        { label: text('endpoint') },
        { label: text('answer'), widthPx: 160 },
        { label: text('tries'), widthPx: 80, isFigure: true, isExtra: true },
        { label: text('created'), widthPx: 120, isFigure: true },
      ]}
    >
      {deliveries.map(
        ({
          _id,
          status,
          event,
          stage,
          endpointId,
          lastStatusCode,
          lastFailure,
          nextAttemptAt,
          attempts,
          createdAt,
        }) => (
          <tr key={_id}>
            <td>
              <StateBadge state={status} />
            </td>
            <td className="mono">
              <Link to="/webhooks/deliveries/$id" params={{ id: _id }} className="cell-link" data-row-link>
                {event}
              </Link>{' '}
              {stage && <span className="note small">{wordOf(stage)}</span>}
            </td>
            <td className="muted full" dir="ltr">
              {urls.get(endpointId) ?? endpointId}
            </td>
            <td className="muted wide-only">
              {lastStatusCode ?? lastFailure ?? '–'}
              {status === 'pending' && nextAttemptAt && attempts > 0 && (
                <>
                  {' '}
                  <Timestamp at={nextAttemptAt} />
                </>
              )}
            </td>
            <td className="figure number wide-only extra">{attempts}</td>
            <td className="figure muted wide-only">
              <Timestamp at={createdAt} />
            </td>
          </tr>
        ),
      )}
    </Table>
  );
}

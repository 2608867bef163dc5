// The webhook deliveries of a message, with their last answer and the next try.
import type { Delivery } from '../../../client/src/generated.ts';
import { IdChip } from '../design/id-chip.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { Table } from '../design/table.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { textsOf } from '../text/texts.ts';

export function DeliveryTable({ deliveries }: { deliveries: Delivery[] }) {
  const text = textsOf('messages');
  return (
    <Table
      columns={[
        { label: text('endpoint') },
        { label: text('event') },
        { label: text('state') },
        { label: text('answer') },
        { label: text('attempts'), isFigure: true },
        { label: text('next'), isFigure: true },
      ]}
    >
      {deliveries.map(
        ({ _id, endpointId, event, status, lastStatusCode, lastFailure, attempts, nextAttemptAt }) => (
          <tr key={_id}>
            <td>
              <IdChip value={endpointId} label={text('endpoint')} />
            </td>
            <td className="muted wide-only">{event}</td>
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

// The webhook deliveries of a message, with their last answer and the next try.
import type { Delivery } from '../../../client/src/generated.ts';
import { IdChip } from '../design/id-chip.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import '../design/table.css';
import { Timestamp } from '../design/timestamp.tsx';
import { textsOf } from '../text/texts.ts';

export function DeliveryTable({ deliveries }: { deliveries: Delivery[] }) {
  const text = textsOf('messages');
  return (
    <div className="table-frame">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{text('endpoint')}</th>
            <th scope="col">{text('event')}</th>
            <th scope="col">{text('state')}</th>
            <th scope="col">{text('answer')}</th>
            <th scope="col" className="figure">
              {text('attempts')}
            </th>
            <th scope="col" className="figure">
              {text('next')}
            </th>
          </tr>
        </thead>
        <tbody>
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
        </tbody>
      </table>
    </div>
  );
}

// The webhook deliveries of a message, with their last answer, the next try, and a replay of one or all.
import IconRefresh from '@tabler/icons-react/dist/esm/icons/IconRefresh.mjs';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Delivery } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { IdChip } from '../design/id-chip.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { StateBadge, wordOf } from '../design/state-badge.tsx';
import { Table } from '../design/table.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { useMay } from '../session/session.tsx';
import { textIfAny, textsOf } from '../text/texts.ts';
import { useReceivers } from './use-receivers.ts';

/** Delivers events again, one after another: the same bytes, the same webhook-ids. */
function useReplay() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (ids: string[]) => {
      for (const id of ids) await api.replayDelivery({ id });
    },
    onSettled: () => {
      void queries.invalidateQueries({ queryKey: ['messages', 'one'] });
      void queries.invalidateQueries({ queryKey: ['deliveries'] });
    },
  });
}

export function Deliveries({ deliveries }: { deliveries: Delivery[] }) {
  const text = textsOf('messages');
  const mayReplay = useMay('webhooks:manage');
  const { mutate, isPending, error, variables } = useReplay();
  const endpoints = new Set(deliveries.map(({ endpointId }) => endpointId)).size;
  const count = deliveries.length;
  return (
    <Card
      title={text('webhooks')}
      note={text('deliveryCount', { count, endpoints })}
      isPadded={false}
      end={
        mayReplay &&
        count > 1 && (
          <Button
            icon={<IconRefresh size={14} aria-hidden />}
            isBusy={isPending && variables?.length === count}
            isDisabled={isPending}
            onClick={() => mutate(deliveries.map(({ _id }) => _id))}
          >
            {text('replayAll', { count })}
          </Button>
        )
      }
    >
      {error && <ErrorNote error={error} />}
      <Table
        columns={[
          { label: text('endpoint') },
          { label: text('event'), widthPx: 110 },
          { label: text('state'), widthPx: 120 },
          { label: text('answer'), widthPx: 150 },
          { label: text('attempts'), widthPx: 60, isFigure: true },
          { label: text('next'), widthPx: 110, isFigure: true },
          ...(mayReplay ? [{ label: text('replay'), widthPx: 100, isLabelHidden: true }] : []),
        ]}
      >
        {deliveries.map((delivery) => (
          <DeliveryRow
            key={delivery._id}
            delivery={delivery}
            isBusy={isPending && (variables?.includes(delivery._id) ?? false)}
            {...(mayReplay ? { onReplay: () => mutate([delivery._id]) } : {})}
          />
        ))}
      </Table>
    </Card>
  );
}

interface RowProps {
  delivery: Delivery;
  isBusy: boolean;
  /** Undefined: the session may not open or replay deliveries. */
  onReplay?: () => void;
}

function DeliveryRow({ delivery, isBusy, onReplay }: RowProps) {
  const text = textsOf('messages');
  const { addressOf } = useReceivers();
  const { _id, endpointId, event, stage, status, lastStatusCode, lastFailure, attempts, nextAttemptAt } =
    delivery;
  const failure = lastFailure && (textIfAny('messages', `failure_${lastFailure}`) ?? lastFailure);
  const isWaiting = status === 'pending' && attempts === 0;
  return (
    <tr>
      <td>
        {onReplay ? (
          <Link
            to="/webhooks/deliveries/$id"
            params={{ id: _id }}
            className="cell-link cut"
            dir="ltr"
            data-row-link
          >
            {addressOf(endpointId) ?? endpointId}
          </Link>
        ) : (
          <IdChip value={endpointId} label={text('endpoint')} />
        )}
      </td>
      <td className="muted">{stage ? wordOf(stage) : event}</td>
      <td>
        <StateBadge state={status} />
      </td>
      <td className={status === 'delivered' || isWaiting ? 'muted' : 'warn-text'}>
        {isWaiting ? text('notTried') : (lastStatusCode ?? failure ?? '–')}
      </td>
      <td className="figure number wide-only">{attempts}</td>
      <td className="figure muted wide-only">{nextAttemptAt ? <Timestamp at={nextAttemptAt} /> : '–'}</td>
      {onReplay && (
        <td className="figure wide-only">
          <Button kind="quiet" isBusy={isBusy} onClick={onReplay}>
            {text('replay')}
          </Button>
        </td>
      )}
    </tr>
  );
}

// One delivery: its tries, the exact bytes that were sent, what the receiver answered, and a replay.

import IconRefresh from '@tabler/icons-react/dist/esm/icons/IconRefresh.mjs';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import type { Attempt, DeliveryDetail, Endpoint } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { endpointsQuery } from '../api/endpoints.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { CopyButton } from '../design/copy-button.tsx';
import { IdChip } from '../design/id-chip.tsx';
import { Loading } from '../design/loading.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { Page } from '../design/page.tsx';
import { PageError } from '../design/page-error.tsx';
import { StateBadge, wordOf } from '../design/state-badge.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { useListKeys } from '../design/use-list-keys.ts';
import { formatDuration, formatNumber } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { DeliveryWhy } from './delivery-why.tsx';
import { shortUrl } from './endpoint-state.ts';
import { Body, Exchange } from './exchange.tsx';
import './webhooks.css';

export function Delivery() {
  const { id } = useParams({ from: '/webhooks/deliveries/$id' });
  const { data, error, refetch } = useQuery({
    queryKey: ['deliveries', 'one', id],
    queryFn: () => api.getDelivery({ id }),
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? 2_000 : false),
  });
  if (error && !data) return <PageError error={error} onRetry={() => void refetch()} />;
  return data ? <DeliveryView delivery={data} /> : <Loading />;
}

function DeliveryView({ delivery }: { delivery: DeliveryDetail }) {
  const text = textsOf('webhooks');
  const { attemptLog } = delivery;
  const [chosen, choose] = useState<number>();
  const attempt = attemptLog.find(({ number }) => number === chosen) ?? attemptLog.at(-1);
  const endpoints = useQuery(endpointsQuery);
  const endpoint = endpoints.data?.items.find(({ _id }) => _id === delivery.endpointId);
  const crumbs = [
    ...(endpoint ? [{ name: shortUrl(endpoint.url), to: `/webhooks/endpoints/${endpoint._id}` }] : []),
    { name: text('delivery') },
  ];
  return (
    <Page
      crumbs={crumbs}
      title={
        <span className="row wrap">
          <span className="mono-title">{delivery.event}</span>
          {delivery.stage && <span>{wordOf(delivery.stage)}</span>}
          <StateBadge state={delivery.status} />
        </span>
      }
      text={<Facts delivery={delivery} endpoint={endpoint} />}
      actions={<ReplayNow id={delivery._id} />}
    >
      {!endpoints.isPending && <DeliveryWhy delivery={delivery} endpoint={endpoint} />}
      <div className="exchange">
        <Card title={text('tries')} note={formatNumber(delivery.attempts)} isPadded={false}>
          <TryList delivery={delivery} current={attempt} onChoose={choose} />
          {attemptLog.length === 0 && <p className="card-body muted">{text('neverTried')}</p>}
        </Card>
        {attempt ? <Exchange delivery={delivery} attempt={attempt} /> : <NotSent body={delivery.body} />}
      </div>
    </Page>
  );
}

/** The body of a delivery that was not tried yet. */
function NotSent({ body }: { body: string }) {
  const text = textsOf('webhooks');
  return (
    <Card title={text('request')} end={<CopyButton value={body} label={text('copyBody')} />}>
      <Body body={body} />
    </Card>
  );
}

function Facts({
  delivery: { _id, endpointId, messageId, createdAt, nextAttemptAt, status },
  endpoint,
}: {
  delivery: DeliveryDetail;
  endpoint: Endpoint | undefined;
}) {
  const text = textsOf('webhooks');
  return (
    <span className="row wrap loose">
      {endpoint && (
        <Link to="/webhooks/endpoints/$id" params={{ id: endpointId }}>
          <bdi dir="ltr">{shortUrl(endpoint.url)}</bdi>
        </Link>
      )}
      <IdChip value={_id} label="webhook-id" />
      <Link to="/webhooks/deliveries" search={{ endpointId }}>
        {text('sameEndpoint')}
      </Link>
      {messageId && (
        <Link to="/messages" search={{ messageId }}>
          {text('openMessage')}
        </Link>
      )}
      <span>
        {text('created')} <Timestamp at={createdAt} form="both" />
      </span>
      {status === 'pending' && nextAttemptAt && (
        <span>
          {text('nextTry')} <Timestamp at={nextAttemptAt} />
        </span>
      )}
    </span>
  );
}

interface TryListProps {
  delivery: DeliveryDetail;
  current: Attempt | undefined;
  onChoose: (number: number) => void;
}

function TryList({ delivery, current, onChoose }: TryListProps) {
  const text = textsOf('webhooks');
  const { attemptLog, attempts, status, nextAttemptAt } = delivery;
  const list = useRef<HTMLOListElement>(null);
  useListKeys(list, undefined, 'tries');
  return (
    <ol ref={list} className="tries" reversed>
      {status === 'pending' && nextAttemptAt && attempts > 0 && (
        <li className="planned">
          <span className="note number">{attempts + 1}</span>
          <StateBadge state="queued" label={text('planned')} quiet />
          <span className="end number muted">
            <Timestamp at={nextAttemptAt} form="clock" />
          </span>
        </li>
      )}
      {attemptLog.toReversed().map(({ number, at, statusCode, failure, durationMs }) => (
        <li key={number}>
          <button
            type="button"
            data-row-link
            aria-pressed={number === current?.number}
            onFocus={() => onChoose(number)}
            onClick={() => onChoose(number)}
          >
            <span className="note number">{number}</span>
            <StateBadge
              state={failure === null ? 'delivered' : 'failed'}
              label={String(statusCode ?? failure)}
              quiet
            />
            <span className="end number muted">
              <Timestamp at={at} form="clock" />
              {durationMs !== null && <span className="note small"> {formatDuration(durationMs)}</span>}
            </span>
          </button>
        </li>
      ))}
    </ol>
  );
}

/** Delivers the event again: the same bytes, the same webhook-id. */
function ReplayNow({ id }: { id: string }) {
  const text = textsOf('webhooks');
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => api.replayDelivery({ id }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['deliveries'] }),
  });
  return (
    <div className="column">
      <Button
        kind="primary"
        icon={<IconRefresh size={15} aria-hidden />}
        isBusy={isPending}
        onClick={() => mutate()}
      >
        {text('replay')}
      </Button>
      {error && <ErrorNote error={error} />}
    </div>
  );
}

// One delivery: its tries, the exact bytes that were sent, what the receiver answered, and a replay.

import IconRefresh from '@tabler/icons-react/dist/esm/icons/IconRefresh.mjs';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { Attempt, DeliveryDetail } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { CopyButton } from '../design/copy-button.tsx';
import { IdChip } from '../design/id-chip.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { Page } from '../design/page.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { formatDuration, formatNumber } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { curlOf } from './snippets.ts';
import './webhooks.css';

export function Delivery() {
  const { id } = useParams({ from: '/webhooks/deliveries/$id' });
  const { data, error, refetch } = useQuery({
    queryKey: ['deliveries', 'one', id],
    queryFn: () => api.getDelivery({ id }),
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? 2_000 : false),
  });
  if (error && !data)
    return (
      <div className="page">
        <ErrorNote error={error} onRetry={() => void refetch()} />
      </div>
    );
  return data ? <DeliveryView delivery={data} /> : null;
}

function DeliveryView({ delivery }: { delivery: DeliveryDetail }) {
  const text = textsOf('webhooks');
  const { attemptLog } = delivery;
  const [chosen, choose] = useState<number>();
  const attempt = attemptLog.find(({ number }) => number === chosen) ?? attemptLog.at(-1);
  return (
    <Page
      title={
        <span className="row wrap">
          <span className="mono-title">{delivery.event}</span>
          <StateBadge state={delivery.status} />
        </span>
      }
      text={<Facts delivery={delivery} />}
      actions={<ReplayNow id={delivery._id} />}
    >
      <div className="exchange">
        <Card title={text('tries')} note={formatNumber(delivery.attempts)} isPadded={false}>
          <TryList attempts={attemptLog} current={attempt} onChoose={choose} />
          {attemptLog.length === 0 && <p className="card-body muted">{text('neverTried')}</p>}
        </Card>
        <div className="column loose">
          <Card
            title={text('request')}
            note={text('bytes', { count: formatNumber(new TextEncoder().encode(delivery.body).length) })}
            end={
              <>
                <CopyButton value={delivery.body} label={text('copyBody')} />
                <CopyButton value={curlOf(delivery)} label={text('copyCurl')} />
              </>
            }
          >
            <Code text={delivery.body} label={text('request')} />
          </Card>
          {attempt && <Answer attempt={attempt} />}
        </div>
      </div>
    </Page>
  );
}

/** Text as it is, which scrolls by keyboard too. */
const Code = ({ text, label }: { text: string; label: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling code must take the keyboard
  <section className="code" aria-label={label} tabIndex={0} dir="ltr">
    {text}
  </section>
);

function Facts({
  delivery: { _id, endpointId, messageId, createdAt, nextAttemptAt, status },
}: {
  delivery: DeliveryDetail;
}) {
  const text = textsOf('webhooks');
  return (
    <span className="row wrap loose">
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
  attempts: Attempt[];
  current: Attempt | undefined;
  onChoose: (number: number) => void;
}

function TryList({ attempts, current, onChoose }: TryListProps) {
  return (
    <ol className="tries">
      {attempts.toReversed().map(({ number, at, statusCode, failure, durationMs }) => (
        <li key={number}>
          <button type="button" aria-pressed={number === current?.number} onClick={() => onChoose(number)}>
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

function Answer({
  attempt: { number, statusCode, failure, detail, answer, durationMs },
}: {
  attempt: Attempt;
}) {
  const text = textsOf('webhooks');
  return (
    <Card
      title={text('answerOf', { number })}
      note={[statusCode ?? failure, durationMs !== null && formatDuration(durationMs)]
        .filter(Boolean)
        .join(', ')}
    >
      {detail && <p className="warn-text">{detail}</p>}
      {answer ? (
        <Code text={answer} label={text('answerOf', { number })} />
      ) : (
        <p className="muted">{text('noAnswer')}</p>
      )}
    </Card>
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

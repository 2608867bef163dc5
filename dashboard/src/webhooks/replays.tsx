// The replay of a range of time, and how far each replay is.
import { useQuery } from '@tanstack/react-query';
import type { Endpoint, Replay } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { Card } from '../design/card.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { StateBadge, wordOf } from '../design/state-badge.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { formatMoment, formatNumber } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { ReplayForm } from './replay-form.tsx';

const runningMs = 1_000;

export function Replays({ endpoint }: { endpoint: Endpoint }) {
  const text = textsOf('webhooks');
  const { _id: endpointId, status } = endpoint;
  const { data, error, refetch } = useQuery({
    queryKey: ['deliveries', 'replays', endpointId],
    queryFn: () => api.listReplays({ id: endpointId, limit: 10 }),
    refetchInterval: ({ state }) => (state.data?.items.some(({ finished }) => !finished) ? runningMs : false),
  });
  return (
    <Card title={text('replayRange')} note={text('replayNote')}>
      <div className="column loose">
        {/* a disabled endpoint gets nothing */}
        {status === 'disabled' ? (
          <p className="muted">{text('replayDisabled')}</p>
        ) : (
          <ReplayForm endpoint={endpoint} />
        )}
        {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
        {data && data.items.length > 0 && (
          <ul className="column loose" aria-label={text('replays')}>
            {data.items.map((replay) => (
              <ReplayRow key={replay._id} replay={replay} />
            ))}
          </ul>
        )}
      </div>
    </Card>
  );
}

/** The part of the range that is done, from 0 to 1. */
function partOf({ from, to, reachedAt, finished }: Replay): number {
  const length = Date.parse(to) - Date.parse(from);
  return finished || length <= 0 ? 1 : Math.min(1, (Date.parse(reachedAt) - Date.parse(from)) / length);
}

function ReplayRow({ replay }: { replay: Replay }) {
  const text = textsOf('webhooks');
  const { from, to, status, replayed, reachedAt, finished, createdAt } = replay;
  const range = text('range', { from: formatMoment(new Date(from)), to: formatMoment(new Date(to)) });
  return (
    <li className="column replay">
      <div className="row wrap">
        <StateBadge state={finished ? 'done' : 'sending'} />
        <span>{range}</span>
        <span className="muted">{status === null ? text('all') : wordOf(status)}</span>
        <span className="end note small">
          <Timestamp at={createdAt} />
        </span>
      </div>
      <progress className="bar-of" max={1} value={partOf(replay)} aria-label={range} />
      <div className="row small muted number">
        {text('sentAgain', { count: formatNumber(replayed) })}
        {!finished && (
          <span className="end">{text('reached', { time: formatMoment(new Date(reachedAt)) })}</span>
        )}
      </div>
    </li>
  );
}

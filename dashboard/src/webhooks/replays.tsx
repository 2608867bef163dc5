// The replay of a range of time, and how far each replay is.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Replay } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { StateBadge, wordOf } from '../design/state-badge.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { formatMoment, formatNumber, zone } from '../text/format.ts';
import { localInput, ofLocalInput } from '../text/local-time.ts';
import { textsOf } from '../text/texts.ts';

const hourMs = 3_600_000;
const dayHours = 24;
const runningMs = 1_000;
const statuses = ['dead', 'pending', 'delivered'] as const;
type Status = (typeof statuses)[number];

interface Props {
  endpointId: string;
  /** A disabled endpoint gets nothing. */
  isDisabled: boolean;
}

export function Replays({ endpointId, isDisabled }: Props) {
  const text = textsOf('webhooks');
  const { data, error, refetch } = useQuery({
    queryKey: ['deliveries', 'replays', endpointId],
    queryFn: () => api.listReplays({ id: endpointId, limit: 10 }),
    refetchInterval: ({ state }) => (state.data?.items.some(({ finished }) => !finished) ? runningMs : false),
  });
  return (
    <Card title={text('replayRange')} note={text('replayNote')}>
      <div className="column loose">
        {isDisabled ? (
          <p className="muted">{text('replayDisabled')}</p>
        ) : (
          <ReplayForm endpointId={endpointId} />
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

function ReplayForm({ endpointId }: { endpointId: string }) {
  const text = textsOf('webhooks');
  const queries = useQueryClient();
  const [from, setFrom] = useState(() => localInput(new Date(Date.now() - dayHours * hourMs), zone));
  const [to, setTo] = useState('');
  const [status, setStatus] = useState<Status | ''>('dead');
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      api.replayEndpoint({
        id: endpointId,
        body: {
          from: ofLocalInput(from, zone).toISOString(),
          to: (to === '' ? new Date() : ofLocalInput(to, zone)).toISOString(),
          ...(status === '' ? {} : { status }),
        },
      }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['deliveries'] }),
  });
  return (
    <form
      className="column"
      onSubmit={(event) => {
        event.preventDefault();
        mutate();
      }}
    >
      <div className="row wrap loose">
        <label className="row">
          {text('fromTime')}
          <input
            className="input"
            type="datetime-local"
            required
            value={from}
            onChange={({ target }) => setFrom(target.value)}
          />
        </label>
        <label className="row">
          {text('toTime')}
          <input
            className="input"
            type="datetime-local"
            value={to}
            onChange={({ target }) => setTo(target.value)}
          />
        </label>
        <label className="row">
          {text('state')}
          <select
            className="input"
            value={status}
            onChange={({ target }) => setStatus(target.value as Status | '')}
          >
            {statuses.map((one) => (
              <option key={one} value={one}>
                {wordOf(one)}
              </option>
            ))}
            <option value="">{text('all')}</option>
          </select>
        </label>
        <Button type="submit" isBusy={isPending} isDisabled={from === ''}>
          {text('startReplay')}
        </Button>
      </div>
      <div className="field-note">{text('replayTimes', { zone })}</div>
      {error && <ErrorNote error={error} />}
    </form>
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

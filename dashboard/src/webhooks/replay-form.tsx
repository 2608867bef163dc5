// The replay of what was given up lately, by one click, or of any range.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Endpoint, ReplayRange } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { Button } from '../design/button.tsx';
import { Form } from '../design/form.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { wordOf } from '../design/state-badge.tsx';
import { zone } from '../text/format.ts';
import { localInput, ofLocalInput } from '../text/local-time.ts';
import { textsOf } from '../text/texts.ts';

const hourMs = 3_600_000;
const dayHours = 24;
const statuses = ['dead', 'pending', 'delivered'] as const;
type Status = (typeof statuses)[number];
/** The ranges of one click, in hours. */
const lately = [1, 24, 168] as const;

export function ReplayForm({ endpoint: { _id: endpointId } }: { endpoint: Endpoint }) {
  const text = textsOf('webhooks');
  const queries = useQueryClient();
  const [from, setFrom] = useState(() => localInput(new Date(Date.now() - dayHours * hourMs), zone));
  const [to, setTo] = useState('');
  const [status, setStatus] = useState<Status | ''>('dead');
  const { mutate, isPending, error } = useMutation({
    mutationFn: (body: ReplayRange) => api.replayEndpoint({ id: endpointId, body }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['deliveries'] }),
  });
  const replayLate = (hours: number) =>
    mutate({
      from: new Date(Date.now() - hours * hourMs).toISOString(),
      to: new Date().toISOString(),
      status: 'dead',
    });
  const replayRange = () =>
    mutate({
      from: ofLocalInput(from, zone).toISOString(),
      to: (to === '' ? new Date() : ofLocalInput(to, zone)).toISOString(),
      ...(status === '' ? {} : { status }),
    });
  return (
    <Form onSubmit={replayRange}>
      <fieldset className="chips wrap" aria-label={text('replayLate')}>
        <span className="chips-title">{text('replayLate')}</span>
        {lately.map((hours) => (
          <button
            key={hours}
            type="button"
            className="chip"
            disabled={isPending}
            onClick={() => replayLate(hours)}
          >
            {text(`late_${hours}`)}
          </button>
        ))}
      </fieldset>
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
      <div className="note small">{text('replayTimes', { zone })}</div>
      {error && <ErrorNote error={error} />}
    </Form>
  );
}

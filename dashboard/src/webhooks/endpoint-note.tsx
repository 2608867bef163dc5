// Why an endpoint gets nothing or not all, what that means, and the way out.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Endpoint } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { Button } from '../design/button.tsx';
import { shapes } from '../design/icons.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { lookOf } from '../design/states.ts';
import { useNow } from '../design/use-now.ts';
import { useMay } from '../session/session.tsx';
import { formatMoment, formatNumber, formatRelative } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { disabledWord, problemOf } from './endpoint-state.ts';

export function EndpointNote({ endpoint }: { endpoint: Endpoint }) {
  const text = textsOf('webhooks');
  const nowMs = useNow();
  const { _id: endpointId, disabledReason, failingSince, restingUntil, waiting } = endpoint;
  const problem = problemOf(endpoint, nowMs);
  if (problem === undefined) return null;
  const why = disabledReason ? text(`disabled_${disabledWord(disabledReason)}`) : '';
  const since = failingSince ? formatMoment(new Date(failingSince)) : '';
  const next = restingUntil ? formatRelative(new Date(restingUntil), nowMs) : '';
  const { shape } = lookOf(problem === 'failing' ? 'warning' : problem);
  return (
    <div className={`note-box ${problem === 'disabled' ? 'bad' : 'warn'}`} role="status">
      {shapes[shape]}
      <div className="grow">
        <div className="strong">{text(`is_${problem}`, { why, since, next })}</div>
        <p className="muted">
          {text(`is_${problem}Effect`)}{' '}
          {waiting > 0 && text('waitCount', { count: waiting, number: formatNumber(waiting) })}{' '}
          {problem !== 'paused' && (
            <Link
              to="/webhooks/deliveries"
              search={{ endpointId, status: problem === 'disabled' ? 'dead' : 'pending' }}
            >
              {text('whyOfDeliveries')}
            </Link>
          )}
        </p>
      </div>
      {problem !== 'failing' && <Activate id={endpointId} isResting={problem === 'resting'} />}
    </div>
  );
}

function Activate({ id, isResting }: { id: string; isResting: boolean }) {
  const text = textsOf('webhooks');
  const queries = useQueryClient();
  const mayManage = useMay('manage');
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => api.updateEndpoint({ id, body: { status: 'active' } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['endpoints'] }),
  });
  if (!mayManage) return null;
  return (
    <div className="column">
      <Button isBusy={isPending} onClick={() => mutate()}>
        {text(isResting ? 'tryNow' : 'activate')}
      </Button>
      {error && <ErrorNote error={error} />}
    </div>
  );
}

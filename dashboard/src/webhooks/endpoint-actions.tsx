// What can be done with an endpoint: a test event, and pausing or activating it.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Endpoint, TestResult } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { Button } from '../design/button.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { useMay } from '../session/session.tsx';
import { formatDuration } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';

export function EndpointActions({ endpoint: { _id: id, status } }: { endpoint: Endpoint }) {
  const text = textsOf('webhooks');
  const queries = useQueryClient();
  const mayManage = useMay('manage');
  const [result, setResult] = useState<TestResult>();
  const changed = () => queries.invalidateQueries({ queryKey: ['endpoints'] });
  const test = useMutation({
    mutationFn: () => api.testEndpoint({ id }),
    onSuccess: async (tested) => {
      setResult(tested);
      // a successful one ends a rest
      await changed();
    },
  });
  const next = status === 'active' ? 'paused' : 'active';
  const change = useMutation({
    mutationFn: () => api.updateEndpoint({ id, body: { status: next } }),
    onSuccess: changed,
  });
  const error = test.error ?? change.error;
  return (
    <div className="endpoint-actions">
      <Button isBusy={test.isPending} onClick={() => test.mutate()}>
        {text('test')}
      </Button>
      {mayManage && (
        <Button kind="quiet" isBusy={change.isPending} onClick={() => change.mutate()}>
          {text(next === 'paused' ? 'pause' : 'activate')}
        </Button>
      )}
      <span role="status" className="small">
        {result && (
          <Link to="/webhooks/deliveries/$id" params={{ id: result.deliveryId }}>
            <StateBadge state={result.delivered ? 'delivered' : 'failed'} quiet />{' '}
            {result.statusCode ?? result.failure} {formatDuration(result.durationMs)}
          </Link>
        )}
      </span>
      {error && <ErrorNote error={error} />}
    </div>
  );
}

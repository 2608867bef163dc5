// A new secret in three steps, each with the part of the receiver.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Endpoint } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { shapes } from '../design/icons.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { ShownOnce } from '../design/shown-once.tsx';
import { useNow } from '../design/use-now.ts';
import { formatMoment } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';

const steps = ['make', 'deploy', 'finish'] as const;

/** Which step is next: 0 make a secret, 1 the receiver learns it, 2 only the new one is left. */
function stepOf({ rotation }: Endpoint, nowMs: number): number {
  if (rotation === null || Date.parse(rotation.overlapUntil) <= nowMs) return 0;
  return rotation.activated ? 2 : 1;
}

export function RotateGuide({ endpoint }: { endpoint: Endpoint }) {
  const text = textsOf('webhooks');
  const queries = useQueryClient();
  const nowMs = useNow();
  const { _id: id, rotation } = endpoint;
  const [secret, setSecret] = useState<string>();
  const stored = () => queries.invalidateQueries({ queryKey: ['endpoints'] });
  const rotate = useMutation({
    mutationFn: () => api.rotateEndpointSecret({ id }),
    onSuccess: (made) => {
      setSecret(made.secret);
      void stored();
    },
  });
  const activate = useMutation({ mutationFn: () => api.activateEndpointSecret({ id }), onSuccess: stored });
  const current = stepOf(endpoint, nowMs);
  const error = rotate.error ?? activate.error;
  return (
    <Card title={text('rotation')} note={text('rotationNote')}>
      <div className="column loose">
        <ol className="guide">
          {steps.map((step, index) => (
            <li key={step} {...(index === current ? { 'aria-current': 'step' as const } : {})}>
              <span className={`state ${index < current ? 'ok' : 'wait'}`}>
                {index < current ? shapes.tickDisc : shapes.dashedRing}
              </span>
              <div>
                <div className="strong">{text(`rotate_${step}`)}</div>
                <div className="muted">{text(`rotate_${step}Text`)}</div>
              </div>
            </li>
          ))}
        </ol>
        {secret !== undefined && (
          <ShownOnce
            value={secret}
            label={text('secret')}
            text={text('newSecretOnce')}
            onStored={() => setSecret(undefined)}
          />
        )}
        {error && <ErrorNote error={error} />}
        <div className="row wrap">
          {current === 0 && (
            <Button isBusy={rotate.isPending} onClick={() => rotate.mutate()}>
              {text('makeSecret')}
            </Button>
          )}
          {current === 1 && (
            <Button
              kind="primary"
              isBusy={activate.isPending}
              isDisabled={secret !== undefined}
              onClick={() => activate.mutate()}
            >
              {text('activateSecret')}
            </Button>
          )}
          {rotation && current > 0 && (
            <span className="muted">
              {text('bothValid', { time: formatMoment(new Date(rotation.overlapUntil)) })}
            </span>
          )}
        </div>
      </div>
    </Card>
  );
}

// What an endpoint is, and changing it.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Endpoint } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { Form } from '../design/form.tsx';
import { IdChip } from '../design/id-chip.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { useMay } from '../session/session.tsx';
import { textsOf } from '../text/texts.ts';
import { EndpointFields, isComplete } from './endpoint-fields.tsx';
import { eventKinds } from './event-kinds.ts';

export function EndpointSettings({ endpoint }: { endpoint: Endpoint }) {
  const text = textsOf('webhooks');
  const mayManage = useMay('manage');
  const [isChanging, setChanging] = useState(false);
  return (
    <Card
      title={text('settings')}
      end={
        mayManage &&
        !isChanging && (
          <Button kind="quiet" onClick={() => setChanging(true)}>
            {text('change')}
          </Button>
        )
      }
    >
      {isChanging ? (
        <ChangeEndpoint endpoint={endpoint} onDone={() => setChanging(false)} />
      ) : (
        <EndpointFacts endpoint={endpoint} />
      )}
    </Card>
  );
}

function EndpointFacts({ endpoint: { _id: id, url, events, createdAt } }: { endpoint: Endpoint }) {
  const text = textsOf('webhooks');
  return (
    <dl className="facts">
      <dt>{text('address')}</dt>
      <dd className="mono break" dir="ltr">
        {url}
      </dd>
      <dt>{text('endpointId')}</dt>
      <dd>
        <IdChip value={id} label={text('endpointId')} />
      </dd>
      <dt>{text('events')}</dt>
      <dd className="mono">
        {events.map((event) => (
          <div key={event}>{event}</div>
        ))}
      </dd>
      <dt>{text('created')}</dt>
      <dd>
        <Timestamp at={createdAt} form="both" />
      </dd>
      <dt>{text('deliveries')}</dt>
      <dd>
        <Link to="/webhooks/deliveries" search={{ endpointId: id }}>
          {text('allDeliveries')}
        </Link>
      </dd>
    </dl>
  );
}

function ChangeEndpoint({ endpoint, onDone }: { endpoint: Endpoint; onDone: () => void }) {
  const text = textsOf('webhooks');
  const queries = useQueryClient();
  const [values, setValues] = useState({
    url: endpoint.url,
    description: endpoint.description ?? '',
    events: eventKinds.filter((kind) => endpoint.events.includes(kind)),
  });
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => {
      const body = {
        url: values.url.trim(),
        description: values.description.trim() || null,
        events: values.events,
      };
      return api.updateEndpoint({ id: endpoint._id, body });
    },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['endpoints'] });
      onDone();
    },
  });
  return (
    <Form onSubmit={mutate}>
      <EndpointFields values={values} onChange={setValues} />
      <p className="note small">{text('changeNote')}</p>
      {error && <ErrorNote error={error} />}
      <div className="row">
        <Button type="submit" kind="primary" isBusy={isPending} isDisabled={!isComplete(values)}>
          {text('save')}
        </Button>
        <Button kind="quiet" onClick={onDone}>
          {text('discard')}
        </Button>
      </div>
    </Form>
  );
}

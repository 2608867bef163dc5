// A new endpoint, and its secret, which is shown once.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { Form } from '../design/form.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { ShownOnce } from '../design/shown-once.tsx';
import { textsOf } from '../text/texts.ts';
import { EndpointFields, type EndpointValues, isComplete } from './endpoint-fields.tsx';

const empty: EndpointValues = { url: '', description: '', events: ['messages.status'] };

export function AddEndpoint({ onDone }: { onDone: () => void }) {
  const text = textsOf('webhooks');
  const queries = useQueryClient();
  const [values, setValues] = useState(empty);
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => {
      const description = values.description.trim();
      const body = { url: values.url.trim(), events: values.events, ...(description ? { description } : {}) };
      return api.createEndpoint({ body });
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: ['endpoints'] }),
  });
  if (data)
    return (
      <ShownOnce value={data.secret} label={text('secret')} text={text('secretOnce')} onStored={onDone} />
    );
  return (
    <Card title={text('add')}>
      <Form onSubmit={mutate}>
        <EndpointFields values={values} onChange={setValues} />
        {error && <ErrorNote error={error} />}
        <div className="row">
          <Button type="submit" kind="primary" isBusy={isPending} isDisabled={!isComplete(values)}>
            {text('add')}
          </Button>
          <Button kind="quiet" onClick={onDone}>
            {text('discard')}
          </Button>
        </div>
      </Form>
    </Card>
  );
}

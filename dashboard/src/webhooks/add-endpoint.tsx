// A new endpoint, and its secret, which is shown once.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { ShownOnce } from '../design/shown-once.tsx';
import { TextField } from '../design/text-field.tsx';
import { textsOf } from '../text/texts.ts';
import { type EventKind, eventKinds } from './event-kinds.ts';

export function AddEndpoint({ onDone }: { onDone: () => void }) {
  const text = textsOf('webhooks');
  const queries = useQueryClient();
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<EventKind[]>(['messages.status']);
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => api.createEndpoint({ body: { url: url.trim(), events } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['endpoints'] }),
  });
  if (data)
    return (
      <ShownOnce value={data.secret} label={text('secret')} text={text('secretOnce')} onStored={onDone} />
    );
  const toggle = (kind: EventKind) =>
    setEvents(events.includes(kind) ? events.filter((one) => one !== kind) : [...events, kind]);
  return (
    <Card title={text('add')}>
      <form
        className="column loose"
        onSubmit={(event) => {
          event.preventDefault();
          mutate();
        }}
      >
        <TextField
          label={text('address')}
          type="url"
          dir="ltr"
          required
          placeholder="https://example.com/webhooks"
          value={url}
          onChange={setUrl}
        />
        <fieldset className="event-kinds">
          <legend className="strong">{text('events')}</legend>
          {eventKinds.map((kind) => (
            <label key={kind} className="row mono">
              <input type="checkbox" checked={events.includes(kind)} onChange={() => toggle(kind)} />
              {kind}
            </label>
          ))}
        </fieldset>
        {error && <ErrorNote error={error} />}
        <div className="row">
          <Button
            type="submit"
            kind="primary"
            isBusy={isPending}
            isDisabled={url.trim() === '' || events.length === 0}
          >
            {text('add')}
          </Button>
          <Button kind="quiet" onClick={onDone}>
            {text('discard')}
          </Button>
        </div>
      </form>
    </Card>
  );
}

// What can be changed about a number: its name, its rate, whether it is the default one, and that it is connected at all.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Sender } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { Button } from '../design/button.tsx';
import { ConfirmButton } from '../design/confirm.tsx';
import { Form } from '../design/form.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { TextField } from '../design/text-field.tsx';
import { textsOf } from '../text/texts.ts';

const rateMax = 1_000;

interface Props {
  sender: Sender;
  isOnly: boolean;
  onDone: () => void;
}

export function SenderSettings({ sender, isOnly, onDone }: Props) {
  const text = textsOf('senders');
  const queries = useQueryClient();
  const { _id: id, messagesPerSecond, throughput } = sender;
  const [name, setName] = useState(sender.name);
  const [rate, setRate] = useState(messagesPerSecond === null ? '' : String(messagesPerSecond));
  const [isDefault, setDefault] = useState(sender.isDefault);
  const { mutate, error, isPending } = useMutation({
    mutationFn: () =>
      api.updateSender({
        id,
        body: {
          name: name.trim(),
          messagesPerSecond: rate === '' ? null : Number(rate),
          ...(isDefault && !sender.isDefault ? { isDefault: true } : {}),
        },
      }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['senders'] });
      onDone();
    },
  });
  return (
    <Form className="column loose sender-settings" onSubmit={mutate}>
      <TextField label={text('field_name')} required maxLength={100} value={name} onChange={setName} />
      <TextField
        label={text('rateMost')}
        type="number"
        dir="ltr"
        min={1}
        max={rateMax}
        placeholder={throughput === null ? '' : String(throughput)}
        note={text('rateMostNote')}
        value={rate}
        onChange={setRate}
      />
      {!isOnly && (
        <label className="row">
          <input
            type="checkbox"
            checked={isDefault}
            // another one has to take its place
            disabled={sender.isDefault}
            onChange={({ target }) => setDefault(target.checked)}
          />
          {text('isDefault')}
        </label>
      )}
      {error && <ErrorNote error={error} />}
      <div className="row wrap">
        <Button type="submit" kind="primary" isBusy={isPending} isDisabled={name.trim() === ''}>
          {text('save')}
        </Button>
        <Button kind="quiet" onClick={onDone}>
          {text('discard')}
        </Button>
        <DeleteSender sender={sender} />
      </div>
    </Form>
  );
}

function DeleteSender({ sender: { _id: id, name } }: { sender: Sender }) {
  const text = textsOf('senders');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { mutateAsync } = useMutation({
    mutationFn: () => api.deleteSender({ id }),
    onSuccess: async () => {
      await navigate({ to: '/senders', search: {} });
      await queries.invalidateQueries({ queryKey: ['senders'] });
    },
  });
  return (
    <span className="end">
      <ConfirmButton
        kind="quiet"
        question={{
          title: text('confirmDelete', { name }),
          effect: text('confirmDeleteEffect'),
          verb: text('delete'),
          isDestructive: true,
        }}
        run={() => mutateAsync()}
      />
    </span>
  );
}

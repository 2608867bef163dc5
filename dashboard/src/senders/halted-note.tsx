// Why a number is halted, and the field that resumes it.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Sender } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { Button } from '../design/button.tsx';
import { Form } from '../design/form.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { textsOf } from '../text/texts.ts';

export function HaltedNote({
  sender: { _id: id, name, haltedAt, haltedScope, haltedReason, haltedCode },
}: {
  sender: Sender;
}) {
  const text = textsOf('senders');
  const queries = useQueryClient();
  const [accessToken, setToken] = useState('');
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => api.updateSender({ id, body: accessToken === '' ? {} : { accessToken } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['senders'] }),
  });
  return (
    <Form className="note-box bad" onSubmit={mutate}>
      <div className="grow column">
        <div className="strong">
          <bdi>{text('haltedTitle', { name })}</bdi> {haltedAt && <Timestamp at={haltedAt} form="clock" />}
        </div>
        <div className="muted" dir="auto">
          {haltedReason} {haltedCode !== null && <span className="mono">{haltedCode}</span>}
        </div>
        <div className="muted">
          {text(haltedScope === 'templates' ? 'haltedTemplatesEffect' : 'haltedEffect')}
        </div>
        {error && <ErrorNote error={error} />}
      </div>
      <div className="row wrap">
        <input
          className="input"
          type="password"
          autoComplete="off"
          aria-label={text('newToken')}
          placeholder={text('newToken')}
          value={accessToken}
          onChange={(event) => setToken(event.target.value.trim())}
        />
        <Button type="submit" kind="primary" isBusy={isPending} isDisabled={accessToken === ''}>
          {text('verify')}
        </Button>
      </div>
    </Form>
  );
}

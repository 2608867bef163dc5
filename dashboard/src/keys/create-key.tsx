// A new key for a program. It is shown once.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { CreateKey as KeyBody } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { ShownOnce } from '../design/shown-once.tsx';
import { textsOf } from '../text/texts.ts';
import { ScopeChoice } from './scope-choice.tsx';

export function CreateKey() {
  const text = textsOf('keys');
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<string[]>([]);
  const { mutate, data, error, isPending, reset } = useMutation({
    mutationFn: () => api.createKey({ body: { name: name.trim(), scopes: scopes as KeyBody['scopes'] } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['keys'] }),
  });
  if (data) {
    const done = () => {
      reset();
      setName('');
      setScopes([]);
    };
    return <ShownOnce value={data.apiKey} label={text('key')} text={text('keyOnce')} onStored={done} />;
  }
  return (
    <Card title={text('newKey')} note={text('newKeyNote')}>
      <form
        className="column loose"
        onSubmit={(event) => {
          event.preventDefault();
          mutate();
        }}
      >
        <div className="column">
          <label className="strong" htmlFor="key-name">
            {text('name')}
          </label>
          <input
            id="key-name"
            className="input"
            dir="auto"
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </div>
        <ScopeChoice chosen={scopes} onChange={setScopes} />
        {error && <ErrorNote error={error} />}
        <div>
          <Button type="submit" isBusy={isPending} isDisabled={name.trim() === '' || scopes.length === 0}>
            {text('create')}
          </Button>
        </div>
      </form>
    </Card>
  );
}

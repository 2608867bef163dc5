// A link with which a colleague signs in, with no more than they need.
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { CreateDashboardLink } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { ShownOnce } from '../design/shown-once.tsx';
import { textsOf } from '../text/texts.ts';
import { ScopeChoice } from './scope-choice.tsx';

const daySeconds = 86_400;

export function Invite() {
  const text = textsOf('keys');
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<string[]>([]);
  const { mutate, data, error, isPending, reset } = useMutation({
    mutationFn: () =>
      api.createDashboardLink({
        body: {
          name: name.trim(),
          scopes: scopes as NonNullable<CreateDashboardLink['scopes']>,
          expiresInSeconds: daySeconds,
        },
      }),
  });
  if (data) {
    const done = () => {
      reset();
      setName('');
    };
    return <ShownOnce value={data.url} label={text('link')} text={text('linkOnce')} onStored={done} />;
  }
  return (
    <Card title={text('invite')} note={text('inviteNote')}>
      <form
        className="column loose"
        onSubmit={(event) => {
          event.preventDefault();
          mutate();
        }}
      >
        <div className="column">
          <label className="strong" htmlFor="invite-name">
            {text('who')}
          </label>
          <input
            id="invite-name"
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
            {text('makeLink')}
          </Button>
        </div>
      </form>
    </Card>
  );
}

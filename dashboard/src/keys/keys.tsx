// Who can get in: API keys, links for people, and those who are signed in now.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { Card } from '../design/card.tsx';
import { Loading } from '../design/loading.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { Page } from '../design/page.tsx';
import { ShownOnce } from '../design/shown-once.tsx';
import { textsOf } from '../text/texts.ts';
import { CreateKey } from './create-key.tsx';
import { Invite } from './invite.tsx';
import { KeyRows } from './key-rows.tsx';
import { Links } from './link-rows.tsx';
import type { RotatedKey } from './rotate-key.tsx';
import { SessionRows } from './session-rows.tsx';
import './keys.css';

export function Keys() {
  const text = textsOf('keys');
  const keys = useQuery({ queryKey: ['keys'], queryFn: () => api.listKeys({ limit: 100 }) });
  const sessions = useQuery({
    queryKey: ['sessions'],
    queryFn: () => api.listSessions({ limit: 100 }),
    refetchInterval: 30_000,
  });
  const [rotated, setRotated] = useState<RotatedKey>();
  return (
    <Page title={text('title')} text={text('about')}>
      {keys.error && <ErrorNote error={keys.error} onRetry={() => void keys.refetch()} />}
      {rotated && (
        <ShownOnce
          key={rotated.apiKey}
          value={rotated.apiKey}
          label={text('key')}
          text={text('rotatedOnce', { name: rotated.name })}
          onStored={() => setRotated(undefined)}
        />
      )}
      {keys.isPending && <Loading />}
      {keys.data && (
        <Card title={text('keys')} isPadded={false}>
          <KeyRows keys={keys.data.items} onRotated={setRotated} />
        </Card>
      )}
      <CreateKey />
      <Invite />
      <Links />
      {sessions.error && <ErrorNote error={sessions.error} onRetry={() => void sessions.refetch()} />}
      {sessions.data && (
        <Card title={text('sessions')} isPadded={false}>
          <SessionRows sessions={sessions.data.items} />
        </Card>
      )}
    </Page>
  );
}

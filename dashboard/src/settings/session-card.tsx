// Who is signed in here, what they may do, and signing out.
import { useMutation } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { useSession } from '../session/session.tsx';
import { textsOf } from '../text/texts.ts';

export function SessionCard() {
  const text = textsOf('settings');
  const { session, key, scopes, account } = useSession();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => api.signOut(),
    // nothing of the account stays in the page
    onSuccess: () => location.replace('/'),
  });
  return (
    <Card title={text('session')} note={text('sessionNote')}>
      <div className="column loose">
        <dl className="facts">
          <dt>{text('account')}</dt>
          <dd dir="auto">{account.name}</dd>
          <dt>{text('signedInAs')}</dt>
          <dd dir="auto">{session?.name ?? key?.name}</dd>
          <dt>{text('may')}</dt>
          <dd className="mono">
            <bdi>{scopes.join(', ')}</bdi>
          </dd>
        </dl>
        {error && <ErrorNote error={error} />}
        <div>
          <Button isBusy={isPending} onClick={() => mutate()}>
            {text('signOut')}
          </Button>
        </div>
      </div>
    </Card>
  );
}

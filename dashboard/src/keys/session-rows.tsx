// Those who are signed in, and the end of their sessions.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Session } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { Button } from '../design/button.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { Table } from '../design/table.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { formatList } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { scopeText } from './scope-choice.tsx';

export function SessionRows({ sessions }: { sessions: Session[] }) {
  const text = textsOf('keys');
  return (
    <Table
      columns={[
        { label: text('who') },
        { label: text('by') },
        { label: text('from') },
        { label: text('since') },
        { label: text('lastUsed') },
        { label: text('actions'), isLabelHidden: true },
      ]}
    >
      {sessions.map((session) => (
        <SessionRow key={session._id} session={session} />
      ))}
    </Table>
  );
}

function SessionRow({
  session: { _id: id, name, key, address, createdAt, lastUsedAt, isCurrent, scopes },
}: {
  session: Session;
}) {
  const text = textsOf('keys');
  const queries = useQueryClient();
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => api.endSession({ id }),
    onSuccess: () => queries.invalidateQueries({ queryKey: [isCurrent ? 'session' : 'sessions'] }),
  });
  return (
    <tr>
      <td className="strong" dir="auto" title={formatList(scopes.map(scopeText))}>
        {name} {isCurrent && <span className="note">{text('you')}</span>}
      </td>
      <td className="muted wide-only">{key?.name ?? text('operator')}</td>
      <td className="mono muted wide-only" dir="ltr">
        {address}
      </td>
      <td className="muted wide-only">
        <Timestamp at={createdAt} />
      </td>
      <td className="muted">
        <Timestamp at={lastUsedAt} />
      </td>
      <td className="figure full">
        <Button kind="quiet" isBusy={isPending} onClick={() => mutate()}>
          {text(isCurrent ? 'signOut' : 'end')}
        </Button>
        {error && <ErrorNote error={error} />}
      </td>
    </tr>
  );
}

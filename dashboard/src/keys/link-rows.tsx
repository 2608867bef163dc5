// Links that nobody has used yet, each to be taken back.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { DashboardLink } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { Table } from '../design/table.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { formatList } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { scopeText } from './scope-choice.tsx';

export const linksKey = ['links'];

export function Links() {
  const text = textsOf('keys');
  const { data, error, refetch } = useQuery({
    queryKey: linksKey,
    queryFn: () => api.listDashboardLinks({ limit: 100 }),
    refetchInterval: 30_000,
  });
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  if (!data || data.items.length === 0) return null;
  return (
    <Card title={text('unusedLinks')} note={text('unusedLinksNote')} isPadded={false}>
      <Table
        columns={[
          { label: text('who'), widthPx: 220 },
          { label: text('may') },
          { label: text('expires'), widthPx: 130 },
          { label: text('actions'), widthPx: 120, isLabelHidden: true },
        ]}
      >
        {data.items.map((link) => (
          <LinkRow key={link._id} link={link} />
        ))}
      </Table>
    </Card>
  );
}

function LinkRow({ link: { _id: id, name, scopes, expiresAt } }: { link: DashboardLink }) {
  const text = textsOf('keys');
  const queries = useQueryClient();
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => api.deleteDashboardLink({ id }),
    onSuccess: () => queries.invalidateQueries({ queryKey: linksKey }),
  });
  return (
    <tr>
      <td className="strong" dir="auto">
        {name}
      </td>
      <td className="muted full wraps">{formatList(scopes.map(scopeText))}</td>
      <td className="muted">
        <Timestamp at={expiresAt} />
      </td>
      <td className="figure full">
        <Button kind="quiet" isBusy={isPending} onClick={() => mutate()}>
          {text('takeBack')}
        </Button>
        {error && <ErrorNote error={error} />}
      </td>
    </tr>
  );
}

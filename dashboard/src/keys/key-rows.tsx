// The rows of keys. One that was not used for 90 days is marked.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Key } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { ConfirmButton } from '../design/confirm.tsx';
import { Table } from '../design/table.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { useNow } from '../design/use-now.ts';
import { formatList } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { scopeText } from './scope-choice.tsx';

const unusedMs = 90 * 86_400_000;

export function KeyRows({ keys }: { keys: Key[] }) {
  const text = textsOf('keys');
  return (
    <Table
      columns={[
        { label: text('name'), widthPx: 220 },
        { label: text('may') },
        { label: text('lastUsed'), widthPx: 130 },
        { label: text('expires'), widthPx: 130 },
        { label: text('actions'), widthPx: 120, isLabelHidden: true },
      ]}
      isTall
    >
      {keys.map((key) => (
        <KeyRow key={key._id} apiKey={key} />
      ))}
    </Table>
  );
}

function KeyRow({
  apiKey: { _id: id, name, hint, scopes, lastUsedAt, createdAt, expiresAt },
}: {
  apiKey: Key;
}) {
  const text = textsOf('keys');
  const queries = useQueryClient();
  const nowMs = useNow();
  const isUnused = nowMs - Date.parse(lastUsedAt ?? createdAt) > unusedMs;
  const { mutateAsync } = useMutation({
    mutationFn: () => api.revokeKey({ id }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['keys'] }),
  });
  const words = formatList(scopes.map(scopeText));
  return (
    <tr>
      <td>
        <div className="strong cut" dir="auto">
          {name}
        </div>
        <div className="small note mono" dir="ltr">
          …{hint}
        </div>
      </td>
      <td className="muted full wraps">{words}</td>
      <td className={isUnused ? 'warn-text' : 'muted'}>
        {lastUsedAt ? <Timestamp at={lastUsedAt} /> : text('never')}
      </td>
      <td className="muted wide-only">{expiresAt ? <Timestamp at={expiresAt} /> : text('never')}</td>
      <td className="figure full">
        <ConfirmButton
          kind="quiet"
          question={{
            title: text('confirmRevoke', { name }),
            effect: text('confirmRevokeEffect'),
            verb: text('revoke'),
            isDestructive: true,
          }}
          run={() => mutateAsync()}
        >
          {text('revoke')}
        </ConfirmButton>
      </td>
    </tr>
  );
}

// The rows of keys. One that was not used for 90 days is marked.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Key } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { ConfirmButton } from '../design/confirm.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { Table } from '../design/table.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { useNow } from '../design/use-now.ts';
import { formatList } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { type RotatedKey, RotateKey } from './rotate-key.tsx';
import { scopeText } from './scope-choice.tsx';

const unusedDays = 90;
const unusedMs = unusedDays * 86_400_000;

interface RowsProps {
  keys: Key[];
  onRotated: (rotated: RotatedKey) => void;
}

export function KeyRows({ keys, onRotated }: RowsProps) {
  const text = textsOf('keys');
  return (
    <Table
      columns={[
        { label: text('name'), widthPx: 260 },
        { label: text('may') },
        { label: text('lastUsed'), widthPx: 130 },
        { label: text('expires'), widthPx: 130 },
        { label: text('actions'), widthPx: 190, isLabelHidden: true },
      ]}
      isTall
    >
      {keys.map((key) => (
        <KeyRow key={key._id} apiKey={key} onRotated={onRotated} />
      ))}
    </Table>
  );
}

function KeyRow({
  apiKey: { _id: id, name, hint, scopes, lastUsedAt, createdAt, expiresAt },
  onRotated,
}: {
  apiKey: Key;
  onRotated: RowsProps['onRotated'];
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
        <div className="small note row">
          <span className="mono" dir="ltr">
            …{hint}
          </span>
          {isUnused && <StateBadge state="warning" label={text('unused', { days: unusedDays })} quiet />}
        </div>
      </td>
      <td className="muted full wraps">{words}</td>
      <td className={isUnused ? 'warn-text' : 'muted'}>
        {lastUsedAt ? <Timestamp at={lastUsedAt} /> : text('never')}
      </td>
      <td className="muted wide-only">{expiresAt ? <Timestamp at={expiresAt} /> : text('never')}</td>
      <td className="figure full">
        <RotateKey id={id} name={name} onRotated={onRotated} />
        <ConfirmButton
          kind="quiet"
          question={{
            title: text('confirmRevoke', { name }),
            effect: text('confirmRevokeEffect'),
            verb: text('revoke'),
            isDestructive: true,
          }}
          run={() => mutateAsync()}
        />
      </td>
    </tr>
  );
}

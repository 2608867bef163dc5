// The recipients of a campaign and what became of each, as a list and as a file.
import IconDownload from '@tabler/icons-react/dist/esm/icons/IconDownload.mjs';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { MessageDetail, Send, SendRecipient } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { useLiveList } from '../api/use-live-list.ts';
import { Card } from '../design/card.tsx';
import { Chips } from '../design/chips.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { StateBadge, wordOf } from '../design/state-badge.tsx';
import { Table } from '../design/table.tsx';
import { TableFoot } from '../design/table-foot.tsx';
import { stateOf, stateOfCode } from '../messages/message-state.ts';
import { textsOf } from '../text/texts.ts';

const statuses = ['waiting', 'queued', 'accepted', 'sent', 'delivered', 'read', 'failed'] as const;
const pageLength = 25;

const recipientOf = (message: MessageDetail): SendRecipient => {
  const { id, messageId, recipientPhone, name, metadata, status, error } = message;
  return { id, messageId, phone: recipientPhone ?? '', name, metadata, status, error };
};

export function Results({ send: { sendId } }: { send: Send }) {
  const text = textsOf('sends');
  const navigate = useNavigate();
  const { status: wanted } = useSearch({ strict: false }) as { status?: unknown };
  const status = statuses.find((one) => one === wanted);
  const { rows, isLoaded, error, retry, loadOlder, isLoadingOlder } = useLiveList<SendRecipient>({
    // recipients become messages with the same ids
    key: ['messages', 'recipients', sendId, status ?? ''],
    kinds: ['sends'],
    read: (cursor) =>
      api.listRecipients({
        sendId,
        limit: pageLength,
        ...(status ? { status } : {}),
        ...(cursor ? { cursor } : {}),
      }),
    idOf: ({ id }) => id,
    readOne: async (id) => recipientOf(await api.getMessage({ id })),
  });
  return (
    <Card
      title={text('results')}
      isPadded={false}
      end={
        <a className="row tight" href={`/v1/sends/${sendId}/recipients.csv`} download>
          <IconDownload size={14} aria-hidden /> {text('export')}
        </a>
      }
    >
      <div className="card-body">
        <Chips
          label={text('state')}
          allLabel={text('all')}
          values={statuses}
          chosen={status}
          wordOf={(one) => (one === 'waiting' ? text('part_waiting') : wordOf(one))}
          onChoose={(one) =>
            void navigate({
              to: '/sends/$id',
              params: { id: sendId },
              search: one === undefined ? {} : { status: one },
            })
          }
        />
      </div>
      {Boolean(error) && <ErrorNote error={error} onRetry={retry} />}
      {rows.length > 0 && <RecipientRows recipients={rows} />}
      {isLoaded && rows.length === 0 && !loadOlder && (
        <p className="card-body muted">{text('noRecipient')}</p>
      )}
      <TableFoot onMore={loadOlder} isLoading={isLoadingOlder} label={text('more')} />
    </Card>
  );
}

function RecipientRows({ recipients }: { recipients: SendRecipient[] }) {
  const text = textsOf('sends');
  return (
    <Table
      columns={[
        { label: text('state'), widthPx: 170 },
        { label: text('personName'), widthPx: 220 },
        { label: text('phone'), widthPx: 170 },
        { label: text('reason') },
      ]}
    >
      {recipients.map(({ id, status, name, phone, error }) => (
        <tr key={id}>
          <td>
            {status === 'waiting' ? (
              <StateBadge state="queued" label={text('part_waiting')} />
            ) : (
              <StateBadge state={stateOf({ status, error })} />
            )}
          </td>
          <td className="strong">
            {status === 'waiting' ? (
              <span dir="auto">{name ?? phone}</span>
            ) : (
              <Link to="/messages/$id" params={{ id }} className="cell-link" data-row-link dir="auto">
                {name ?? phone}
              </Link>
            )}
          </td>
          <td className="mono muted wide-only" dir="ltr">
            {phone}
          </td>
          <td className="muted full" dir="auto">
            {error && (
              <>
                <span className="mono">{error.code}</span> {stateOfCode(error.code) ? '' : error.title}
              </>
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
}

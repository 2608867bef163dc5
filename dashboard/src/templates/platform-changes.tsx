// What the platform changed about a template: its status, category and quality, newest first.
import type { TemplateHistoryItem } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { useLiveList } from '../api/use-live-list.ts';
import { Card } from '../design/card.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { Quality } from '../design/quality.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { Table } from '../design/table.tsx';
import { TableFoot } from '../design/table-foot.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { textsOf } from '../text/texts.ts';
import { categoryWord } from './category-word.ts';
import { reasonText } from './reason-text.ts';
import { stateOf } from './template-state.ts';

const pageLength = 50;

export function PlatformChanges({ templateId }: { templateId: string }) {
  const text = textsOf('templates');
  const { rows, isLoaded, error, retry, loadOlder, isLoadingOlder } = useLiveList<TemplateHistoryItem>({
    key: ['templates', 'changes', templateId],
    read: (cursor) =>
      api.listTemplateChanges({ templateId, limit: pageLength, ...(cursor ? { cursor } : {}) }),
    idOf: ({ _id }) => _id,
  });
  return (
    <Card title={text('byPlatform')} note={text('byPlatformNote')} isPadded={false}>
      {Boolean(error) && <ErrorNote error={error} onRetry={retry} />}
      {isLoaded && rows.length === 0 && <p className="card-body muted">{text('noChanges')}</p>}
      {rows.length > 0 && (
        <Table
          columns={[
            { label: text('when'), widthPx: 160 },
            { label: text('change'), widthPx: 380 },
            { label: text('reason') },
          ]}
        >
          {rows.map((row) => (
            <tr key={row._id}>
              <td className="number">
                <Timestamp at={row.at} form="clock" />
              </td>
              <td className="full">
                <Difference change={row} />
              </td>
              <td className="muted full wraps">{row.reason && <Reason reason={row.reason} />}</td>
            </tr>
          ))}
        </Table>
      )}
      <TableFoot onMore={loadOlder} isLoading={isLoadingOlder} />
    </Card>
  );
}

const arrow = <span className="note mirrored"> → </span>;

/** What differs, before and after. */
function Difference({ change }: { change: TemplateHistoryItem }) {
  const { previous } = change;
  const [before, after] = [stateOf(previous), stateOf(change)];
  return (
    <span className="row wrap">
      {before !== after && (
        <span className="row tight">
          <StateBadge state={before} quiet />
          {arrow}
          <StateBadge state={after} />
        </span>
      )}
      {previous.category !== change.category && (
        <span>
          {categoryWord(previous.category)}
          {arrow}
          <span className="strong">{categoryWord(change.category)}</span>
        </span>
      )}
      {previous.qualityScore !== change.qualityScore && (
        <span className="row tight">
          <Quality rating={previous.qualityScore} />
          {arrow}
          <Quality rating={change.qualityScore} />
        </span>
      )}
    </span>
  );
}

const Reason = ({ reason }: { reason: string }) => (
  <>
    {reasonText(reason)} <bdi className="mono note">{reason}</bdi>
  </>
);

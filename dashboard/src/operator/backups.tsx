// How backups are doing: the last good one, and failures since.
import type { OperatorHealth } from '../../../client/src/generated.ts';
import { Card } from '../design/card.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { formatBytes, formatDuration } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';

export function Backups({ backups }: { backups: OperatorHealth['backups'] }) {
  const text = textsOf('health');
  const { scheduled, everyHours, lastGoodAt, lastGoodBytes, lastGoodSeconds, failures, lastFailure } =
    backups;
  return (
    <Card
      title={text('backups')}
      note={scheduled ? text('every', { count: everyHours }) : text('notScheduled')}
    >
      <dl className="facts">
        <dt>{text('lastGood')}</dt>
        <dd>{lastGoodAt === null ? text('never') : <Timestamp at={lastGoodAt} form="both" />}</dd>
        {lastGoodBytes !== null && (
          <>
            <dt>{text('size')}</dt>
            <dd className="number">
              {formatBytes(lastGoodBytes)}
              {lastGoodSeconds !== null && `, ${formatDuration(lastGoodSeconds * 1_000)}`}
            </dd>
          </>
        )}
        {failures > 0 && (
          <>
            <dt>{text('failures')}</dt>
            <dd>
              <StateBadge state="failed" label={text('failedTimes', { count: failures })} />
              <div className="muted" dir="ltr" lang="en">
                {lastFailure}
              </div>
            </dd>
          </>
        )}
      </dl>
    </Card>
  );
}

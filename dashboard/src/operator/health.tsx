// The health of the gateway, for its operator: what doctor finds with its fixes, backups and disks.
import { useQuery } from '@tanstack/react-query';
import type { OperatorHealth } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { CopyButton } from '../design/copy-button.tsx';
import { Loading } from '../design/loading.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { Page } from '../design/page.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { withLocalTimes } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { Backups } from './backups.tsx';
import { Disks } from './disks.tsx';
import './operator.css';

type Finding = OperatorHealth['findings'][number];

/** As in design/states.ts. */
const stateOf = { ok: 'ok', note: 'warning', failed: 'failed' } as const;
const readAgainMs = 15_000;

export function Health() {
  const text = textsOf('health');
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ['operator', 'health'],
    queryFn: () => api.getOperatorHealth(),
    refetchInterval: readAgainMs,
  });
  const findings = data?.findings ?? [];
  const problems = [
    ...findings.filter(({ status }) => status === 'failed'),
    ...findings.filter(({ status }) => status === 'note'),
  ];
  const fine = findings.filter(({ status }) => status === 'ok');
  return (
    <Page
      title={data ? text('needYou', { count: problems.length }) : text('title')}
      text={
        data && (
          <>
            {text('version', { version: data.version })} <Timestamp at={data.checkedAt} />
          </>
        )
      }
      actions={
        <Button isBusy={isFetching} onClick={() => void refetch()}>
          {text('checkAgain')}
        </Button>
      }
    >
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {problems.length > 0 && (
        <Card title={text('problems')} isPadded={false}>
          <FindingList findings={problems} />
        </Card>
      )}
      {data && (
        <div className="columns wide-first">
          <Card title={text('fine', { count: fine.length })} isPadded={false}>
            <FindingList findings={fine} />
          </Card>
          <div className="column loose">
            <Backups backups={data.backups} />
            <Disks disks={data.disks} />
          </div>
        </div>
      )}
    </Page>
  );
}

const FindingList = ({ findings }: { findings: Finding[] }) => (
  <ul>
    {findings.map((finding) => (
      <FindingRow key={`${finding.check} ${finding.text}`} finding={finding} />
    ))}
  </ul>
);

/** Texts and fixes are the gateway's own, in English. */
function FindingRow({ finding: { check, status, text: found, fix } }: { finding: Finding }) {
  const text = textsOf('health');
  return (
    <li className="finding">
      <StateBadge state={stateOf[status]} iconOnly quiet />
      <div className="grow" dir="ltr" lang="en" title={found}>
        <span className="strong">{check}</span> <span className="muted">{withLocalTimes(found)}</span>
        {fix !== null && <div className="finding-fix">{fix}</div>}
      </div>
      {fix !== null && <CopyButton value={fix} label={text('copy')} />}
    </li>
  );
}

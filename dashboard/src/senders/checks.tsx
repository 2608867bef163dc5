// The checks of a number: what is well is one line; what is not says what to do.

import IconRefresh from '@tabler/icons-react/dist/esm/icons/IconRefresh.mjs';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Sender, SenderCheck } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { formatMoment, withLocalTimes } from '../text/format.ts';
import { textIfAny, textsOf } from '../text/texts.ts';

/** Of a number that was just connected. The stream does not name it: reading it runs the checks. */
export const newChecksKey = (id: string) => ['newSenderChecks', id];

const againAfterMs = 5_000;
const runsMax = 12;

interface Props {
  sender: Pick<Sender, '_id' | 'name'>;
  /** True: what the platform has yet to do is checked again until it is done, for a minute. */
  isNew?: boolean;
}

export function Checks({ sender: { _id: id, name }, isNew = false }: Props) {
  const text = textsOf('senders');
  const queries = useQueryClient();
  const queryKey = isNew ? newChecksKey(id) : ['senders', 'checks', id];
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: () => (isNew ? api.runSenderChecks({ id }) : api.getSenderChecks({ id })),
    refetchInterval: ({ state }) =>
      isNew &&
      state.dataUpdateCount < runsMax &&
      state.data?.checks.some(({ status }) => status === 'unknown')
        ? againAfterMs
        : false,
  });
  const stored = (checks: Awaited<ReturnType<typeof api.getSenderChecks>>) =>
    queries.setQueryData(queryKey, checks);
  const run = useMutation({ mutationFn: () => api.runSenderChecks({ id }), onSuccess: stored });
  const subscribe = useMutation({ mutationFn: () => api.subscribeSender({ id }), onSuccess: stored });
  const failed = error ?? run.error ?? subscribe.error;
  return (
    <Card
      title={text('checksOf', { name })}
      note={data ? noteOf(data.checks) : ''}
      isPadded={false}
      end={
        <>
          <Button kind="quiet" isBusy={subscribe.isPending} onClick={() => subscribe.mutate()}>
            {text('subscribe')}
          </Button>
          <Button
            icon={<IconRefresh size={14} aria-hidden />}
            isBusy={run.isPending}
            onClick={() => run.mutate()}
          >
            {text('runAgain')}
          </Button>
        </>
      }
    >
      {failed && <ErrorNote error={failed} onRetry={() => void refetch()} />}
      {!data && !failed && <p className="card-body muted">{text('checking')}</p>}
      {data && <CheckList checks={data.checks} />}
    </Card>
  );
}

/** When they ran, and how many need somebody. */
function noteOf(checks: SenderCheck[]): string {
  const text = textsOf('senders');
  const [newest] = checks
    .map(({ checkedAt }) => checkedAt)
    .sort()
    .reverse();
  const bad = checks.filter(({ status }) => status === 'failed' || status === 'warning').length;
  return newest ? text('checkedAt', { time: formatMoment(new Date(newest)), count: bad }) : '';
}

export const CheckList = ({ checks }: { checks: SenderCheck[] }) => (
  <ul className="checks">
    {checks.map(({ name, status, detail, fix }) => (
      <li key={name} className={status}>
        <StateBadge state={status} iconOnly quiet />
        <span className="strong">{textIfAny('senders', `check_${name}`) ?? name}</span>
        <span>
          <bdi className="muted" title={detail}>
            {withLocalTimes(detail)}
          </bdi>
          {fix && (
            <span className="check-fix">
              <bdi>{withLocalTimes(fix)}</bdi>
            </span>
          )}
        </span>
      </li>
    ))}
  </ul>
);

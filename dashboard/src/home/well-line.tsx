// What is well, in one line: how much of what was looked at.
import { useQuery } from '@tanstack/react-query';
import type { OperatorHealth } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { useNow } from '../design/use-now.ts';
import { useMay } from '../session/session.tsx';
import { formatDuration, formatList } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';

const staleTime = 60_000;

interface Props {
  hasProblems: boolean;
  health: OperatorHealth | undefined;
}

export function WellLine({ hasProblems, health }: Props) {
  const text = textsOf('home');
  const nowMs = useNow();
  const senders = useQuery({
    queryKey: ['senders', 'count'],
    queryFn: async () => (await api.listSenders({ limit: 1 })).pagination.total,
    enabled: useMay('manage'),
    staleTime,
  });
  const endpoints = useQuery({
    queryKey: ['endpoints', 'count'],
    queryFn: async () => (await api.listEndpoints({ limit: 1 })).pagination.total,
    enabled: useMay('webhooks:manage'),
    staleTime,
  });
  const lastGoodAt = health?.backups.lastGoodAt;
  const well = [
    senders.data !== undefined && text('countNumbers', { count: senders.data }),
    endpoints.data !== undefined && text('countEndpoints', { count: endpoints.data }),
    lastGoodAt &&
      text('backupAge', { duration: formatDuration(Math.max(0, nowMs - Date.parse(lastGoodAt))) }),
  ].filter((one): one is string => typeof one === 'string');
  if (well.length === 0) return null;
  return text(hasProblems ? 'restWell' : 'allWell', { list: formatList(well) });
}

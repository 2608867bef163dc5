// How many problems a page of the menu has, as Home counts them.
import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { problemsOf } from '../home/problems.ts';
import { formatNumber, zone } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import type { NavItem } from './nav.ts';

const readAgainMs = 60_000;

/** The kinds of problems that a page fixes. */
const kindsOf: Partial<Record<NavItem['key'], readonly string[]>> = {
  senders: ['sender', 'check'],
  webhooks: ['endpoint'],
  users: ['calendar'],
};

export function NavCount({ item: { key } }: { item: NavItem }) {
  const text = textsOf('shell');
  const kinds = kindsOf[key];
  const { data } = useQuery({
    queryKey: ['overview', zone],
    queryFn: () => api.getOverview({ timezone: zone }),
    enabled: kinds !== undefined,
    refetchInterval: readAgainMs,
  });
  const count =
    data && kinds ? problemsOf(data, Date.now()).filter(({ kind }) => kinds.includes(kind)).length : 0;
  if (count === 0) return null;
  return (
    <span className="nav-count number">
      {formatNumber(count)}
      <span className="hidden-text"> {text('problems', { count })}</span>
    </span>
  );
}

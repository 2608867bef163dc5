// The entries of the palette: pages by their name at once, and what is found of each kind when the person pauses.
import { useQueries } from '@tanstack/react-query';
import { useSettled } from '../design/use-settled.ts';
import { useSession } from '../session/session.tsx';
import { mayOpen, navItems } from '../shell/nav.ts';
import { textsOf } from '../text/texts.ts';
import { type Entry, type Finder, finders } from './finders.ts';

const settleMs = 200;
const shortest = 2;

export interface Group {
  kind: 'pages' | Finder['kind'];
  entries: Entry[];
}

export function useEntries(typed: string): { groups: Group[]; isSearching: boolean; error: unknown } {
  const { scopes } = useSession();
  const pageName = textsOf('shell');
  const wanted = typed.trim();
  const settled = useSettled(wanted, settleMs);
  const searched = finders.filter(({ scope }) => scopes.includes(scope));
  const isLong = wanted.length >= shortest;
  const results = useQueries({
    queries: searched.map(({ kind, find }) => ({
      queryKey: ['palette', kind, settled],
      queryFn: () => find(settled),
      enabled: settled.length >= shortest,
      staleTime: 10_000,
      retry: false,
    })),
  });
  const pages = navItems
    .filter((item) => mayOpen(scopes, item.scopes))
    .map(({ key, to }) => ({ href: to, label: pageName(key) }))
    .filter(({ label }) => label.toLowerCase().includes(wanted.toLowerCase()));
  const found = searched.map(({ kind }, index) => ({
    kind,
    entries: (isLong && results[index]?.data) || [],
  }));
  return {
    groups: [{ kind: 'pages' as const, entries: pages }, ...found].filter(
      ({ entries }) => entries.length > 0,
    ),
    isSearching: isLong && (settled !== wanted || results.some(({ isFetching }) => isFetching)),
    error: results.find(({ error }) => error)?.error,
  };
}

// The list of messages: search, states, and new rows as they come.

import IconMailOff from '@tabler/icons-react/dist/esm/icons/IconMailOff.mjs';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useRef } from 'react';
import { api } from '../api/client.ts';
import { Button } from '../design/button.tsx';
import { EmptyState, ErrorNote } from '../design/messages.tsx';
import { Page } from '../design/page.tsx';
import { textsOf } from '../text/texts.ts';
import { filterOf, type MessageFilter } from './filter.ts';
import { FilterBar } from './filter-bar.tsx';
import { useHeldRows } from './held-rows.ts';
import { MessageTable } from './message-table.tsx';

const pageLength = 50;

export function Messages() {
  const text = textsOf('messages');
  const navigate = useNavigate();
  const filter = filterOf(useSearch({ strict: false }));
  const search = useRef<HTMLInputElement>(null);
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['messages', filter],
    queryFn: ({ pageParam }) =>
      api.listMessages({ ...filter, limit: pageLength, ...(pageParam ? { cursor: pageParam } : {}) }),
    initialPageParam: '',
    getNextPageParam: ({ pagination }) => pagination.nextCursor,
  });
  const all = data?.pages.flatMap(({ items }) => items) ?? [];
  const { rows, heldCount, show } = useHeldRows(all, JSON.stringify(filter));
  const change = (next: MessageFilter) => void navigate({ to: '/messages', search: { ...next } });

  return (
    <Page title={text('title')} isTitleHidden>
      <FilterBar
        filter={filter}
        onChange={change}
        onOpen={(id) => void navigate({ to: '/messages/$id', params: { id } })}
        inputRef={search}
      />
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {heldCount > 0 && (
        <div className="row">
          <Button onClick={show}>{text('showNew', { count: heldCount })}</Button>
        </div>
      )}
      {rows.length > 0 && (
        <MessageTable
          messages={rows}
          search={search}
          onOlder={hasNextPage ? () => void fetchNextPage() : undefined}
          isLoading={isFetchingNextPage}
        />
      )}
      {data && rows.length === 0 && (
        <div className="card">
          <EmptyState
            icon={<IconMailOff size={20} aria-hidden />}
            title={text(Object.keys(filter).length === 0 ? 'none' : 'noneFound')}
            text={text(Object.keys(filter).length === 0 ? 'noneText' : 'noneFoundText')}
            actions={
              Object.keys(filter).length > 0 && <Button onClick={() => change({})}>{text('showAll')}</Button>
            }
          />
        </div>
      )}
    </Page>
  );
}

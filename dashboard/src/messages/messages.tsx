// The list of messages: search, states, and new rows as they come.

import IconMailOff from '@tabler/icons-react/dist/esm/icons/IconMailOff.mjs';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useRef } from 'react';
import type { Message } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { useLiveList } from '../api/use-live-list.ts';
import { Button } from '../design/button.tsx';
import { EmptyState, ErrorNote } from '../design/messages.tsx';
import { Page } from '../design/page.tsx';
import { textsOf } from '../text/texts.ts';
import { filterOf, type MessageFilter, queryOf } from './filter.ts';
import { FilterBar } from './filter-bar.tsx';
import { useHeldRows } from './held-rows.ts';
import { MessageTable } from './message-table.tsx';

const pageLength = 50;

export function Messages() {
  const text = textsOf('messages');
  const navigate = useNavigate();
  const filter = filterOf(useSearch({ strict: false }));
  const search = useRef<HTMLInputElement>(null);
  const {
    rows: all,
    isLoaded,
    error,
    retry,
    loadOlder,
    isLoadingOlder,
  } = useLiveList<Message>({
    key: ['messages', 'list', filter],
    read: (cursor) =>
      api.listMessages({ ...queryOf(filter, Date.now()), limit: pageLength, ...(cursor ? { cursor } : {}) }),
    idOf: ({ id }) => id,
    readOne: (id) => api.getMessage({ id }),
  });
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
      {Boolean(error) && <ErrorNote error={error} onRetry={retry} />}
      {heldCount > 0 && (
        <div className="row">
          <Button onClick={show}>{text('showNew', { count: heldCount })}</Button>
        </div>
      )}
      {rows.length > 0 && (
        <MessageTable messages={rows} search={search} onOlder={loadOlder} isLoading={isLoadingOlder} />
      )}
      {isLoaded && rows.length === 0 && (
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

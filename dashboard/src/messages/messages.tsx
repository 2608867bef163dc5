// The list of messages: search, states, and new rows as they come.
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useRef } from 'react';
import type { Message } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { useLiveList } from '../api/use-live-list.ts';
import { Button } from '../design/button.tsx';
import { Loading } from '../design/loading.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { Page } from '../design/page.tsx';
import { zone } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { filterOf, type MessageFilter, queryOf } from './filter.ts';
import { FilterBar } from './filter-bar.tsx';
import { isListHeld } from './held-rows.ts';
import { MessageTable } from './message-table.tsx';
import { NoMessages } from './no-messages.tsx';

const pageLength = 50;

export function Messages() {
  const text = textsOf('messages');
  const navigate = useNavigate();
  const filter = filterOf(useSearch({ strict: false }));
  const search = useRef<HTMLInputElement>(null);
  const { rows, isLoaded, error, retry, loadOlder, isLoadingOlder, waiting, showWaiting } =
    useLiveList<Message>({
      key: ['messages', 'list', filter],
      read: (cursor) =>
        api.listMessages({
          ...queryOf(filter, Date.now(), zone),
          limit: pageLength,
          ...(cursor ? { cursor } : {}),
        }),
      idOf: ({ id }) => id,
      readOne: (id) => api.getMessage({ id }),
      isHeld: isListHeld,
    });
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
      {waiting.count > 0 && (
        <div className="row">
          <Button onClick={showWaiting}>
            {text(waiting.isMore ? 'showMany' : 'showNew', { count: waiting.count })}
          </Button>
        </div>
      )}
      {rows.length > 0 && (
        <MessageTable messages={rows} search={search} onOlder={loadOlder} isLoading={isLoadingOlder} />
      )}
      {!isLoaded && !error && <Loading />}
      {isLoaded && rows.length === 0 && (
        <NoMessages filter={filter} onChange={change} onOlder={loadOlder} isLoading={isLoadingOlder} />
      )}
    </Page>
  );
}

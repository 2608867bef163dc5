// Conversations: the people, what one of them and the account wrote to each other, and who that is.
import IconMessages from '@tabler/icons-react/dist/esm/icons/IconMessages.mjs';
import { useQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { api } from '../api/client.ts';
import { Loading } from '../design/loading.tsx';
import { EmptyState, ErrorNote } from '../design/messages.tsx';
import { textsOf } from '../text/texts.ts';
import { People, peopleStates } from './people.tsx';
import { Person } from './person.tsx';
import { Thread } from './thread.tsx';
import './conversations.css';

export function Conversations() {
  const text = textsOf('conversations');
  const { id } = useParams({ strict: false }) as { id?: string };
  const { search, state } = useSearch({ strict: false }) as { search?: unknown; state?: unknown };
  return (
    <div className={id === undefined ? 'conversations' : 'conversations open'}>
      {id === undefined && <h1 className="hidden-text">{text('title')}</h1>}
      <People
        search={search === undefined ? undefined : String(search)}
        state={peopleStates.find((one) => one === state)}
        currentId={id}
      />
      {id === undefined ? (
        <section className="thread-pane wide-only">
          <EmptyState
            icon={<IconMessages size={20} aria-hidden />}
            title={text('choose')}
            text={text('chooseText')}
          />
        </section>
      ) : (
        <Conversation key={id} id={id} />
      )}
    </div>
  );
}

function Conversation({ id }: { id: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['contacts', 'one', id],
    queryFn: () => api.getContact({ id }),
    meta: { kinds: ['received', 'optOuts'] },
  });
  if (error && !data)
    return (
      <section className="thread-pane">
        <ErrorNote error={error} onRetry={() => void refetch()} />
      </section>
    );
  if (!data)
    return (
      <section className="thread-pane">
        <Loading />
      </section>
    );
  return (
    <>
      <Thread contact={data} />
      <Person contact={data} />
    </>
  );
}

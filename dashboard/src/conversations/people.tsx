// The people of an account, the newest conversation first, with what is left of their windows.
import IconMessages from '@tabler/icons-react/dist/esm/icons/IconMessages.mjs';
import { Link, useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import type { Contact } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { useLiveList } from '../api/use-live-list.ts';
import { Avatar } from '../design/avatar.tsx';
import { Chips } from '../design/chips.tsx';
import { shapes } from '../design/icons.tsx';
import { Loading } from '../design/loading.tsx';
import { EmptyState, ErrorNote } from '../design/messages.tsx';
import { SearchBox } from '../design/search-box.tsx';
import { wordOf } from '../design/state-badge.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { useListKeys } from '../design/use-list-keys.ts';
import { useNow } from '../design/use-now.ts';
import { formatDuration, formatNumber } from '../text/format.ts';
import { textIfAny, textsOf } from '../text/texts.ts';
import { nameOf } from './person-name.ts';
import { isShort, openWindows } from './window.ts';

const pageLength = 50;
/** The order of conversations is written seconds after a message. */
const readAgainMs = 4_000;

/** What the list can be limited to. */
export const peopleStates = ['unanswered', 'window_open', 'opted_out'] as const;
type PeopleState = (typeof peopleStates)[number];

interface Props {
  search: string | undefined;
  state: PeopleState | undefined;
  currentId: string | undefined;
}

export function People({ search, state, currentId }: Props) {
  const text = textsOf('conversations');
  const navigate = useNavigate();
  const input = useRef<HTMLInputElement>(null);
  const body = useRef<HTMLUListElement>(null);
  useListKeys(body, input, 'people');
  const { rows, isLoaded, error, retry, loadOlder, isLoadingOlder } = useLiveList<Contact>({
    key: ['contacts', 'list', search ?? '', state ?? ''],
    kinds: ['received', 'optOuts'],
    read: (cursor) =>
      api.listContacts({
        limit: pageLength,
        ...(search ? { search } : state ? { state } : { sort: '-lastMessageAt' as const }),
        ...(cursor ? { cursor } : {}),
      }),
    idOf: ({ _id }) => _id,
    intervalMs: readAgainMs,
  });
  return (
    <section className="people" data-scroll-restoration-id="people" aria-label={text('people')}>
      <div className="people-search">
        <SearchBox
          inputRef={input}
          value={search ?? ''}
          label={text('search')}
          onSearch={(typed) =>
            void navigate({ to: '/conversations', search: typed === '' ? {} : { search: typed } })
          }
        />
        <Chips
          label={text('state')}
          allLabel={text('all')}
          values={peopleStates}
          chosen={state}
          wordOf={(one) => text(`state_${one}`)}
          onChoose={(one) =>
            void navigate({ to: '/conversations', search: one === undefined ? {} : { state: one } })
          }
        />
      </div>
      {error !== null && error !== undefined && <ErrorNote error={error} onRetry={retry} />}
      {!isLoaded && !error && <Loading />}
      <ul ref={body}>
        {rows.map((contact) => (
          <PersonRow
            key={contact._id}
            contact={contact}
            isCurrent={contact._id === currentId}
            isListOnly={currentId === undefined}
            kept={search ? { search } : state ? { state } : {}}
          />
        ))}
      </ul>
      {loadOlder && (
        <button
          type="button"
          className="text-button people-more"
          disabled={isLoadingOlder}
          onClick={loadOlder}
        >
          {text('more')}
        </button>
      )}
      {isLoaded && rows.length === 0 && (
        <EmptyState
          icon={<IconMessages size={20} aria-hidden />}
          title={text(search ? 'noneFound' : state ? `none_${state}` : 'none')}
          text={text(search ? 'noneFoundText' : state ? `none_${state}Text` : 'noneText')}
        />
      )}
    </section>
  );
}

interface RowProps {
  contact: Contact;
  isCurrent: boolean;
  /** True if no person is shown beside the list. */
  isListOnly: boolean;
  /** What the list is limited to, which stays when the person is opened. */
  kept: { search?: string; state?: PeopleState };
}

function PersonRow({ contact, isCurrent, isListOnly, kept }: RowProps) {
  const text = textsOf('conversations');
  const { _id, lastMessage, unreadCount } = contact;
  const name = nameOf(contact);
  const isUnread = unreadCount > 0;
  return (
    <li>
      <Link
        to="/conversations/$id"
        params={{ id: _id }}
        search={kept}
        state={{ isFromPeople: isListOnly }}
        className="person"
        data-row-link
        {...(isCurrent ? { 'aria-current': 'true' as const } : {})}
      >
        <Avatar name={name} />
        <span className="grow">
          <span className="row">
            <span className={`cut grow ${isUnread ? 'unread-name' : 'strong'}`} dir="auto">
              {name}
            </span>
            {lastMessage && (
              <span className="small note">
                <Timestamp at={lastMessage.at} />
              </span>
            )}
          </span>
          <span className="row">
            <span className="cut grow small muted" dir="auto">
              {lastMessage && <LastWords message={lastMessage} />}
            </span>
            {isUnread ? (
              <span className="unread number">
                {formatNumber(unreadCount)}
                <span className="hidden-text"> {text('unread')}</span>
              </span>
            ) : (
              <WindowLeft contact={contact} />
            )}
          </span>
        </span>
      </Link>
    </li>
  );
}

function LastWords({
  message: { direction, type, text: words, status },
}: {
  message: NonNullable<Contact['lastMessage']>;
}) {
  const text = textsOf('conversations');
  const said = words ?? textIfAny('conversations', `type_${type}`) ?? type;
  if (direction === 'received') return said;
  return (
    <>
      {text('you')} <bdi>{said}</bdi>
      {status === 'failed' && ` (${wordOf(status)})`}
    </>
  );
}

function WindowLeft({ contact }: { contact: Contact }) {
  const text = textsOf('conversations');
  const nowMs = useNow();
  const [open] = openWindows(contact, nowMs);
  if (contact.optOut)
    return (
      <span className="state wait">
        {shapes.mutedHorn}
        <span className="hidden-text">{wordOf('opted_out')}</span>
      </span>
    );
  if (!open) return <span className="small note nowrap">{text('closed')}</span>;
  return (
    <span className={`small nowrap number ${isShort(open.closesAtMs, nowMs) ? 'warn-text strong' : 'note'}`}>
      {formatDuration(open.closesAtMs - nowMs)}
    </span>
  );
}

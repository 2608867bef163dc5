// What a person and the account wrote to each other, oldest first, and the answer.
import IconChevronLeft from '@tabler/icons-react/dist/esm/icons/IconChevronLeft.mjs';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation, useRouter } from '@tanstack/react-router';
import { useLayoutEffect, useRef } from 'react';
import type { Contact, ContactMessage } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { useLiveList } from '../api/use-live-list.ts';
import { Button } from '../design/button.tsx';
import { Loading } from '../design/loading.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { usePageKeys } from '../design/use-page-keys.ts';
import { useMay } from '../session/session.tsx';
import { formatDay } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { Answer } from './answer.tsx';
import { nameOf } from './person-name.ts';
import { ThreadMessage } from './thread-message.tsx';
import { WindowClock } from './window-clock.tsx';

const pageLength = 40;
/** As far from the end the thread follows new messages. */
const nearPx = 80;

const idOf = ({ received, message }: ContactMessage): string => received?._id ?? message?.id ?? '';
const atOf = ({ received, message }: ContactMessage): string =>
  received
    ? received.timestamp === null
      ? received.receivedAt
      : new Date(received.timestamp * 1_000).toISOString()
    : (message?.createdAt ?? '');

export function Thread({ contact }: { contact: Contact }) {
  const text = textsOf('conversations');
  const { _id: id, phone } = contact;
  const { rows, isLoaded, error, retry, loadOlder, isLoadingOlder } = useLiveList<ContactMessage>({
    key: ['received', 'thread', id],
    kinds: ['messages'],
    read: (cursor) => api.listContactMessages({ id, limit: pageLength, ...(cursor ? { cursor } : {}) }),
    idOf,
  });
  const pane = useRef<HTMLElement>(null);
  const write = () => {
    const field = pane.current?.querySelector<HTMLElement>('.answer :is(textarea, select)');
    field?.focus();
    return field != null;
  };
  usePageKeys([{ text: 'write', run: { r: write } }]);
  const box = useRef<HTMLElement>(null);
  const isAtEnd = useRef(true);
  const newest = rows[0] && idOf(rows[0]);
  const last = rows.at(-1);
  const oldest = last && idOf(last);
  const heightPx = useRef(0);
  const topPx = useRef(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: earlier messages come in above what is read, which stays in its place
  useLayoutEffect(() => {
    const { current } = box;
    // not by a difference: some browsers have moved it already
    if (current && !isAtEnd.current)
      current.scrollTop = topPx.current + current.scrollHeight - heightPx.current;
  }, [oldest]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new message is what moves the thread
  useLayoutEffect(() => {
    if (isAtEnd.current) box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [newest]);
  useLayoutEffect(() => {
    heightPx.current = box.current?.scrollHeight ?? 0;
  });
  const messages = rows.toReversed();
  return (
    <section ref={pane} className="thread-pane" aria-label={text('thread')}>
      <header className="thread-head">
        <ToPeople />
        <div className="grow">
          <h1 className="thread-name cut">
            <bdi>{nameOf(contact)}</bdi>
          </h1>
          <div className="small note mono cut" dir="ltr">
            {phone}
          </div>
        </div>
        <MarkRead contact={contact} rows={rows} />
        <WindowClock contact={contact} />
      </header>
      <section
        ref={box}
        className="thread"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must take the keyboard
        tabIndex={0}
        aria-label={text('messages')}
        onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
          topPx.current = scrollTop;
          isAtEnd.current = scrollTop + clientHeight > scrollHeight - nearPx;
        }}
      >
        {loadOlder && (
          <button type="button" className="text-button" disabled={isLoadingOlder} onClick={loadOlder}>
            {text('earlier')}
          </button>
        )}
        {Boolean(error) && <ErrorNote error={error} onRetry={retry} />}
        {!isLoaded && !error && <Loading />}
        {isLoaded && rows.length === 0 && <p className="muted">{text('nothing')}</p>}
        <ol>
          {messages.map((one, index) => {
            const day = formatDay(new Date(atOf(one)));
            const before = messages[index - 1];
            const isNewDay = !before || formatDay(new Date(atOf(before))) !== day;
            return (
              <li key={idOf(one)}>
                {isNewDay && <div className="day">{day}</div>}
                <ThreadMessage message={one} at={atOf(one)} />
              </li>
            );
          })}
        </ol>
      </section>
      <Answer contact={contact} />
    </section>
  );
}

/** Where one pane is shown at a time: to the list as it was left. */
function ToPeople() {
  const router = useRouter();
  const isFromPeople = useLocation({ select: ({ state }) => state.isFromPeople });
  return (
    <Link
      to="/conversations"
      search={(kept) => kept}
      className="narrow-only"
      aria-label={textsOf('conversations')('people')}
      onClick={(event) => {
        if (!isFromPeople) return;
        event.preventDefault();
        router.history.back();
      }}
    >
      <IconChevronLeft size={20} className="mirrored" aria-hidden />
    </Link>
  );
}

/** Tells the person that their messages were read. */
function MarkRead({ contact, rows }: { contact: Contact; rows: ContactMessage[] }) {
  const text = textsOf('conversations');
  const queries = useQueryClient();
  const maySend = useMay('messages:send');
  const newest = rows.find(({ received }) => received !== null)?.received;
  const { mutate, isPending, error } = useMutation({
    mutationFn: (id: string) => api.markMessageRead({ id }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['contacts'] }),
  });
  if (!maySend || !newest || contact.unreadCount === 0) return null;
  return (
    <>
      <Button kind="quiet" isBusy={isPending} onClick={() => mutate(newest._id)}>
        {text('markRead', { count: contact.unreadCount })}
      </Button>
      {error && <ErrorNote error={error} />}
    </>
  );
}

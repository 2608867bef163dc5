// The rows of messages, with the keyboard: J and K move, Enter opens.
import { Link } from '@tanstack/react-router';
import { type RefObject, useRef } from 'react';
import type { Message } from '../../../client/src/generated.ts';
import { StateBadge } from '../design/state-badge.tsx';
import { Table } from '../design/table.tsx';
import { TableFoot } from '../design/table-foot.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { useListKeys } from '../design/use-list-keys.ts';
import { useNow } from '../design/use-now.ts';
import { textsOf } from '../text/texts.ts';
import { stateOf } from './message-state.ts';
import { partsOfReply } from './reply-parts.ts';

const freshMs = 15_000;

interface Props {
  messages: Message[];
  search: RefObject<HTMLInputElement | null>;
  onOlder: (() => void) | undefined;
  isLoading: boolean;
}

export function MessageTable({ messages, search, onOlder, isLoading }: Props) {
  const text = textsOf('messages');
  const body = useRef<HTMLTableSectionElement>(null);
  useListKeys(body, search);
  return (
    <section className="card" aria-label={text('title')}>
      <Table
        columns={[
          { label: text('state'), widthPx: 190 },
          { label: text('to'), widthPx: 190 },
          { label: text('number'), widthPx: 150 },
          { label: text('template'), widthPx: 170 },
          { label: text('text') },
          { label: text('when'), widthPx: 100, isFigure: true },
        ]}
        bodyRef={body}
      >
        {messages.map((message) => (
          <MessageRow key={message.id} message={message} />
        ))}
      </Table>
      <TableFoot onMore={onOlder} isLoading={isLoading} end={<Keys />}>
        <span>{text('newestFirst')}</span>
      </TableFoot>
    </section>
  );
}

function Keys() {
  const text = textsOf('messages');
  return (
    <span className="keys end">
      <span className="letter-key">
        <kbd>J</kbd>
        <kbd>K</kbd> {text('move')}
      </span>
      <span>
        <kbd>↵</kbd> {text('open')}
      </span>
    </span>
  );
}

function MessageRow({ message }: { message: Message }) {
  const nowMs = useNow();
  const isFresh = nowMs - Date.parse(message.createdAt) < freshMs;
  const { name, recipientPhone, recipientUserId, templateName, text, reply, error, createdAt, id } = message;
  const words = textsOf('messages');
  const to = name ?? recipientPhone ?? recipientUserId ?? '';
  return (
    <tr className={isFresh ? 'fresh' : ''}>
      <td className="message-state">
        <span className="row">
          <StateBadge state={stateOf(message)} />
          {error && <span className="mono note wide-only">{error.code}</span>}
        </span>
      </td>
      <td className="message-to strong">
        <Link to="/messages/$id" params={{ id }} className="cell-link" data-row-link dir="auto">
          {to}
        </Link>
        <span className="narrow-only note small">
          {' '}
          <Timestamp at={createdAt} />
        </span>
      </td>
      <td className="mono muted wide-only">
        <span dir="ltr">{recipientPhone ?? recipientUserId}</span>
      </td>
      <td className="muted wide-only">
        {templateName ? <span className="mono">{templateName}</span> : words('isReply')}
      </td>
      <td className="muted full" dir="auto">
        {text ?? (reply && partsOfReply(reply).body) ?? '–'}
      </td>
      <td className="figure muted wide-only">
        <Timestamp at={createdAt} />
      </td>
    </tr>
  );
}

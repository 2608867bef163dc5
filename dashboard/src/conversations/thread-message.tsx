// One message of a thread: what it says, when, and how far it came.
import { Link } from '@tanstack/react-router';
import type { ContactMessage, Message, ReceivedMessage } from '../../../client/src/generated.ts';
import { shapes } from '../design/icons.tsx';
import { StateBadge, wordOf } from '../design/state-badge.tsx';
import { lookOf } from '../design/states.ts';
import { exactly } from '../design/timestamp.tsx';
import { stateOf } from '../messages/message-state.ts';
import { formatClock } from '../text/format.ts';
import { textIfAny, textsOf } from '../text/texts.ts';

interface Props {
  message: ContactMessage;
  at: string;
}

export function ThreadMessage({ message: { received, message }, at }: Props) {
  const instant = new Date(at);
  const time = (
    <time dateTime={at} title={exactly(instant)} dir="ltr">
      {formatClock(instant)}
    </time>
  );
  if (received)
    return (
      <div className="said in">
        <div className="said-bubble">
          <div dir="auto">
            <Received received={received} />
          </div>
          <div className="said-foot">{time}</div>
        </div>
        <Pressed received={received} />
      </div>
    );
  if (!message) return null;
  const state = stateOf(message);
  const { tone, shape } = lookOf(state);
  return (
    <div className="said out">
      {message.templateName && (
        <div className="said-note">
          <Link to="/messages/$id" params={{ id: message.id }} className="mono" dir="ltr">
            {message.templateName}
          </Link>
        </div>
      )}
      <div className="said-bubble">
        <div dir="auto">
          <Sent message={message} />
        </div>
        <div className="said-foot">
          {time}
          <span className={`state ${tone}`} title={wordOf(state)}>
            {shapes[shape]}
            <span className="hidden-text">{wordOf(state)}</span>
          </span>
        </div>
      </div>
      {message.error && (
        <div className="said-note">
          <StateBadge state={state} />
          <span className="mono">{message.error.code}</span>{' '}
          {state === 'failed' && <span dir="auto">{message.error.title}</span>}
        </div>
      )}
    </div>
  );
}

const typeWord = (type: string): string => textIfAny('conversations', `type_${type}`) ?? type;

/** What a person wrote. Their files are opened in a page of their own, never shown here. */
function Received({ received }: { received: ReceivedMessage }) {
  const text = textsOf('conversations');
  const { _id, type, media, location, contacts, reaction, order } = received;
  if (media)
    return (
      <>
        <a href={`/v1/messages/received/${_id}/media`} target="_blank" rel="noopener noreferrer">
          {media.fileName ?? typeWord(type)}
        </a>
        {media.caption && <div>{media.caption}</div>}
      </>
    );
  if (location)
    return (
      <>
        <div className="strong">{location.name ?? typeWord('location')}</div>
        {location.address && <div>{location.address}</div>}
        <div className="mono small" dir="ltr">
          {location.latitude}, {location.longitude}
        </div>
      </>
    );
  if (contacts)
    return contacts.map(({ name, phones }) => (
      <div key={`${name} ${phones[0]?.phone}`}>
        {name} <span dir="ltr">{phones.map(({ phone }) => phone).join(', ')}</span>
      </div>
    ));
  if (reaction) return reaction.emoji ? text('reacted', { emoji: reaction.emoji }) : text('tookBack');
  if (order) return order.text ?? text('order', { count: order.items.length });
  const words =
    received.text ?? received.button?.text ?? received.interactive?.title ?? received.interactive?.body;
  return words ?? <span className="note">{typeWord(type)}</span>;
}

/** That the words are those of a button or a row that was pressed. */
function Pressed({ received: { button, interactive } }: { received: ReceivedMessage }) {
  const text = textsOf('conversations');
  const id = button?.payload ?? interactive?.id;
  if (!button && !interactive) return null;
  return (
    <div className="said-note">
      {text('pressed')} {id && <span className="mono">{id}</span>}
    </div>
  );
}

/** What the account wrote: a template's text, or a reply. */
function Sent({ message: { text: words, reply } }: { message: Message }) {
  const text = textsOf('conversations');
  if (!reply) return words ?? <span className="note">{text('noText')}</span>;
  const { media, location, contacts, reaction, buttons, list, link } = reply;
  return (
    <>
      {media && (
        <div className="mono small" dir="ltr">
          {media.fileName ?? media.url ?? media.mediaId}
        </div>
      )}
      {location && <div>{location.name ?? `${location.latitude}, ${location.longitude}`}</div>}
      {contacts?.map(({ name }) => (
        <div key={name}>{name}</div>
      ))}
      {reaction && text('reacted', { emoji: reaction.emoji ?? '' })}
      {reply.text ?? media?.caption}
      {buttons?.map(({ id, title }) => (
        <div key={id} className="said-button">
          {title}
        </div>
      ))}
      {list && <div className="said-button">{list.button}</div>}
      {link && <div className="said-button">{link.title}</div>}
    </>
  );
}

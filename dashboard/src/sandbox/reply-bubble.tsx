// A reply on the phone: its text, its buttons, and its list, which opens below it.
import type { SentReply } from '../../../client/src/generated.ts';
import { Bubble } from '../design/bubble.tsx';
import type { PhoneButton } from './button-note.ts';

interface Props {
  reply: SentReply | null;
  /** Of a message that says nothing else. */
  fallback: string;
  time: string;
  onButton: (button: PhoneButton) => void;
  onRow: (id: string) => void;
}

const nothing = { url: null, phone: null, code: null, payload: null };

/** The buttons of a reply, in the form of a template's. */
const buttonsOf = ({ buttons = [], link }: SentReply): PhoneButton[] => [
  ...buttons.map(({ title }, index) => ({ ...nothing, index, type: 'QUICK_REPLY', text: title })),
  ...(link ? [{ ...nothing, index: 0, type: 'URL', text: link.title, url: link.url }] : []),
];

const bodyOf = ({ text, media, location, contacts, reaction }: SentReply): string | undefined =>
  text ??
  media?.caption ??
  media?.fileName ??
  media?.url ??
  location?.name ??
  (location && `${location.latitude}, ${location.longitude}`) ??
  contacts?.map(({ name }) => name).join(', ') ??
  reaction?.emoji ??
  undefined;

export function ReplyBubble({ reply, fallback, time, onButton, onRow }: Props) {
  return (
    <>
      <Bubble
        header={null}
        body={(reply && bodyOf(reply)) ?? fallback}
        footer={null}
        buttons={reply ? buttonsOf(reply) : []}
        time={time}
        onButton={onButton}
      />
      {reply?.list && <ChoiceList list={reply.list} onRow={onRow} />}
    </>
  );
}

interface ListProps {
  list: NonNullable<SentReply['list']>;
  onRow: (id: string) => void;
}

function ChoiceList({ list: { button, rows, sections }, onRow }: ListProps) {
  const all: { title?: string; rows: NonNullable<typeof rows> }[] = sections ?? [{ rows: rows ?? [] }];
  return (
    <details className="phone-list">
      <summary className="bubble-button" dir="auto">
        {button}
      </summary>
      {all.map((section) => (
        <div key={section.rows[0]?.id}>
          {section.title && (
            <div className="phone-list-title" dir="auto">
              {section.title}
            </div>
          )}
          {section.rows.map(({ id, title, description }) => (
            <button key={id} type="button" className="phone-list-row" onClick={() => onRow(id)}>
              <span dir="auto">{title}</span>
              {description && (
                <span className="phone-list-note" dir="auto">
                  {description}
                </span>
              )}
            </button>
          ))}
        </div>
      ))}
    </details>
  );
}

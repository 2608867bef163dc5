// A message as it looks on the person's phone. Files of strangers are shown as their address, never loaded.
import type { MessageParts } from '../../../client/src/generated.ts';
import { formatClock } from '../text/format.ts';
import './phone-preview.css';

interface Props {
  parts: MessageParts;
  /** Who writes. */
  from: string;
  note: string;
  at: string;
}

type Header = NonNullable<MessageParts['header']>;
type Button = MessageParts['buttons'][number];

const initials = (name: string): string =>
  name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => [...word][0] ?? '')
    .join('');

export function PhonePreview({ parts, from, note, at }: Props) {
  return (
    <div className="phone">
      <div className="phone-head">
        <span className="avatar" aria-hidden="true">
          {initials(from)}
        </span>
        <div className="grow">
          <div className="cut" dir="auto">
            {from}
          </div>
          <div className="phone-note">{note}</div>
        </div>
      </div>
      <div className="phone-body">
        <Bubble
          header={parts.header}
          body={parts.body}
          footer={parts.footer}
          buttons={parts.buttons}
          at={at}
        />
        {parts.cards.length > 0 && (
          <div className="phone-cards">
            {parts.cards.map((card) => (
              <Bubble
                key={`${card.body} ${JSON.stringify(card.header)}`}
                header={card.header}
                body={card.body}
                footer={null}
                buttons={card.buttons}
                at={null}
              />
            ))}
          </div>
        )}
      </div>
    </div>
  );
}

interface BubbleProps {
  header: Header | null;
  body: string;
  footer: string | null;
  buttons: Button[];
  at: string | null;
}

function Bubble({ header, body, footer, buttons, at }: BubbleProps) {
  return (
    <div className="bubbles">
      <div className="bubble">
        {header && <HeaderPart header={header} />}
        <div className="bubble-text" dir="auto">
          {body}
        </div>
        {footer && (
          <div className="bubble-foot" dir="auto">
            {footer}
          </div>
        )}
        {at && (
          <div className="bubble-time" dir="ltr">
            {formatClock(new Date(at))}
          </div>
        )}
      </div>
      {buttons.map(({ index, text, type }) => (
        <div key={index} className="bubble-button" dir="auto">
          {text ?? type}
        </div>
      ))}
    </div>
  );
}

function HeaderPart({ header: { type, text, url, fileName } }: { header: Header }) {
  if (type === 'text')
    return (
      <div className="bubble-head" dir="auto">
        {text}
      </div>
    );
  return (
    <div className="bubble-file mono" dir="ltr">
      {type}
      <br />
      {fileName ?? url}
    </div>
  );
}

// One message on the phone: what arrived, with buttons that work, or what its owner wrote.
import { Bubble } from '../design/bubble.tsx';
import { Carousel } from '../design/carousel.tsx';
import { shapes } from '../design/icons.tsx';
import { OfferNote } from '../design/offer-note.tsx';
import { formatClock } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import type { PhoneButton } from './button-note.ts';
import { ReplyBubble } from './reply-bubble.tsx';
import type { PhoneMessage } from './sandbox-api.ts';

interface Props {
  message: PhoneMessage;
  onButton: (button: PhoneButton, card?: number) => void;
  onRow: (id: string) => void;
}

export function PhoneBubble({ message, onButton, onRow }: Props) {
  const texts = textsOf('sandbox');
  const { direction, text, parts, reply, isRead, type } = message;
  const time = formatClock(new Date(message.at));
  if (direction === 'wrote')
    return (
      <div className="bubbles own">
        <div className="bubble">
          <div className="bubble-text" dir="auto">
            {text ?? type}
          </div>
          <div className="bubble-time" dir="ltr">
            {time}
          </div>
        </div>
      </div>
    );
  return (
    <>
      {parts ? (
        <>
          <Bubble
            header={parts.header}
            body={parts.body}
            footer={parts.footer}
            buttons={parts.buttons}
            time={time}
            onButton={onButton}
          >
            <OfferNote offer={parts.offer} />
          </Bubble>
          {parts.cards.length > 0 && (
            <Carousel cards={parts.cards} onButton={(card, button) => onButton(button, card)} />
          )}
        </>
      ) : (
        <ReplyBubble reply={reply} fallback={text ?? type} time={time} onButton={onButton} onRow={onRow} />
      )}
      {isRead && (
        <span className="phone-note row tight">
          {shapes.eye}
          {texts('read')}
        </span>
      )}
    </>
  );
}

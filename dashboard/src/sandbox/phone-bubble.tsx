// One message on the phone: what arrived, with buttons that work, or what its owner wrote.
import { Bubble } from '../design/bubble.tsx';
import { Carousel } from '../design/carousel.tsx';
import { shapes } from '../design/icons.tsx';
import { formatClock } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import type { PhoneMessage } from './sandbox-api.ts';

interface Props {
  message: PhoneMessage;
  onPress: (press: { button: number } | { row: string }) => void;
}

/** Buttons that answer; the others leave the phone. */
const answers = new Set(['QUICK_REPLY']);

export function PhoneBubble({
  message: { direction, at, text, parts, reply, isRead, type },
  onPress,
}: Props) {
  const texts = textsOf('sandbox');
  const time = formatClock(new Date(at));
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
  if (parts)
    return (
      <>
        <Bubble
          header={parts.header}
          body={parts.body}
          footer={parts.footer}
          buttons={parts.buttons}
          time={time}
          onButton={
            parts.buttons.some((button) => answers.has(button.type))
              ? ({ index, type: kind }) => answers.has(kind) && onPress({ button: index })
              : undefined
          }
        />
        {parts.cards.length > 0 && <Carousel cards={parts.cards} />}
        <ReadMark isRead={isRead} label={texts('read')} />
      </>
    );
  const rows = reply?.list
    ? [...(reply.list.rows ?? []), ...(reply.list.sections ?? []).flatMap((one) => one.rows)]
    : [];
  const buttons = reply?.buttons ?? [];
  return (
    <>
      <Bubble
        header={null}
        body={
          reply?.text ??
          reply?.media?.caption ??
          reply?.location?.name ??
          reply?.reaction?.emoji ??
          text ??
          type
        }
        footer={null}
        buttons={buttons.map(({ title }, index) => ({
          ...{ index, type: 'QUICK_REPLY', text: title },
          ...{ url: null, phone: null, code: null, payload: null },
        }))}
        time={time}
        onButton={({ index }) => onPress({ button: index })}
      />
      {rows.map(({ id, title }) => (
        <button key={id} type="button" className="bubble-button" onClick={() => onPress({ row: id })}>
          {title}
        </button>
      ))}
      <ReadMark isRead={isRead} label={texts('read')} />
    </>
  );
}

const ReadMark = ({ isRead, label }: { isRead: boolean; label: string }) =>
  isRead && (
    <span className="phone-note row tight">
      {shapes.eye}
      {label}
    </span>
  );

// A message as it looks on the person's phone. Files of strangers are shown as their address, never loaded.
import type { MessageParts } from '../../../client/src/generated.ts';
import { formatClock } from '../text/format.ts';
import { Avatar } from './avatar.tsx';
import { Bubble } from './bubble.tsx';
import { Carousel } from './carousel.tsx';
import { OfferNote } from './offer-note.tsx';
import type { Scheme } from './scheme.ts';
import './phone-preview.css';

interface Props {
  parts: MessageParts;
  /** Who writes. */
  from: string;
  note: string;
  at: string;
  /** Of the phone. Default: that of the page. */
  scheme?: Scheme;
  /** Of the phone. Default: that of the page. */
  direction?: 'ltr' | 'rtl';
}

export function PhonePreview({ parts, from, note, at, scheme, direction }: Props) {
  const { header, body, footer, buttons, cards, offer } = parts;
  return (
    <div
      className="phone"
      {...(scheme ? { 'data-scheme': scheme } : {})}
      {...(direction ? { dir: direction } : {})}
    >
      <div className="phone-head">
        <Avatar name={from} />
        <div className="grow">
          <div className="cut" dir="auto">
            {from}
          </div>
          <div className="phone-note">{note}</div>
        </div>
      </div>
      <div className="phone-body">
        <Bubble
          header={header}
          body={body}
          footer={footer}
          buttons={buttons}
          time={formatClock(new Date(at))}
        >
          <OfferNote offer={offer} />
        </Bubble>
        {cards.length > 0 && <Carousel cards={cards} />}
      </div>
    </div>
  );
}

// A limited-time offer, above the text of its message.
import type { MessageParts } from '../../../client/src/generated.ts';
import { formatMoment } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';

export function OfferNote({ offer }: Pick<MessageParts, 'offer'>) {
  const text = textsOf('common');
  if (!offer) return null;
  return (
    <div className="bubble-offer">
      <div className="strong" dir="auto">
        {offer.text}
      </div>
      {offer.expiresAt && <div>{text('offerEnds', { time: formatMoment(new Date(offer.expiresAt)) })}</div>}
    </div>
  );
}

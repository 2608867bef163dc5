// The rows of numbers.
import type { Sender } from '../../../client/src/generated.ts';
import { StateBadge } from '../design/state-badge.tsx';
import '../design/table.css';
import { Timestamp } from '../design/timestamp.tsx';
import { formatNumber } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { limitOf, qualityOf } from './sender-state.ts';

interface Props {
  senders: Sender[];
  chosenId: string;
  onChoose: (id: string) => void;
}

export function SenderTable({ senders, chosenId, onChoose }: Props) {
  const text = textsOf('senders');
  return (
    <section className="card" aria-label={text('title')}>
      <div className="table-frame">
        <table className="table tall">
          <colgroup>
            <col />
            <col width="130" />
            <col width="120" />
            <col width="180" />
            <col width="170" />
            <col width="150" />
          </colgroup>
          <thead>
            <tr>
              <th scope="col">{text('number')}</th>
              <th scope="col">{text('state')}</th>
              <th scope="col">{text('quality')}</th>
              <th scope="col">{text('people')}</th>
              <th scope="col">{text('rate')}</th>
              <th scope="col" className="figure">
                {text('lastCallback')}
              </th>
            </tr>
          </thead>
          <tbody>
            {senders.map((sender) => (
              <tr key={sender._id} className={sender._id === chosenId ? 'current' : ''}>
                <td>
                  <button
                    type="button"
                    className="row-button"
                    aria-pressed={sender._id === chosenId}
                    onClick={() => onChoose(sender._id)}
                  >
                    <span className="strong cut" dir="auto">
                      {sender.name}
                    </span>
                    <span className="small note" dir="ltr">
                      {sender.displayPhone ?? sender.phoneNumberId}
                    </span>
                  </button>
                </td>
                <td>
                  <StateBadge state={sender.status} />
                </td>
                <td className="wide-only">
                  <Quality rating={sender.qualityRating} />
                </td>
                <td className="number wide-only">{limitText(sender.messagingLimit)}</td>
                <td className="number wide-only">
                  {text('perSecond', { count: formatNumber(sender.effectiveMessagesPerSecond) })}
                </td>
                <td className="figure muted wide-only">
                  {sender.lastCallbackAt ? <Timestamp at={sender.lastCallbackAt} /> : '–'}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** How many people may be written to first in a day, in the viewer's words. */
function limitText(limit: string | null): string {
  const text = textsOf('senders');
  const people = limitOf(limit);
  if (people === undefined) return limit ?? '–';
  return people === Number.POSITIVE_INFINITY ? text('unlimited') : formatNumber(people);
}

function Quality({ rating }: { rating: string | null }) {
  const text = textsOf('senders');
  const quality = qualityOf(rating);
  return quality ? <StateBadge state={quality.state} label={text(quality.key)} quiet /> : <>–</>;
}

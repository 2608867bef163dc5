// The rows of numbers.
import type { Sender } from '../../../client/src/generated.ts';
import { Quality } from '../design/quality.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { Table } from '../design/table.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { formatNumber } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { limitOf } from './sender-state.ts';

interface Props {
  senders: Sender[];
  chosenId: string;
  onChoose: (id: string) => void;
}

export function SenderTable({ senders, chosenId, onChoose }: Props) {
  const text = textsOf('senders');
  return (
    <section className="card" aria-label={text('title')}>
      <Table
        columns={[
          { label: text('number') },
          { label: text('state'), widthPx: 130 },
          { label: text('quality'), widthPx: 120 },
          { label: text('people'), widthPx: 180 },
          { label: text('rate'), widthPx: 170 },
          { label: text('lastCallback'), widthPx: 150, isFigure: true },
        ]}
        isTall
      >
        {senders.map((sender) => (
          <tr key={sender._id} className={sender._id === chosenId ? 'current' : ''}>
            <td>
              <button
                type="button"
                className="row-button"
                aria-pressed={sender._id === chosenId}
                onClick={() => onChoose(sender._id)}
              >
                <span className="row tight">
                  <span className="strong cut" dir="auto">
                    {sender.name}
                  </span>
                  {sender.isDefault && senders.length > 1 && <span className="tag">{text('default')}</span>}
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
              <Rate sender={sender} />
            </td>
            <td className="figure muted wide-only">
              {sender.lastCallbackAt ? <Timestamp at={sender.lastCallbackAt} /> : '–'}
            </td>
          </tr>
        ))}
      </Table>
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

/** The rate in use; while the platform throttles, what is left of it. */
function Rate({ sender: { pace, effectiveMessagesPerSecond } }: { sender: Sender }) {
  const text = textsOf('senders');
  const full = formatNumber(effectiveMessagesPerSecond);
  if (pace.throttledUntil === null) return text('perSecond', { count: full });
  return (
    <span className="warn-text">{text('perSecondOf', { count: formatNumber(pace.allowed), full })}</span>
  );
}

// How far a campaign is: the figure, the bar of stages, its rate, and the time that is left.
import { Link } from '@tanstack/react-router';
import type { Send } from '../../../client/src/generated.ts';
import { shapes } from '../design/icons.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { useNow } from '../design/use-now.ts';
import { formatClock, formatDuration, formatMoment, formatNumber, formatShare } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { handledOf, partColors, parts, partsOf } from './send-state.ts';
import './sends.css';

export function Progress({ send }: { send: Send }) {
  const text = textsOf('sends');
  const { total, sendId } = send;
  const counts = partsOf(send);
  const wordOf = (part: (typeof parts)[number]) => text(`part_${part}`);
  const sentence = parts.map((part) => `${formatNumber(counts[part])} ${wordOf(part)}`).join(', ');
  return (
    <>
      <section className="card card-body column loose" aria-label={text('progress')}>
        <div className="row wrap loose">
          <div className="progress-figure number">
            {text('handled', { count: formatNumber(handledOf(send)), total: formatNumber(total) })}
          </div>
          <Pace send={send} />
        </div>
        <div className="stage-bar" role="img" aria-label={sentence}>
          {parts
            .filter((part) => counts[part] > 0)
            .map((part) => (
              <i key={part} style={{ flex: counts[part], background: `var(${partColors[part]})` }} />
            ))}
        </div>
        <ul className="stage-legend">
          {parts.map((part) => (
            <li key={part}>
              <i style={{ background: `var(${partColors[part]})` }} aria-hidden="true" />
              <span className="grow muted">{wordOf(part)}</span>
              {part === 'waiting' ? (
                <span className="number">{formatNumber(counts[part])}</span>
              ) : (
                <Link to="/messages" search={{ sendId, status: part }} className="number">
                  {formatNumber(counts[part])}
                </Link>
              )}
              <span className="number note small share">{formatShare(counts[part], total)}</span>
            </li>
          ))}
        </ul>
      </section>
      <Notes send={send} />
    </>
  );
}

/** The rate and the rest of the time, or when it begins. */
function Pace({ send: { state, perSecond, estimatedDoneAt, sendAt, doneAt, cancelledAt } }: { send: Send }) {
  const text = textsOf('sends');
  const nowMs = useNow();
  if (state === 'scheduled' && sendAt)
    return (
      <div className="end">
        <div className="strong number">
          {text('beginsIn', { duration: formatDuration(Math.max(0, Date.parse(sendAt) - nowMs)) })}
        </div>
        <div className="small note number">{formatMoment(new Date(sendAt))}</div>
      </div>
    );
  if (state === 'sending')
    return (
      <div className="end row loose">
        <div className="strong number">{text('perSecond', { count: formatNumber(perSecond) })}</div>
        {estimatedDoneAt && (
          <div>
            <div className="strong number">
              {text('left', { duration: formatDuration(Math.max(0, Date.parse(estimatedDoneAt) - nowMs)) })}
            </div>
            <div className="small note number">
              {text('doneAbout', { time: formatClock(new Date(estimatedDoneAt)) })}
            </div>
          </div>
        )}
      </div>
    );
  if (cancelledAt)
    return (
      <div className="end muted">
        {text('cancelledAt')} <Timestamp at={cancelledAt} form="both" />
      </div>
    );
  if (!doneAt) return null;
  return (
    <div className="end muted">
      {text('doneAt')} <Timestamp at={doneAt} form="both" />
    </div>
  );
}

/** Why a campaign is paused, and what becomes of it. */
function Notes({ send: { state, pausedReason, pausedAt, expiresAt } }: { send: Send }) {
  const text = textsOf('sends');
  if (state !== 'paused') return null;
  const reason =
    pausedReason === 'template_changed' || pausedReason === 'restored' ? pausedReason : 'byPerson';
  return (
    <div className="note-box warn" role="status">
      {shapes.bars}
      <div className="grow">
        <div className="row wrap">
          <span className="strong">{text(`paused_${reason}`)}</span>
          {pausedAt && <Timestamp at={pausedAt} form="both" />}
        </div>
        {expiresAt && (
          <div className="muted">
            {text('pausedExpires')}: <Timestamp at={expiresAt} form="both" />
          </div>
        )}
      </div>
    </div>
  );
}

// Why a campaign is slow or stands still: its number is halted, or the platform throttles it.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Send } from '../../../client/src/generated.ts';
import { sendersQuery } from '../api/senders.ts';
import { shapes } from '../design/icons.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { useMay } from '../session/session.tsx';
import { formatNumber } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';

/** The rate changes without a sign in the stream. */
const readAgainMs = 5_000;

export function SenderNote({ send: { senderId, state } }: { send: Send }) {
  const text = textsOf('sends');
  const isWaiting = state === 'sending' || state === 'scheduled' || state === 'paused';
  const { data } = useQuery({
    ...sendersQuery,
    enabled: useMay('manage') && isWaiting,
    refetchInterval: readAgainMs,
  });
  const sender = data?.items.find(({ _id }) => _id === senderId);
  if (!sender || !isWaiting) return null;
  const { name, status, haltedReason, haltedCode, pace, effectiveMessagesPerSecond } = sender;
  if (status === 'halted')
    return (
      <div className="note-box bad" role="status">
        {shapes.octagon}
        <div className="grow">
          <span className="strong" dir="auto">
            {text('numberHalted', { name })}
          </span>{' '}
          <span className="muted" dir="auto">
            {haltedReason} {haltedCode !== null && <span className="mono">{haltedCode}</span>}
          </span>
        </div>
        <Link to="/senders" search={{ sender: senderId }}>
          {text('fixNumber')}
        </Link>
      </div>
    );
  if (pace.allowed >= effectiveMessagesPerSecond) return null;
  return (
    <div className="note-box warn" role="status">
      {shapes.triangle}
      <div className="grow">
        <span className="strong">
          {text('slower', {
            allowed: formatNumber(pace.allowed),
            full: formatNumber(effectiveMessagesPerSecond),
          })}
        </span>{' '}
        <span className="muted">
          {text('throttled')} {pace.code !== null && <span className="mono">({pace.code})</span>}{' '}
          {pace.throttledUntil !== null && (
            <>
              {text('fullAgain')} <Timestamp at={pace.throttledUntil} form="both" />
            </>
          )}
        </span>
      </div>
    </div>
  );
}

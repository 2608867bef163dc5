// Why a delivery has not arrived, or was not tried yet, and what to do.
import { Link } from '@tanstack/react-router';
import type { DeliveryDetail, Endpoint } from '../../../client/src/generated.ts';
import { shapes } from '../design/icons.tsx';
import { useNow } from '../design/use-now.ts';
import { formatMoment, formatRelative } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { stateOf } from './endpoint-state.ts';

interface Props {
  delivery: DeliveryDetail;
  /** Undefined: it was deleted. */
  endpoint: Endpoint | undefined;
}

export function DeliveryWhy({ delivery, endpoint }: Props) {
  const text = textsOf('webhooks');
  const nowMs = useNow();
  const { status, lastFailure, lastStatusCode } = delivery;
  if (status === 'delivered') return null;
  const failed = lastFailure === null ? '' : text(`why_${lastFailure}`, { status: lastStatusCode ?? '' });
  const waits = status === 'pending' ? waitOf(delivery, endpoint, nowMs) : '';
  const isHeld = waits !== '' && endpoint !== undefined && stateOf(endpoint, nowMs) !== 'active';
  if (failed === '' && waits === '') return null;
  const tone = status === 'dead' ? 'bad' : failed === '' && !isHeld ? '' : 'warn';
  return (
    <div className={`note-box ${tone}`} role="status">
      {status === 'dead' ? shapes.crossSquare : failed === '' ? shapes.clock : shapes.triangle}
      <span className="grow">
        {failed} {waits}
      </span>
      {isHeld && (
        <Link to="/webhooks/endpoints/$id" params={{ id: endpoint._id }}>
          {text('openEndpoint')}
        </Link>
      )}
    </div>
  );
}

/** What a pending delivery waits for besides its next attempt; empty: nothing else. */
function waitOf(
  { attempts, stage, nextAttemptAt }: DeliveryDetail,
  endpoint: Endpoint | undefined,
  nowMs: number,
): string {
  const text = textsOf('webhooks');
  if (!endpoint) return text('why_endpoint_deleted');
  const state = stateOf(endpoint, nowMs);
  if (state === 'paused') return text('waits_paused');
  if (state === 'resting')
    return text('waits_resting', { next: formatRelative(new Date(endpoint.restingUntil ?? nowMs), nowMs) });
  if (attempts > 0 || nextAttemptAt === null) return '';
  if (stage !== null && Date.parse(nextAttemptAt) > nowMs)
    return text('waits_stage', { time: formatMoment(new Date(nextAttemptAt)) });
  return text('waits_due');
}

// The steps of a message's life, in order of time: from the caller through gateway and platform to each receiver. Pure.
import type { Delivery, MessageDetail } from '../../../client/src/generated.ts';
import { stateOf } from './message-state.ts';

/** Who takes part: the lanes of the timeline. Receivers follow, in the order in which they first appear. */
export type Lane = 'caller' | 'gateway' | 'platform' | { endpointId: string };

export interface Step {
  key: string;
  /** Null: it has not happened yet. */
  at: string | null;
  from: number;
  to: number;
  /** As in design/states.ts. */
  state: string;
  kind: 'requested' | 'stage' | 'delivery';
  /** Of a stage: its name; of a delivery: its event. */
  name: string;
  /** The stage that a delivery reports. */
  reports: Delivery['stage'];
  /** Of a delivery: who receives it. */
  endpointId: string | null;
  isImplied: boolean;
  statusCode: number | null;
  attempts: number;
  /** Of a delivery that is tried again: when. */
  nextAt: string | null;
}

const lanesBefore = 3;
const caller = 0;
const gateway = 1;
const platform = 2;

/** From which lane to which lane a stage goes. */
const directions: Record<string, [number, number]> = {
  queued: [gateway, gateway],
  dispatching: [gateway, platform],
};

/** Receivers beyond this share one lane. */
const receiversMax = 4;

/** The lanes, the last of them for `others` receivers if there are more than four. */
export function lanesOf({ deliveries }: Pick<MessageDetail, 'deliveries'>): {
  lanes: Lane[];
  others: number;
} {
  const endpointIds = [...new Set(deliveries.map(({ endpointId }) => endpointId))];
  const isFolded = endpointIds.length > receiversMax;
  const own = isFolded ? endpointIds.slice(0, receiversMax - 1) : endpointIds;
  return {
    lanes: ['caller', 'gateway', 'platform', ...own.map((endpointId) => ({ endpointId }))],
    others: endpointIds.length - own.length,
  };
}

/** From the request to the last stage that was reached, in milliseconds; undefined before it left. */
export function tookMs({
  timeline,
  createdAt,
}: Pick<MessageDetail, 'timeline' | 'createdAt'>): number | undefined {
  const last = timeline.at(-1);
  if (!last || last.status === 'queued' || last.status === 'dispatching') return undefined;
  return Date.parse(last.at) - Date.parse(createdAt);
}

const deliveryState = ({ status, attempts }: Delivery): string =>
  status === 'pending' && attempts > 0 ? 'resting' : status;

export function stepsOf(message: MessageDetail): Step[] {
  const { timeline, deliveries, createdAt } = message;
  const endpointIds = [...new Set(deliveries.map(({ endpointId }) => endpointId))];
  const none = {
    ...{ reports: null, endpointId: null, isImplied: false },
    ...{ statusCode: null, attempts: 0, nextAt: null },
  };
  const requested: Step = {
    ...{ key: 'requested', at: createdAt, from: caller, to: gateway, state: 'sent' },
    ...{ kind: 'requested', name: 'requested', ...none },
  };
  const stages = timeline.map(({ status, at, implied }, index): Step => {
    const state = status === 'failed' ? stateOf(message) : status;
    // what the platform never said ends in the gateway
    const isOwn = implied || (status === 'failed' && state !== 'failed');
    const [from, to] = isOwn ? [gateway, gateway] : (directions[status] ?? [platform, gateway]);
    const place = { key: `stage ${index}`, at, from, to };
    return { ...place, ...none, state, kind: 'stage', name: state, isImplied: implied };
  });
  const delivered = deliveries.map(
    (delivery): Step => ({
      key: delivery._id,
      at: delivery.deliveredAt,
      from: gateway,
      to: lanesBefore + endpointIds.indexOf(delivery.endpointId),
      state: deliveryState(delivery),
      kind: 'delivery',
      name: delivery.event,
      reports: delivery.stage,
      endpointId: delivery.endpointId,
      isImplied: false,
      statusCode: delivery.lastStatusCode,
      attempts: delivery.attempts,
      nextAt: delivery.status === 'pending' && delivery.attempts > 0 ? delivery.nextAttemptAt : null,
    }),
  );
  const timeOf = ({ at }: Step) => (at === null ? Number.POSITIVE_INFINITY : Date.parse(at));
  // stable: steps of the same instant stay in the order of cause and effect
  return [requested, ...stages, ...delivered].sort((a, b) => timeOf(a) - timeOf(b) || 0);
}

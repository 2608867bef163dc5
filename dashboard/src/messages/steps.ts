// The steps of a message's life, in order of time: from the caller through gateway and platform to each receiver. Pure.
import type { Delivery, MessageDetail } from '../../../client/src/generated.ts';

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
  isImplied: boolean;
  statusCode: number | null;
  attempts: number;
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

export function lanesOf({ deliveries }: MessageDetail): Lane[] {
  const endpointIds = [...new Set(deliveries.map(({ endpointId }) => endpointId))];
  return ['caller', 'gateway', 'platform', ...endpointIds.map((endpointId) => ({ endpointId }))];
}

const deliveryState = ({ status, attempts }: Delivery): string =>
  status === 'pending' && attempts > 0 ? 'resting' : status;

export function stepsOf(message: MessageDetail): Step[] {
  const { timeline, deliveries, createdAt } = message;
  const endpointIds = [...new Set(deliveries.map(({ endpointId }) => endpointId))];
  const none = { reports: null, isImplied: false, statusCode: null, attempts: 0 };
  const requested: Step = {
    ...{ key: 'requested', at: createdAt, from: caller, to: gateway, state: 'sent' },
    ...{ kind: 'requested', name: 'requested', ...none },
  };
  const stages = timeline.map(({ status, at, implied }, index): Step => {
    const [from, to] = implied ? [gateway, gateway] : (directions[status] ?? [platform, gateway]);
    const place = { key: `stage ${index}`, at, from, to };
    return { ...place, ...none, state: status, kind: 'stage', name: status, isImplied: implied };
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
      isImplied: false,
      statusCode: delivery.lastStatusCode,
      attempts: delivery.attempts,
    }),
  );
  const timeOf = ({ at }: Step) => (at === null ? Number.POSITIVE_INFINITY : Date.parse(at));
  // stable: steps of the same instant stay in the order of cause and effect
  return [requested, ...stages, ...delivered].sort((a, b) => timeOf(a) - timeOf(b) || 0);
}

// Webhooks that the receiver got, parsed. Pure.
import type { Arrival } from './evidence.ts';

export interface EventBody {
  event: string;
  data: {
    id: string;
    messageId: string;
    status: string;
    recipientPhone: string;
    error: { code: number } | null;
  };
}

export interface Parsed extends Arrival {
  event: EventBody;
}

/** Whether the receiver responded with 2xx, whatever happened to the response's body. */
export const wasAcknowledged = ({ answered }: Arrival) => /^(?:drip |flood )?2\d\d$/.test(String(answered));

// The evidence of a run, for the final check: sends and responses, the platform's records, the rows, the receiver's records. Types.
import type { SendCall } from '../../sandbox/cloud-api/calls.ts';

/** One response that a caller got. */
export interface CallerResponse {
  status: number;
  /** The exact bytes as text. */
  text: string;
  replayed: boolean;
}

/** A send of a caller: repeated with its key until a response arrives, or, without a key, tried once. */
export interface CallerSend {
  key: string | null;
  /** Used by no other send of the campaign. */
  phones: string[];
  responses: CallerResponse[];
  /** Number of tries without any response. */
  unanswered: number;
}

/** A send that operators built up, scheduled, paused, resumed or cancelled. */
export interface OperatedSend {
  /** Undefined until its first request has a response. */
  sendId: string | undefined;
  /** Used by no other send of the campaign. */
  phones: string[];
  /** Its start, or the send itself, has a response. */
  isStarted: boolean;
  /** Its cancellation was requested. */
  isCancelled: boolean;
  /** From the response to a pause or cancellation to the request to resume; null: never. */
  stops: { fromMs: number; toMs: number | null }[];
}

/** An opt-out of a person. */
export interface OptOutAct {
  phone: string;
  /** When its first response arrived; null: never. */
  answeredAtMs: number | null;
}

/** A message that a person wrote. */
export interface WrittenMessage {
  /** The platform's id. */
  messageRef: string;
  phone: string;
}

/** A reply with one key, repeated until it had a response. */
export interface ReplyRequest {
  /** Used by no other reply of the campaign. */
  phone: string;
  responses: CallerResponse[];
}

/** A row of `received_messages`. */
export interface ReceivedRow {
  id: string;
  messageRef: string;
}

/** A message that the platform accepted. */
export interface AcceptedMessage {
  opaque: string | null;
  wamid: string;
  phone: string;
  /** Statuses whose callback got a 200. */
  reported: string[];
  /** Number of callbacks that the platform has yet to post. */
  open: number;
}

/** A row of `messages`. */
export interface MessageRow {
  id: string;
  /** Null for a reply. */
  sendId: string | null;
  phone: string;
  state: string;
  errorCode: number | null;
  wamid: string | null;
  createdAtMs: number;
}

/** A row of `deliveries`. */
export interface DeliveryRow {
  id: string;
  hook: string;
  messageId: string;
  stage: string;
  state: string;
}

/** A webhook that the receiver got. */
export interface Arrival {
  /** Its position among all arrivals. */
  seq: number;
  hook: string;
  atMs: number;
  /** The receiver's HTTP status, or the fault injected instead. */
  answered: number | string;
  /** `x-webhook-signature`, `webhook-id`, `webhook-timestamp`, `webhook-signature`. */
  headers: Record<string, string>;
  body: string;
}

export interface Hook {
  name: string;
  secret: string;
  /** False if dead deliveries were replayed, which do not arrive in order. */
  isOrdered: boolean;
}

/** A time in which the gateway could not record results: a kill, or an outage of its database. */
export interface Outage {
  kind: 'kill' | 'database';
  fromMs: number;
  toMs: number;
}

export interface Evidence {
  sends: CallerSend[];
  operated: OperatedSend[];
  optOuts: OptOutAct[];
  written: WrittenMessage[];
  replies: ReplyRequest[];
  /** Of operators and people: responses with a wrong status, and requests that never got one. */
  unexpectedResponses: string[];
  unanswered: string[];
  /** How often a halted number was resumed. */
  resumed: number;
  received: ReceivedRow[];
  accepted: AcceptedMessage[];
  calls: SendCall[];
  messages: MessageRow[];
  deliveries: DeliveryRow[];
  arrivals: Arrival[];
  hooks: Hook[];
  outages: Outage[];
  /** What was still open when the wait timed out; null: nothing. */
  unfinished: string | null;
  /** Gateways that exited by themselves. */
  unexpectedExits: string[];
}

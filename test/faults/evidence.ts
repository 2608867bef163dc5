// What a run of the campaign leaves to be reckoned: what callers did and heard, the platform's account, the rows, the receiver's account. Types.
import type { SendCall } from '../../sandbox/cloud-api/calls.ts';

/** One answer that a caller got. */
export interface Heard {
  status: number;
  /** The exact bytes as text. */
  text: string;
  replayed: boolean;
}

/** One send as its caller meant it: repeated under one key until it was answered, or, without a key, tried once. */
export interface MeantSend {
  key: string | null;
  /** Each is of this send alone, in the whole campaign. */
  phones: string[];
  heard: Heard[];
  /** Tries that got no answer at all. */
  unheard: number;
}

/** A message that the platform took. */
export interface Taken {
  opaque: string | null;
  wamid: string;
  phone: string;
  /** Statuses whose callback was answered 200. */
  reported: string[];
  /** Callbacks that the platform still wants to post. */
  open: number;
}

/** A message as its row says. */
export interface MessageRow {
  id: string;
  sendId: string;
  phone: string;
  state: string;
  errorCode: number | null;
  wamid: string | null;
  createdAtMs: number;
}

/** A delivery as its row says. */
export interface DeliveryRow {
  id: string;
  hook: string;
  messageId: string;
  stage: string;
  state: string;
}

/** A webhook as the receiver got it. */
export interface Arrival {
  /** Its place among all arrivals. */
  seq: number;
  hook: string;
  atMs: number;
  /** An HTTP status, or the fault that it met instead of an answer. */
  answered: number | string;
  /** `x-webhook-signature`, `webhook-id`, `webhook-timestamp`, `webhook-signature`. */
  headers: Record<string, string>;
  body: string;
}

export interface Hook {
  name: string;
  secret: string;
  /** False where deliveries died and were replayed: order is not owed then. */
  isOrdered: boolean;
}

/** A time in which the gateway could not keep account: the death of a process, an outage of its database. */
export interface Break {
  what: 'kill' | 'database';
  fromMs: number;
  toMs: number;
}

export interface Evidence {
  sends: MeantSend[];
  taken: Taken[];
  calls: SendCall[];
  messages: MessageRow[];
  deliveries: DeliveryRow[];
  arrivals: Arrival[];
  hooks: Hook[];
  breaks: Break[];
  /** Why the wait for the end was given up; null: everything had ended. */
  unfinished: string | null;
  /** Gateways that ended without being killed or told to. */
  selfDeaths: string[];
}

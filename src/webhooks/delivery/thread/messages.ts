// What the gateway's main thread and the thread that delivers webhooks say to each other. Types alone.
import type { KeyRing } from '../../../base/cipher.ts';
import type { OutgoingOptions } from '../../../base/outgoing.ts';
import type { Connection } from '../../../db/db.ts';
import type { AttemptResult, LeasedDelivery } from '../delivery.ts';

/** What the thread is opened with. */
export interface ThreadSettings {
  connection: Connection;
  processId: number;
  keyRing: KeyRing;
  outgoing: OutgoingOptions;
  webhookTimeoutMs: number;
  logLevel: string;
  /** How long calls under way may take to end once it is told to stop. */
  graceMs: number;
}

/** Questions that are answered, each with what it asks and what comes back. */
export interface Questions {
  claim: { asked: undefined; answer: number };
  try: {
    asked: { endpointId: string; version: number; id: string; body: string };
    answer: AttemptResult | undefined;
  };
  stop: { asked: undefined; answer: undefined };
}

export type Question = {
  [Name in keyof Questions]: { number: number; question: Name; asked: Questions[Name]['asked'] };
}[keyof Questions];

/** To the thread. */
export type Told = { offer: LeasedDelivery[] } | { drop: string } | Question;

/** An error as it passes between threads, which would leave behind what `db/failure.ts` knows it by. */
export interface PassedError {
  message: string;
  code?: unknown;
  syscall?: unknown;
  stack?: string | undefined;
}

export type Answer = { number: number; answer: unknown } | { number: number; error: PassedError };

/** Tries of one outcome since they were last counted. */
export type Attempts = Record<string, number>;

/** From the thread. */
export type Heard =
  | { ready: true }
  | { log: string }
  | { busy: string[] }
  | { room: true }
  | { attempts: Attempts }
  | Answer;

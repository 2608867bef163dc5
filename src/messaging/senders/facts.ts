// What a run of the checks found out about a sender. Interfaces only.
import type { CredentialInspection, PhoneNumber, PlatformAdvice } from '../../ports/platform-number.ts';

/** A fact that was read from the platform, or why it could not be read. */
export type Fact<T> = { value: T } | { failure: string; isRejected: boolean };

/** What the app's own callback address is, and what it lacks. */
export interface AppCallbackFacts {
  url: string | null;
  missingKinds: string[];
}

export interface SubscriptionFacts {
  isSubscribed: boolean;
  overrideUrl: string | null;
}

/** Everything that a run of the checks found out. Times are epoch milliseconds. */
export interface SenderFacts {
  now: number;
  inspection: Fact<CredentialInspection>;
  number: Fact<PhoneNumber>;
  subscription: Fact<SubscriptionFacts>;
  appCallback: Fact<AppCallbackFacts>;
  /** This sender's callback address. */
  callbackUrl: string;
  /** Where all callback addresses of this gateway start. */
  callbackBase: string;
  handshakeAt: number | null;
  lastCallbackAt: number | null;
  /** When the oldest of the last messages without any report was accepted; null if all have reports. */
  unreportedSince: number | null;
  templates: { readAt: number | null; failure: string | null; count: number | null };
  businessAccountId: string;
  messagesPerSecond: number;
  followsThroughput: boolean;
  advice: PlatformAdvice;
}

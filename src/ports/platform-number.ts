// What the messaging platform says of a number, its credential and its callbacks. Interfaces only.

/** The platform's app behind a credential. Contains a secret: never log this object. */
export interface PlatformApp {
  appId: string;
  appSecret: string;
}

/** What the platform says of a credential. */
export interface CredentialFacts {
  /** False if the platform no longer accepts it. */
  isValid: boolean;
  /** Epoch milliseconds; null: it does not expire. */
  expiresAtMs: number | null;
  /** The permissions that the gateway needs and the credential lacks, in the platform's words. */
  missingPermissions: string[];
}

/** The result of an inspection; `problem` names the given value that does not fit the others. */
export type CredentialInspection =
  | { problem: 'app_secret' | 'app_id' | 'credential'; message: string }
  | { problem: null; credential: CredentialFacts };

/** Whether the platform sends, and what stands in the way. */
export interface PlatformHealth {
  canSend: 'available' | 'limited' | 'blocked';
  /** What limits or blocks, with the platform's advice. */
  problems: { entity: string; code: number | null; description: string; advice: string | null }[];
}

/** The state of a number. Words of the platform are upper case; null where it names none. */
export interface PhoneNumber {
  /** The platform's id of the business account that owns it; null if it does not say. */
  businessAccountId: string | null;
  displayPhone: string;
  verifiedName: string;
  /** True if the number can send and receive through the platform's API; null if unknown. */
  isRegistered: boolean | null;
  /** The platform's own word for the state. */
  status: string | null;
  qualityRating: string | null;
  /** How many people it may write to first within a day. */
  messagingLimit: string | null;
  /** Messages per second that the platform grants; null if it does not say. */
  throughput: number | null;
  health: PlatformHealth | null;
}

/** Whether the app receives the callbacks of a business account. */
export interface Subscription {
  isSubscribed: boolean;
  /** Replaces the app's address for this business account, for messages and their statuses only. */
  overrideUrl: string | null;
}

/** The app's own callback address. */
export interface AppCallback {
  url: string | null;
  /** Kinds of callback that the gateway reads and the app does not ask for, in the platform's words. */
  missingKinds: string[];
}

/** A notice about a business account or its numbers: what the checks of its numbers show may have changed. */
export interface AccountNotice {
  businessAccountId: string;
  /** The platform's own word. */
  kind: string;
  /** The platform's own text, possibly cut. */
  content: string;
}

/** What an operator does at the platform to fix what a check found: sentences with the platform's own names. */
export interface PlatformAdvice {
  newCredential: string;
  appSecret: string;
  registration: string;
  /** For states of a number, in the platform's words, that a registration does not change. */
  registrationOf: Readonly<Record<string, string>>;
  /** For codes with which the platform rejects a registration. */
  rejectedRegistration: Readonly<Record<number, string>>;
  number: string;
}

/** An address for callbacks, with the token that its handshake verifies. */
export interface CallbackTarget {
  url: string;
  verifyToken: string;
}

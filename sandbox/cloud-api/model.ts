// The platform's objects: apps, business accounts, numbers, templates, media; and the sandbox's settings (types).

export interface App {
  id: string;
  secret: string;
  tokens: string[];
  revokedTokens: string[];
  /** What is known of each token; one without facts has every permission and does not expire. */
  tokenFacts?: Record<string, TokenFacts>;
  /** The app's setting "Require app secret": each call needs `appsecret_proof`. */
  requiresProof?: boolean;
  subscription: Subscription | null;
}

export interface TokenFacts {
  scopes: string[];
  /** By the sandbox's clock; null: never. */
  expiresAt: number | null;
  /** The business accounts that the token's system user may use; null: all of its app. */
  wabaIds: string[] | null;
}

/** Where callbacks go; created by the handshake. */
export interface CallbackAddress {
  callbackUrl: string;
  verifyToken: string;
}

/** An app's own address, and the fields that it asks for; without a list, all of them. */
export interface Subscription extends CallbackAddress {
  fields?: string[];
}

/** A WhatsApp Business Account. */
export interface Waba {
  id: string;
  appId: string;
  name: string;
  /** True if the app receives the callbacks of this account. */
  isSubscribed?: boolean;
  /** Replaces the app's address for this account's messages and statuses. */
  override?: CallbackAddress | null;
}

export interface PhoneNumber {
  id: string;
  wabaId: string;
  displayPhoneNumber: string;
  verifiedName: string;
  /** Prefix for a recipient without `+`. */
  countryCode: string;
  qualityRating: 'GREEN' | 'YELLOW' | 'RED' | 'UNKNOWN';
  /** Throughput; null: as the setting says; 0: unlimited. */
  messagesPerSecond: number | null;
  /** `CONNECTED` once it is registered. */
  status?: string;
  codeVerificationStatus?: string;
  nameStatus?: string;
  /** Of the whole business portfolio. */
  messagingLimit?: string;
  /** The two-step verification PIN; the first registration sets it. */
  pin?: string | null;
  /** When it was registered or deregistered in the last 72 hours, by the sandbox's clock. */
  registrations?: number[];
  /** What limits or blocks messages; null: nothing does. */
  health?: NumberHealth | null;
}

export interface NumberHealth {
  canSend: 'LIMITED' | 'BLOCKED';
  entity: 'PHONE_NUMBER' | 'WABA' | 'BUSINESS' | 'APP';
  code: number;
  description: string;
  solution: string;
}

export interface Button {
  type: string;
  text?: string;
  url?: string;
  phone_number?: string;
  otp_type?: string;
  flow_id?: unknown;
  flow_name?: unknown;
  flow_json?: unknown;
  supported_apps?: unknown;
  zero_tap_terms_accepted?: unknown;
  example?: unknown;
}

export interface Component {
  type: string;
  format?: string;
  text?: string;
  example?: Record<string, unknown>;
  buttons?: Button[];
  add_security_recommendation?: boolean;
  code_expiration_minutes?: number;
  /** Of a CAROUSEL. */
  cards?: { components: Component[] }[];
  limited_time_offer?: { text?: string; has_expiration?: boolean };
}

export interface Template {
  id: string;
  wabaId: string;
  name: string;
  language: string;
  category: string;
  previousCategory?: string;
  status: string;
  parameterFormat: 'POSITIONAL' | 'NAMED';
  components: Component[];
  quality: 'GREEN' | 'YELLOW' | 'RED' | 'UNKNOWN';
  rejectedReason: string;
  /** When its review ends, in milliseconds of the sandbox's clock; null: reviewed, or kept pending. */
  reviewAt: number | null;
  /** `message_send_ttl_seconds`, if it was set. */
  ttlSeconds?: number | undefined;
  /** Its status before it was archived. */
  archivedFrom?: string | undefined;
  /** When it was edited while approved, by the sandbox's clock. */
  edits?: number[];
}

export interface Media {
  id: string;
  phoneNumberId: string;
  mimeType: string;
  sizeBytes: number;
  sha256: string;
  uploadedAt: number;
  /** True for the file of an inbound message, which is kept for a shorter time. */
  isReceived?: boolean;
}

export interface Settings {
  /** Milliseconds from acceptance to each callback; 0: immediately. */
  sentMs: number;
  deliveredMs: number;
  readMs: number;
  /** How long a message is held for quality assessment, before the delays above. */
  heldMs: number;
  slowAnswerMs: number;
  /** How many tries are rejected for recipients that end in `0002CCCCCC`. */
  refuseFirst: number;
  /** Maximum number of statuses per post, and how long a status waits for others. 1: each has its own post. */
  batchSize: number;
  batchWaitMs: number;
  /** True: callbacks are held until this is false. */
  holdCallbacks: boolean;
  /** Delays before the retries of a callback that got no 200; after the last one it is given up. */
  retryDelaysMs: number[];
  callbackTimeoutMs: number;
  /** True: callbacks of statuses other than `failed` have the person's number, id and name. */
  statusContacts: boolean;
  /** Servers behind the callback address, as behind a load balancer: posts go to them in turn. */
  callbackOrigins: string[];
  /** Milliseconds from a template's creation to the end of its review. */
  approvalMs: number;
  /** Default throughput of a number, in messages per second; 0: unlimited. */
  messagesPerSecond: number;
  /** The pair rate limit (131056: 1 message per 6 s, bursts of 45). */
  pairRate: boolean;
  /**
   * Code that rejects a media id that is unknown, expired or of another number: 131053, or 100 with
   * "is not a valid whatsapp business account media attachment ID". The platform was observed to use both.
   */
  lostMediaCode: number;
  /** Webhook fields that the platform does not know yet: subscribing to them is rejected, as to those that it never had. */
  unknownFields: string[];
  /**
   * What happens to a message outside the window of 24 hours that is not a template: accepted, then `failed` 131047 by callback,
   * as the platform was observed to do; or the call is rejected with 131047; or the window is not checked.
   */
  closedWindow: 'report' | 'reject' | 'ignore';
  /** True: `error_data` of rejections and of `errors[]` is a string, as sometimes on the platform. */
  plainErrorData: boolean;
  /** Number of accepted messages that are remembered, and how many of them with details. */
  ledgerEntries: number;
  ledgerDetail: number;
  /** Size of the log of send calls; 0: no log. */
  keepCalls: number;
  /** Bytes of uploaded media that are kept in memory for downloads (never on disk). */
  keepMediaBytes: number;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

export const defaultSettings: Settings = {
  sentMs: 50,
  deliveredMs: 150,
  readMs: 400,
  heldMs: 2000,
  slowAnswerMs: 3000,
  refuseFirst: 2,
  batchSize: 1,
  batchWaitMs: 10,
  holdCallbacks: false,
  // Immediately, then with increasing delays for about 7 days, as the platform's page on webhooks says.
  retryDelaysMs: [
    0,
    1000,
    5000,
    15_000,
    30_000,
    minuteMs,
    2 * minuteMs,
    5 * minuteMs,
    15 * minuteMs,
    hourMs,
  ].concat(Array<number>(28).fill(6 * hourMs)),
  callbackTimeoutMs: 20_000,
  statusContacts: true,
  callbackOrigins: [],
  approvalMs: 3000,
  messagesPerSecond: 80,
  pairRate: true,
  lostMediaCode: 131053,
  unknownFields: [],
  closedWindow: 'report',
  plainErrorData: false,
  ledgerEntries: 200_000,
  ledgerDetail: 20_000,
  keepCalls: 0,
  keepMediaBytes: 16_000_000,
};

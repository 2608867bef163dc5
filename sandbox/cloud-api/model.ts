// What the platform knows of: apps, business accounts, numbers, templates, media, and the settings of the sandbox (types).

export interface App {
  id: string;
  secret: string;
  tokens: string[];
  revokedTokens: string[];
  subscription: Subscription | null;
}

/** Where an app's callbacks go; made by the handshake. */
export interface Subscription {
  callbackUrl: string;
  verifyToken: string;
}

/** A WhatsApp Business Account. */
export interface Waba {
  id: string;
  appId: string;
  name: string;
}

export interface PhoneNumber {
  id: string;
  wabaId: string;
  displayPhoneNumber: string;
  verifiedName: string;
  /** Put before a recipient that has no `+`. */
  countryCode: string;
  qualityRating: 'GREEN' | 'YELLOW' | 'RED' | 'UNKNOWN';
  /** Throughput; null: the setting's. 0: without limit. */
  messagesPerSecond: number | null;
}

export interface Button {
  type: string;
  text?: string;
  url?: string;
  phone_number?: string;
  otp_type?: string;
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
  /** When its review ends, by the sandbox's clock; null: reviewed, or kept pending. */
  reviewAt: number | null;
}

export interface Media {
  id: string;
  phoneNumberId: string;
  mimeType: string;
  sizeBytes: number;
  sha256: string;
  uploadedAt: number;
}

export interface Settings {
  /** Milliseconds from acceptance to each callback; 0: immediately, all at the same time. */
  sentMs: number;
  deliveredMs: number;
  readMs: number;
  /** How long a message held for quality assessment is held, before the delays above. */
  heldMs: number;
  slowAnswerMs: number;
  /** How many tries `…0002CCCCCC` recipients refuse. */
  refuseFirst: number;
  /** Statuses a post at most, and how long one waits for others; 1: each its own post. */
  batchSize: number;
  batchWaitMs: number;
  /** True: callbacks wait until this is false again. */
  holdCallbacks: boolean;
  /** Waits before each next try of a callback that was not answered 200; then it is given up. */
  retryDelaysMs: number[];
  callbackTimeoutMs: number;
  /** Servers that stand behind the callback address, as behind a load balancer: posts go to them in turn. */
  callbackOrigins: string[];
  /** From creation of a template to its review's end. */
  approvalMs: number;
  /** Default throughput of a number; 0: without limit. */
  messagesPerSecond: number;
  /** The pair rate (131056: 1 message each 6 s, bursts of 45). Off, so that demonstrations to one phone do not stumble. */
  pairRate: boolean;
  /**
   * Code by which a message with a media id that is unknown, expired or another number's is rejected: 131053, or 100 with
   * "is not a valid whatsapp business account media attachment ID". The platform is seen to use both.
   */
  lostMediaCode: number;
  /** True: `error_data` of rejections and of `errors[]` is a bare text, as the platform's sometimes is. */
  plainErrorData: boolean;
  /** Accepted messages remembered, and how many of them with components and callback answers. */
  ledgerEntries: number;
  ledgerDetail: number;
  /** Calls for messages kept with what became of them; 0: none. */
  keepCalls: number;
  /** Bytes of uploaded media kept in memory for downloads (never on disk). */
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
  // At once, then with falling frequency for about 7 days, as the platform's page on webhooks says.
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
  callbackOrigins: [],
  approvalMs: 3000,
  messagesPerSecond: 80,
  pairRate: false,
  lostMediaCode: 131053,
  plainErrorData: false,
  ledgerEntries: 200_000,
  ledgerDetail: 20_000,
  keepCalls: 0,
  keepMediaBytes: 16_000_000,
};

// Magic recipients and template names, which decide what the platform does with them (pure data, quoted by the docs).
import { isPlatformCode } from './errors.ts';

export type StatusWord = 'sent' | 'delivered' | 'read' | 'failed';

/** One planned callback. `delay`: posted when a normal message is sent (0), delivered (1) or read (2). */
export interface PlannedStatus {
  status: StatusWord;
  delay: 0 | 1 | 2;
  code?: number;
  /** How often it is posted (default 1). */
  copies?: number;
}

/** What the platform does with a message. */
export interface Outcome {
  /** Rejected with this code, always or on the first tries only (setting `refuseFirst`). */
  rejection?: { code: number; first: boolean };
  /** False: the platform does not accept the message. */
  accepted: boolean;
  held: boolean;
  response: 'normal' | 'hang' | 'reset' | 'empty500' | 'slow';
  statuses: PlannedStatus[];
}

const sent: PlannedStatus = { status: 'sent', delay: 0 };
const delivered: PlannedStatus = { status: 'delivered', delay: 1 };
const read: PlannedStatus = { status: 'read', delay: 2 };
const normal: Outcome = {
  accepted: true,
  held: false,
  response: 'normal',
  statuses: [sent, delivered, read],
};
const notAccepted: Outcome = { ...normal, accepted: false, statuses: [] };

export interface MagicRecipient {
  /** The phone number's last ten digits; CCCCCC stands for one of the platform's six-digit error codes. */
  endsIn: string;
  whatHappens: string;
}

const fixed: ReadonlyArray<readonly [digits: string, whatHappens: string, outcome: Outcome]> = [
  ['000101', 'held for quality assessment, then released: sent, delivered, read', { ...normal, held: true }],
  [
    '000102',
    'held for quality assessment, then dropped: failed 132015',
    { ...normal, held: true, statuses: [{ status: 'failed', delay: 0, code: 132015 }] },
  ],
  ['000201', 'never read: sent, delivered', { ...normal, statuses: [sent, delivered] }],
  ['000202', 'read without delivered: sent, read', { ...normal, statuses: [sent, read] }],
  ['000203', 'phone switched off: sent, then nothing', { ...normal, statuses: [sent] }],
  ['000204', 'accepted, then no callback at all', { ...normal, statuses: [] }],
  [
    '000301',
    'every callback is posted twice',
    { ...normal, statuses: normal.statuses.map((s) => ({ ...s, copies: 2 })) },
  ],
  [
    '000302',
    'callbacks out of order: read, delivered, sent',
    { ...normal, statuses: [{ ...read, delay: 0 }, delivered, { ...sent, delay: 2 }] },
  ],
  [
    '000303',
    'all callbacks at the same moment',
    { ...normal, statuses: normal.statuses.map((s) => ({ ...s, delay: 0 as const })) },
  ],
  [
    '000304',
    'failed 131026 on one device, delivered on another after it',
    { ...normal, statuses: [sent, { status: 'failed', delay: 1, code: 131026 }, { ...delivered, delay: 2 }] },
  ],
  ['000401', 'accepted with all callbacks, but the call gets no response', { ...normal, response: 'hang' }],
  ['000402', 'not accepted, and the call gets no response', { ...notAccepted, response: 'hang' }],
  ['000403', 'not accepted, the connection is reset', { ...notAccepted, response: 'reset' }],
  ['000404', 'accepted with all callbacks, but the connection is reset', { ...normal, response: 'reset' }],
  ['000500', 'not accepted, HTTP 500 without a body', { ...notAccepted, response: 'empty500' }],
  ['000501', 'accepted with all callbacks, but HTTP 500 without a body', { ...normal, response: 'empty500' }],
  [
    '000601',
    'accepted, callbacks immediately, the response only after 3 s (setting slowAnswerMs)',
    { ...normal, response: 'slow' },
  ],
];

const bySuffix = new Map(fixed.map(([digits, , outcome]) => [`0000${digits}`, outcome]));

/** The documented table of all magic endings. All other numbers: sent, delivered, read. */
export const magicRecipients: readonly MagicRecipient[] = [
  {
    endsIn: '0000CCCCCC',
    whatHappens: 'accepted, then failed with that code by callback (0000131026: undeliverable)',
  },
  { endsIn: '0001CCCCCC', whatHappens: 'rejected immediately with that code (0001131049)' },
  {
    endsIn: '0002CCCCCC',
    whatHappens: 'rejected with that code on the first 2 tries, then accepted (0002130429: throttled)',
  },
  ...fixed.map(([digits, whatHappens]) => ({ endsIn: `0000${digits}`, whatHappens })),
];

/** The result of a template's review, by the beginning of its name. All other names are approved. */
export const magicTemplateNames = [
  { beginsWith: 'sandbox_rejected', whatHappens: 'REJECTED with reason INVALID_FORMAT' },
  { beginsWith: 'sandbox_pending', whatHappens: 'stays PENDING' },
] as const;

/** Accepted and sent, with no other callback. */
export const sentOnly: Outcome = { ...normal, statuses: [sent] };

/** Accepted, then failed with that code by callback. */
export const failedWith = (code: number): Outcome => ({
  ...normal,
  statuses: [{ status: 'failed', delay: 0, code }],
});

/** The outcome of a message to this number (digits only). */
export function outcomeOf(phone: string): Outcome {
  const end = phone.length - 10;
  // Nearly every number returns here; the path of every message must stay cheap.
  if (end < 0 || !phone.startsWith('000', end)) return normal;
  const suffix = phone.slice(end);
  const special = bySuffix.get(suffix);
  if (special) return special;
  const code = Number(suffix.slice(4));
  if (code < 100_000 || !isPlatformCode(code)) return normal;
  switch (suffix[3]) {
    case '0':
      return failedWith(code);
    case '1':
      return { ...notAccepted, rejection: { code, first: false } };
    case '2':
      return { ...normal, rejection: { code, first: true } };
    default:
      return normal;
  }
}

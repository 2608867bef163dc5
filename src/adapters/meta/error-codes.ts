// The platform's error codes: the reaction to each, its wait, and the source of the rule. Pure.
import type { PlatformRejection, RejectionClass, UnapprovedTemplate } from '../../ports/platform.ts';

/** Codes with one reaction; the comment quotes the description that is the reason for it. */
interface Rule {
  codes: readonly number[];
  kind: RejectionClass;
  /** Minimum wait in seconds, if the response has none. */
  waitSeconds?: number;
}

/**
 * Sources: Meta, "Error codes" of the Cloud API (developers.facebook.com/documentation/business-messaging/whatsapp/
 * support/error-codes, read 2026-11-22), unless a row names another page. Meta's documentation says to decide by code, not by HTTP status
 * or title. A message with an error body was not accepted. Unlisted codes are final.
 */
const rules: readonly Rule[] = [
  // Access. 102 and 190 with any subcode (458, 459, 460, 463, 464, 467, 492) need a new token (Graph API, "Error handling").
  // 104: "no access token was provided", at some endpoints.
  { codes: [0, 102, 104, 190], kind: 'halt_token' },
  // "Capability or permissions issue"; "permission is either not granted or has been removed"; 131005 "access denied".
  { codes: [3, 10, 131005], kind: 'halt_token' },
  // "The business phone number has been deleted."
  { codes: [33], kind: 'halt_sender' },
  // Call limits of the app (4, 341, 613), the Graph user (17), the business account (80007), and its templates (80008), counted by
  // the hour; `X-Business-Use-Case-Usage` says in how many minutes access is regained (Graph API, "Rate limits", "Error handling").
  { codes: [4, 17, 341, 613, 80007, 80008], kind: 'throttled_account', waitSeconds: 60 },
  // "Cloud API message throughput has been reached": a limit of the number ("Throughput").
  { codes: [130429], kind: 'throttled' },
  // "Too many messages sent from the sender phone number to the same recipient": other messages continue; 4^X seconds for this one.
  { codes: [131056], kind: 'pair_rate' },
  // "Restrictions on how many messages can be sent from this phone number": for spam, and at the messaging limit (`temporary`).
  { codes: [131048], kind: 'halt_templates' },
  // "Reached its messaging limit due to template classification violations": utility messages of the business account above a number
  // in a moving 24 hours are rejected, for at least 7 days; other categories are not ("Template categorization", 2026-09-11).
  { codes: [131064], kind: 'category_limit', waitSeconds: 3600 },
  // "Invalid request or possible server error."
  { codes: [1], kind: 'retry_once' },
  // "Temporary due to downtime or due to being overloaded"; 131016 and 133004 say the same of a service and the server.
  { codes: [2, 131016, 133004], kind: 'retry' },
  // "Message failed to send due to an unknown error."
  { codes: [131000], kind: 'retry_few' },
  // "Business account is in maintenance mode", also for the minute of a throughput upgrade ("Throughput").
  { codes: [131057, 2494100], kind: 'throttled', waitSeconds: 60 },
  // "The WhatsApp Business Account … has been restricted or disabled for violating a platform policy"; 131031 "locked".
  { codes: [368, 131031], kind: 'halt_account' },
  // Payment: "there was an error related to your payment method"; 134011: its terms were not accepted.
  { codes: [131042, 134011], kind: 'halt_account' },
  // "Business account is restricted from messaging users in this country": of the recipient, not of the number.
  { codes: [130497], kind: 'final' },
  // The number itself: its display name is not approved, its certificate is wrong, it is not registered.
  { codes: [131037, 131045, 133010], kind: 'halt_sender' },
  // About this recipient: the sender itself, undeliverable, not in a test number's list, blocked by us, in an experiment, a
  // user id where a phone is needed, outside the 24 h window, held back by Meta (not again within 24 h), changed identity.
  {
    codes: [131021, 131026, 131030, 130403, 130472, 131062, 131047, 131049, 137000],
    kind: 'final',
  },
  // "User has stopped marketing messages from your business" ("Marketing templates"): accepted, then reported by callback.
  { codes: [131050], kind: 'opted_out' },
  // The request itself: a missing or wrong parameter, an unknown kind of message, a generic user error.
  { codes: [100, 131008, 131009, 131051, 135000, 551], kind: 'final' },
  // "Unable to upload the media": registered again once, because the platform accepted these bytes before.
  { codes: [131053], kind: 'media_refused' },
  // Media of inbound messages.
  { codes: [131052, 131060], kind: 'final' },
  // The Marketing Messages API, which is not used for sends: not marketing, or marketing is off for the Cloud API.
  { codes: [131055, 134100, 131063], kind: 'final' },
  // Its templates: not synchronised yet ("wait ten minutes"), or disabled there.
  { codes: [134101], kind: 'retry', waitSeconds: 600 },
  { codes: [134102], kind: 'halt_template' },
  // The values do not fit the template as it is now: this message will never pass, the template is read again.
  { codes: [132000, 132012, 132018], kind: 'template_outdated' },
  // "Translated text is too long", with these values.
  { codes: [132005], kind: 'final' },
  // "The template does not exist in the specified language or the template has not been approved."
  { codes: [132001], kind: 'template_missing' },
  // "Template content violates a policy", paused for quality, disabled for quality, its flow blocked or throttled.
  { codes: [132007, 132015, 132016, 132068, 132069], kind: 'halt_template' },
  // Only for the registration of numbers: already registered, wrong PIN, not verified, too many guesses, too many attempts.
  { codes: [133000, 133005, 133006, 133008, 133009, 133015, 133016], kind: 'final' },
];

const ruleOf = new Map<number, Rule>(
  rules.flatMap((rule) => rule.codes.map((code) => [code, rule] as const)),
);

/** Every code of the table. */
export const knownCodes: readonly number[] = [...ruleOf.keys()];

/** The only subcode that matters, with code 100: the object does not exist, or the token may not use it. */
const unreachableObject = 33;

const textOf = ({ title = '', message = '' }: PlatformRejection): string => `${title} ${message}`;

/**
 * Code 100 means anything from a wrong parameter to lost access, so its subcode and text decide (from reports about
 * `error_subcode` 33, and about media ids that expired or belong to another number; read 2026-11-22; about a missing or
 * wrong `appsecret_proof`: sromku/android-simple-facebook 160, facebookarchive/php-graph-sdk 1117; read 2026-11-24).
 */
function classOf100(rejection: PlatformRejection): RejectionClass {
  const text = textOf(rejection);
  const { subcode } = rejection;
  if (subcode === unreachableObject) return 'halt_sender';
  if (text.includes('cannot be loaded due to missing permissions')) return 'halt_sender';
  if (text.includes('is not a valid whatsapp business account media attachment ID')) return 'media_unknown';
  return text.includes('appsecret_proof') ? 'halt_token' : 'final';
}

/** Returns true if the app requires a proof of its secret that the call did not have (Graph API, "Secure requests"). */
export const lacksProof = (rejection: PlatformRejection): boolean =>
  Number(rejection.code) === 100 && textOf(rejection).includes('require an appsecret_proof');

/** Prefix of the codes of responses that do not come from the platform (`foreign-response.ts`). */
export const httpPrefix = 'http_';

/**
 * Returns the reaction to a rejection. 200 to 299 are permissions of the token. A foreign response slows the number down
 * (429) or halts it, because a proxy or firewall treats every call alike. An unknown code is final, unless the platform calls the
 * error transient (`is_transient`).
 */
export function classify(rejection: PlatformRejection): RejectionClass {
  if (typeof rejection.code === 'string' && rejection.code.startsWith(httpPrefix))
    return rejection.code === 'http_429' ? 'throttled' : 'halt_sender';
  const code = Number(rejection.code);
  if (code === 100) return classOf100(rejection);
  if (code >= 200 && code <= 299) return 'halt_token';
  return ruleOf.get(code)?.kind ?? (rejection.isTransient ? 'retry' : 'final');
}

/**
 * 131048 ends with the quality or, at the messaging limit, as the moving 24 hours go on; the number is RESTRICTED until then and may still answer people
 * (community.sinch.com 6878, support.qiscus.com 900004378363, clickatell.com help center; read 2026-11-23).
 */
const temporary = new Set([131048]);

/** Returns true if the platform lifts the reason of a halt by itself. */
export const isTemporary = ({ code }: PlatformRejection): boolean => temporary.has(Number(code));

/** "Template is paused due to low quality"; "Template has been paused too many times … and is now permanently disabled". */
const templateStatuses = new Map([
  [132015, 'PAUSED'],
  [132016, 'DISABLED'],
]);

/** Returns the template status that a rejected send reveals; undefined if its code reveals none. */
export function templateStatusOf({ code }: PlatformRejection): string | undefined {
  return templateStatuses.get(Number(code));
}

/** Returns what may be done with a template of this status (Cloud API, "Template management"); approved ones have limits of their own. */
export function unapprovedTemplate(providerStatus: string): UnapprovedTemplate {
  const isRejected = providerStatus === 'REJECTED';
  const isPaused = providerStatus === 'PAUSED';
  return { isRejected, isPaused, isEditable: isRejected || isPaused };
}

/** Returns the seconds to wait after this code if the response names none; undefined if the code asks for no wait. */
export function minWaitOf(code: number): number | undefined {
  return ruleOf.get(code)?.waitSeconds;
}

// Read operations on senders: GET of a phone number, a business account and its numbers, the token and its app.
import { type Call, type Platform, respond } from './call.ts';
import { unknownObject } from './errors.ts';
import type { PhoneNumber, Waba } from './model.ts';

const defaultFields = [
  'verified_name',
  'code_verification_status',
  'display_phone_number',
  'quality_rating',
  'platform_type',
  'throughput',
  'id',
];

/** GET /{phone-number-id}. */
export function numberNode(platform: Platform, call: Call, number: PhoneNumber): void {
  if (call.req.method !== 'GET') throw unknownObject(call.req.method ?? '', number.id);
  respond(call, 200, view(platform, call, number));
}

/** GET /{waba-id}. */
export function wabaNode(call: Call, waba: Waba): void {
  if (call.req.method !== 'GET') throw unknownObject(call.req.method ?? '', waba.id);
  respond(call, 200, {
    id: waba.id,
    name: waba.name,
    timezone_id: '71',
    currency: 'USD',
    message_template_namespace: `sandbox_${waba.id}`,
  });
}

/** GET /{waba-id}/phone_numbers. */
export function phoneNumbersEdge(platform: Platform, call: Call, waba: Waba): void {
  if (call.req.method !== 'GET') throw unknownObject(call.req.method ?? '', waba.id);
  const numbers = [...platform.state.numbers.values()].filter((number) => number.wabaId === waba.id);
  respond(call, 200, { data: numbers.map((number) => view(platform, call, number)) });
}

/** GET /app: the app that the token is of. */
export function appNode(call: Call): void {
  const { id } = call.app;
  respond(call, 200, {
    category: 'Business',
    link: `https://www.facebook.com/games/?app_id=${id}`,
    name: `App ${id}`,
    id,
  });
}

function view(platform: Platform, call: Call, number: PhoneNumber): unknown {
  const perSecond = number.messagesPerSecond ?? platform.state.settings.messagesPerSecond;
  const whole: Record<string, unknown> = {
    id: number.id,
    verified_name: number.verifiedName,
    code_verification_status: number.codeVerificationStatus ?? 'VERIFIED',
    display_phone_number: number.displayPhoneNumber,
    quality_rating: number.qualityRating,
    platform_type: statusOf(number) === 'CONNECTED' ? 'CLOUD_API' : 'NOT_APPLICABLE',
    throughput: { level: perSecond === 0 || perSecond > 80 ? 'HIGH' : 'STANDARD' },
    name_status: number.nameStatus ?? 'APPROVED',
    status: shownStatus(platform, number),
    account_mode: 'LIVE',
    whatsapp_business_manager_messaging_limit: number.messagingLimit ?? 'TIER_UNLIMITED',
    health_status: healthOf(platform, call, number),
  };
  const fields = call.query.get('fields')?.split(',') ?? defaultFields;
  const requested = ['id', ...fields.map((field) => field.trim())];
  return Object.fromEntries(requested.filter((f) => whole[f] !== undefined).map((f) => [f, whole[f]]));
}

/** Numbers of earlier journals were always connected. */
export const statusOf = ({ status }: PhoneNumber): string => status ?? 'CONNECTED';

/** A number that has reached its messaging limit still answers people. */
const shownStatus = ({ messagingLimits }: Platform, number: PhoneNumber): string =>
  statusOf(number) === 'CONNECTED' && messagingLimits.isReached(number) ? 'RESTRICTED' : statusOf(number);

/** Errors of calls, which the platform shows on numbers and apps that have not configured SIP ("Health status"). */
const callErrors: Record<string, object> = {
  PHONE_NUMBER: {
    error_code: 138024,
    error_description: 'WhatsApp Business calling cannot use SIP because it is not enabled',
    possible_solution: 'Configure SIP using {PHONE_NUMBER_ID}/settings API',
  },
  APP: {
    error_code: 138025,
    error_description:
      'This app cannot use SIP for WhatsApp Business calling because it has not configured a SIP server for this business phone number',
    possible_solution: 'Configure SIP server using {PHONE_NUMBER_ID}/settings API',
  },
};

/** `health_status`: whether messages can be sent, entity by entity from the number up to the app; no number takes calls by SIP. */
function healthOf({ state }: Platform, call: Call, number: PhoneNumber): unknown {
  const health = number.health ?? null;
  const waba = state.wabas.get(number.wabaId);
  const ids = { PHONE_NUMBER: number.id, WABA: waba?.id, BUSINESS: `1${waba?.id}`, APP: call.app.id };
  const entities = Object.entries(ids).map(([entity_type, id]) => {
    const isUnwell = health?.entity === entity_type;
    const own = {
      error_code: health?.code,
      error_description: health?.description,
      possible_solution: health?.solution,
    };
    const ofCalls = callErrors[entity_type];
    const errors = [...(isUnwell ? [own] : []), ...(ofCalls ? [ofCalls] : [])];
    return {
      ...{ entity_type, id, can_send_message: isUnwell ? health.canSend : 'AVAILABLE' },
      ...(ofCalls && { can_receive_call_sip: 'BLOCKED' }),
      ...(errors.length > 0 && { errors }),
    };
  });
  return { can_send_message: health?.canSend ?? 'AVAILABLE', entities };
}

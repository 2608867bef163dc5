// Read operations on senders: GET of a phone number, a business account and its numbers, the token and its app.
import { type Call, type Platform, respond } from './call.ts';
import { badParam, unknownObject } from './errors.ts';
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

/** GET, POST and DELETE /{waba-id}/subscribed_apps: the owning app is always subscribed. */
export function subscribedAppsEdge(call: Call): void {
  const { id } = call.app;
  if (call.req.method !== 'GET') respond(call, 200, { success: true });
  else
    respond(call, 200, {
      data: [
        {
          whatsapp_business_api_data: {
            id,
            name: `App ${id}`,
            link: `https://www.facebook.com/games/?app_id=${id}`,
          },
        },
      ],
    });
}

/** GET /app: the token's app. */
export function appNode(call: Call): void {
  const { id } = call.app;
  respond(call, 200, {
    category: 'Business',
    link: `https://www.facebook.com/games/?app_id=${id}`,
    name: `App ${id}`,
    id,
  });
}

/** GET /debug_token: describes a token of the calling token's own app. */
export function tokenNode(platform: Platform, call: Call): void {
  const token = call.query.get('input_token') ?? '';
  if (platform.state.tokens.get(token)?.id !== call.app.id)
    throw badParam('The App_id in the input_token did not match the Viewing App');
  const { id } = call.app;
  const scopes = ['whatsapp_business_management', 'whatsapp_business_messaging'];
  const data = { app_id: id, type: 'SYSTEM_USER', application: `App ${id}`, expires_at: 0, is_valid: true };
  respond(call, 200, { data: { ...data, scopes, user_id: '122100000000000' } });
}

function view(platform: Platform, call: Call, number: PhoneNumber): unknown {
  const perSecond = number.messagesPerSecond ?? platform.state.settings.messagesPerSecond;
  const whole: Record<string, unknown> = {
    id: number.id,
    verified_name: number.verifiedName,
    code_verification_status: 'VERIFIED',
    display_phone_number: number.displayPhoneNumber,
    quality_rating: number.qualityRating,
    platform_type: 'CLOUD_API',
    throughput: { level: perSecond === 0 || perSecond > 80 ? 'HIGH' : 'STANDARD' },
    name_status: 'APPROVED',
    status: 'CONNECTED',
    account_mode: 'LIVE',
    messaging_limit_tier: 'TIER_UNLIMITED',
  };
  const fields = call.query.get('fields')?.split(',') ?? defaultFields;
  const requested = ['id', ...fields.map((field) => field.trim())];
  return Object.fromEntries(requested.filter((f) => whole[f] !== undefined).map((f) => [f, whole[f]]));
}

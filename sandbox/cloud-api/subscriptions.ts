// The edges that subscribe: an app's callback address and fields, and the business accounts whose callbacks it gets.
import { type Call, type Platform, readJson, respond } from './call.ts';
import { badParam, rejection, unknownObject } from './errors.ts';
import type { App, Waba } from './model.ts';
import { askForChallenge } from './subscription.ts';

const object = 'whatsapp_business_account';
const overrideMax = 200;

/** The fields of `whatsapp_business_account` ("Webhooks"). `user_id_update` is none ("Changelog", 2026-08-11). */
const subscribable = new Set([
  ...['account_alerts', 'account_review_update', 'account_settings_update', 'account_update'],
  ...['automatic_events', 'business_capability_update', 'business_status_update', 'business_username_update'],
  ...['calls', 'consumer_profile', 'flows', 'group_lifecycle_update', 'group_participants_update'],
  ...['group_settings_update', 'group_status_update', 'history', 'message_echoes'],
  ...['message_template_components_update', 'message_template_quality_update'],
  ...['message_template_status_update', 'messages', 'messaging_handovers', 'partner_solutions'],
  ...['payment_configuration_update', 'phone_number_name_update', 'phone_number_quality_update'],
  ...['security', 'smb_app_state_sync', 'smb_message_echoes', 'standby', 'template_category_update'],
  ...['template_correct_category_detection', 'tracking_events', 'user_preferences'],
]);

/** GET, POST and DELETE /{app-id}/subscriptions, which take the app's own token alone. */
export async function appSubscriptionsEdge(platform: Platform, call: Call): Promise<void> {
  const { app } = call;
  if (!call.isAppToken) throw badParam('An app access token is required to request this resource.');
  if (call.req.method === 'GET') respond(call, 200, { data: subscriptionsOf(app, call.version) });
  else if (call.req.method === 'POST') await subscribeApp(platform, call);
  else if (call.req.method === 'DELETE') {
    platform.state.record(['app', { ...app, subscription: null }]);
    respond(call, 200, { success: true });
  } else throw unknownObject(call.req.method ?? '', app.id);
}

function subscriptionsOf({ subscription }: App, version: string): unknown[] {
  if (!subscription) return [];
  const fields = (subscription.fields ?? ['messages']).map((name) => ({ name, version }));
  return [{ object, callback_url: subscription.callbackUrl, active: true, fields }];
}

async function subscribeApp(platform: Platform, call: Call): Promise<void> {
  const { state } = platform;
  const body = await readJson(call.req);
  if (body.object !== object) throw badParam(`Param object must be ${object}`);
  const fields = String(body.fields ?? '')
    .split(',')
    .map((field) => field.trim())
    .filter((field) => field !== '');
  const { unknownFields } = state.settings;
  const unknown = fields.find((field) => !subscribable.has(field) || unknownFields.includes(field));
  if (fields.length === 0 || unknown !== undefined)
    throw badParam(`Param fields[0] must be one of {the fields of ${object}} - got "${unknown ?? ''}".`);
  const callbackUrl = textOf(body, 'callback_url');
  const verifyToken = textOf(body, 'verify_token');
  await requireChallenge(callbackUrl, verifyToken);
  const app = state.apps.get(call.app.id) as App;
  const isSame = app.subscription?.callbackUrl === callbackUrl;
  const known = isSame ? (app.subscription?.fields ?? []) : [];
  const subscription = { callbackUrl, verifyToken, fields: [...new Set([...known, ...fields])] };
  state.record(['app', { ...app, subscription }]);
  respond(call, 200, { success: true });
}

function textOf(body: Record<string, unknown>, name: string): string {
  const value = body[name];
  if (typeof value !== 'string' || value === '') throw badParam(`The parameter ${name} is required.`);
  return value;
}

/** The platform asks the address before it stores it (2200). */
async function requireChallenge(callbackUrl: string, verifyToken: string): Promise<void> {
  if (!URL.canParse(callbackUrl)) throw badParam('callback_url must be a valid URL');
  const problem = await askForChallenge(callbackUrl, verifyToken);
  if (problem !== undefined)
    throw rejection(2200, `Callback verification failed with the following errors: ${problem}`);
}

/** GET, POST and DELETE /{waba-id}/subscribed_apps. A POST without an override removes the one that there was. */
export async function subscribedAppsEdge(platform: Platform, call: Call, waba: Waba): Promise<void> {
  const { state } = platform;
  const store = (change: Pick<Waba, 'isSubscribed' | 'override'>) => {
    state.record(['waba', { ...(state.wabas.get(waba.id) as Waba), ...change }]);
    respond(call, 200, { success: true });
  };
  switch (call.req.method) {
    case 'GET':
      respond(call, 200, { data: waba.isSubscribed === false ? [] : [subscribedApp(call.app, waba)] });
      return;
    case 'DELETE':
      store({ isSubscribed: false, override: null });
      return;
    case 'POST': {
      const body = hasBody(call) ? await readJson(call.req) : {};
      if (body.override_callback_uri === undefined) return store({ isSubscribed: true, override: null });
      return store({ isSubscribed: true, override: await overrideOf(waba, body) });
    }
    default:
      throw unknownObject(call.req.method ?? '', waba.id);
  }
}

const hasBody = ({ req }: Call) =>
  Number(req.headers['content-length'] ?? 0) > 0 || req.headers['transfer-encoding'] !== undefined;

async function overrideOf(waba: Waba, body: Record<string, unknown>) {
  if (waba.isSubscribed === false)
    throw badParam(
      'Before override the current callback uri, your app must be subscribed to receive messages for WhatsApp Business Account',
    );
  const callbackUrl = textOf(body, 'override_callback_uri');
  if (callbackUrl.length > overrideMax) throw badParam('override_callback_uri is too long');
  const verifyToken = textOf(body, 'verify_token');
  await requireChallenge(callbackUrl, verifyToken);
  return { callbackUrl, verifyToken };
}

function subscribedApp({ id }: App, { override }: Waba): unknown {
  return {
    whatsapp_business_api_data: {
      id,
      name: `App ${id}`,
      link: `https://www.facebook.com/games/?app_id=${id}`,
    },
    ...(override ? { override_callback_uri: override.callbackUrl } : {}),
  };
}

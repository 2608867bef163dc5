// Connects a number: inspects its credential, registers it, and subscribes the app to its callbacks.
import { VendorError } from '../../base/errors.ts';
import { redactError } from '../../base/outgoing/secrets.ts';
import type { MessagingPlatform, SenderAccess } from '../../ports/platform.ts';
import type { CredentialFacts, PlatformAdvice, PlatformApp } from '../../ports/platform-number.ts';
import { type MetaClient, string, unexpected } from './client.ts';
import { isObject, type Json, objectsOf, textOf } from './json.ts';
import { numberFields, phoneNumber } from './number.ts';

const timeoutMs = 15_000;
/** The platform makes its handshake with our address before it answers. */
const handshakeTimeoutMs = 30_000;
const registerTimeoutMs = 30_000;

/** Sends, media and the callbacks of messages need the first; everything else the second ("Webhooks", "Permissions"). */
const neededPermissions = ['whatsapp_business_messaging', 'whatsapp_business_management'];

/**
 * The webhook fields that the gateway reads or will need; those without which it misses messages come first. Not `user_id_update`:
 * changes of ids come as system messages of `messages` ("Changelog", 2026-08-11).
 */
const fields = [
  'messages',
  'message_template_status_update',
  'message_template_quality_update',
  'message_template_components_update',
  'template_category_update',
  'template_correct_category_detection',
  'phone_number_quality_update',
  'phone_number_name_update',
  'account_update',
  'account_alerts',
  'account_review_update',
  'business_capability_update',
  'user_preferences',
  'security',
];
const webhookObject = 'whatsapp_business_account';

/** Codes of a call whose app token was not accepted: a wrong secret, or an unknown app (Graph API, "Error handling"). */
const appTokenCodes = new Set<unknown>([1, 101, 190]);

const reconnect = 'DELETE the sender and connect it again with';
const review =
  'Read the reason in the WhatsApp Manager (Account quality) and request a review there. Registering the number does not help.';
const limited =
  'The number has reached its messaging limit. It answers people, and sends templates again as the moving 24 hours go on: wait, or raise the limit (WhatsApp Manager, Messaging limits). Registering the number does not help.';
const sendLess =
  'Look at the quality of the number in the WhatsApp Manager, and send less until the platform shows it as CONNECTED again. Registering the number does not help.';
const moved = 'Look for the number in the WhatsApp Manager, and connect it with its present phoneNumberId.';
const verify = `Verify the number in the WhatsApp Manager with a code by SMS or call, then ${reconnect} a \`pin\`.`;

/** Where an operator finds what the checks ask for. */
export const advice: PlatformAdvice = {
  newCredential:
    'In the Business settings, generate a token for a system user who may use this business account, with the permissions whatsapp_business_messaging and whatsapp_business_management, and PATCH the sender with it.',
  appSecret: 'Copy the app secret from the App Dashboard (App settings, Basic) and PATCH the sender with it.',
  registration:
    'Register the number: in the WhatsApp Manager, or DELETE the sender and connect it again with a `pin`.',
  // the states of a number (Graph API, "WhatsApp Business Account To Number Current Status")
  registrationOf: {
    ...{ BANNED: review, RESTRICTED: limited, FLAGGED: sendLess, RATE_LIMITED: sendLess },
    ...{ MIGRATED: moved, DELETED: moved, UNVERIFIED: verify },
  },
  // Cloud API, "Error codes"
  rejectedRegistration: {
    133005: `${reconnect} the PIN that the number has. If nobody knows it, reset it in the WhatsApp Manager (Two-step verification).`,
    133006: verify,
    133008: `Wait as long as the platform says, then ${reconnect} the PIN that the number has.`,
    133009: `Wait as long as the platform says, then ${reconnect} the PIN that the number has.`,
    133015: `Wait five minutes, then ${reconnect} a \`pin\`.`,
    133016: `Wait 72 hours: the platform locked the registration after ten attempts. Then ${reconnect} the right \`pin\`.`,
  },
  number: 'Look at the number in the WhatsApp Manager.',
};

const isRejection = (error: unknown): error is VendorError =>
  error instanceof VendorError && error.outcome === 'rejected';

/** The result of a call whose JSON has secrets; a rejection repeats none of them. */
async function repeatingNone<T>(secrets: readonly string[], call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw redactError(error, secrets);
  }
}

/** The same sender, with the app's own token, which app-level calls need. */
const asApp = (sender: SenderAccess, { appId, appSecret }: PlatformApp): SenderAccess => ({
  ...sender,
  credential: `${appId}|${appSecret}`,
});

/** A permission counts if it is granted for this business account, or for all (`granular_scopes` without `target_ids`). */
function isGranted(data: Json, permission: string, businessAccountId: string): boolean {
  if (!Array.isArray(data.scopes) || !data.scopes.includes(permission)) return false;
  const granular = objectsOf(data.granular_scopes).find(({ scope }) => scope === permission);
  const targets = granular?.target_ids;
  return !Array.isArray(targets) || targets.some((id) => textOf(id) === businessAccountId);
}

function credentialFacts(data: Json, businessAccountId: string): CredentialFacts {
  const expiresAt = Number(data.expires_at ?? 0);
  return {
    isValid: data.is_valid === true,
    expiresAtMs: Number.isSafeInteger(expiresAt) && expiresAt > 0 ? expiresAt * 1000 : null,
    missingPermissions: neededPermissions.filter((one) => !isGranted(data, one, businessAccountId)),
  };
}

type Onboarding = Pick<
  MessagingPlatform,
  | 'readNumber'
  | 'readAppId'
  | 'inspectCredential'
  | 'registerNumber'
  | 'readSubscription'
  | 'readAppCallback'
  | 'subscribe'
  | 'setAppCallback'
>;

/** The calls that connect a number. */
export function onboardingCalls(client: MetaClient): Onboarding {
  return { ...numberCalls(client), ...subscriptionCalls(client) };
}

type NumberCalls = Pick<Onboarding, 'readNumber' | 'readAppId' | 'inspectCredential' | 'registerNumber'>;

function numberCalls(client: MetaClient): NumberCalls {
  return {
    async readNumber(sender) {
      const response = await client.call(sender, {
        ...{ method: 'GET', path: sender.phoneNumberId, query: { fields: numberFields }, timeoutMs },
      });
      return phoneNumber(string(response.display_phone_number, 'a phone number'), response);
    },

    async readAppId(sender) {
      const { id } = await client.call(sender, { method: 'GET', path: 'app', timeoutMs });
      return string(id, 'the id of the app');
    },

    async inspectCredential(sender, app) {
      const query = { input_token: sender.credential };
      try {
        const { data } = await client.call(asApp(sender, app), {
          ...{ method: 'GET', path: 'debug_token', query, timeoutMs },
        });
        if (!isObject(data)) throw unexpected('the data of the token');
        if (data.app_id !== undefined && textOf(data.app_id) !== app.appId)
          return { problem: 'app_id', message: `the token belongs to the app ${textOf(data.app_id)}` };
        return { problem: null, credential: credentialFacts(data, sender.businessAccountId) };
      } catch (error) {
        if (!isRejection(error)) throw error;
        if (appTokenCodes.has(error.code)) return { problem: 'app_secret', message: error.message };
        if (error.code === 100) return { problem: 'credential', message: error.message };
        throw error;
      }
    },

    async registerNumber(sender, pin) {
      await repeatingNone(
        [pin],
        client.call(sender, {
          method: 'POST',
          path: `${sender.phoneNumberId}/register`,
          json: { messaging_product: 'whatsapp', pin },
          timeoutMs: registerTimeoutMs,
        }),
      );
    },
  };
}

type SubscriptionCalls = Pick<
  Onboarding,
  'readSubscription' | 'readAppCallback' | 'subscribe' | 'setAppCallback'
>;

function subscriptionCalls(client: MetaClient): SubscriptionCalls {
  return {
    async readSubscription(sender, app) {
      const path = `${sender.businessAccountId}/subscribed_apps`;
      const { data } = await client.call(sender, { method: 'GET', path, timeoutMs });
      const entry = objectsOf(data).find(
        ({ whatsapp_business_api_data: of }) => isObject(of) && textOf(of.id) === app.appId,
      );
      return {
        isSubscribed: entry !== undefined,
        overrideUrl: textOf(entry?.override_callback_uri) ?? null,
      };
    },

    async readAppCallback(sender, app) {
      const path = `${app.appId}/subscriptions`;
      const { data } = await client.call(asApp(sender, app), { method: 'GET', path, timeoutMs });
      const active = objectsOf(data).find((one) => one.object === webhookObject && one.active !== false);
      const asked = new Set(objectsOf(active?.fields).map(({ name }) => textOf(name)));
      return {
        url: textOf(active?.callback_url) ?? null,
        missingKinds: fields.filter((field) => !asked.has(field)),
      };
    },

    async subscribe(sender, override) {
      const path = `${sender.businessAccountId}/subscribed_apps`;
      // an override is accepted only once the app is subscribed, and a call without a body removes it
      await client.call(sender, { method: 'POST', path, timeoutMs });
      if (!override) return;
      await repeatingNone(
        [override.verifyToken],
        client.call(sender, {
          method: 'POST',
          path,
          json: { override_callback_uri: override.url, verify_token: override.verifyToken },
          timeoutMs: handshakeTimeoutMs,
        }),
      );
    },

    async setAppCallback(sender, app, { url, verifyToken }) {
      const subscribe = (names: readonly string[]) =>
        repeatingNone(
          [verifyToken],
          client.call(asApp(sender, app), {
            method: 'POST',
            path: `${app.appId}/subscriptions`,
            json: {
              ...{ object: webhookObject, callback_url: url, verify_token: verifyToken },
              fields: names.join(','),
            },
            timeoutMs: handshakeTimeoutMs,
          }),
        );
      try {
        await subscribe(fields);
      } catch (error) {
        // an app may not know every field: the rest is worth having without it
        if (!isRejection(error) || error.code !== 100) throw error;
        await subscribe([fields[0] as string]);
        for (const field of fields.slice(1)) {
          await subscribe([field]).catch((failed: unknown) => {
            if (!isRejection(failed)) throw failed;
          });
        }
      }
    },
  };
}

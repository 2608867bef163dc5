// Where the callbacks of a business account go: to its override, or to the app's own address (pure).
import type { State } from './state.ts';

/** Fields that follow an override; all others go to the app's address, whatever the override says. */
const overridable = new Set([
  'messages',
  'calls',
  'history',
  'smb_message_echoes',
  'smb_app_state_sync',
  'group_lifecycle_update',
  'message_echoes',
  'messaging_handovers',
  'consumer_profile',
  'account_settings_update',
]);

/** The address for a field of a business account; null if no callback is posted: nothing is subscribed to it. */
export function callbackTarget(
  state: Pick<State, 'apps' | 'wabas'>,
  { wabaId, field }: { wabaId: string; field: string },
): string | null {
  const waba = state.wabas.get(wabaId);
  // accounts in journals of earlier versions were always subscribed
  if (!waba || waba.isSubscribed === false) return null;
  if (waba.override && overridable.has(field)) return waba.override.callbackUrl;
  const subscription = state.apps.get(waba.appId)?.subscription;
  if (!subscription || subscription.fields?.includes(field) === false) return null;
  return subscription.callbackUrl;
}

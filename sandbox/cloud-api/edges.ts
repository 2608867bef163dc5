// The objects of the platform's graph and their edges: which handler answers a call, and which permission it needs.
import type { Call, Platform } from './call.ts';
import { mediaNode, postMedia } from './media.ts';
import { postMessage } from './messages.ts';
import type { PhoneNumber, Waba } from './model.ts';
import { appNode, numberNode, phoneNumbersEdge, wabaNode } from './numbers.ts';
import { registrationEdge } from './registration.ts';
import { appSubscriptionsEdge, subscribedAppsEdge } from './subscriptions.ts';
import { unpauseEdge } from './template-changes.ts';
import { templateNode, templatesEdge } from './templates.ts';
import { management, messaging, requirePermission, tokenNode } from './tokens.ts';
import { startUpload } from './uploads.ts';

/** Calls the handler of an object and its edge; false if this app has no such object, or it no such edge. */
export async function answerEdge(
  platform: Platform,
  call: Call,
  node: string,
  edge: string,
): Promise<boolean> {
  if (await appEdge(platform, call, node, edge)) return true;
  // an app's own token is not of a system user, who alone may use business accounts
  if (call.isAppToken) return false;
  const { state } = platform;
  const owned = (wabaId: string | undefined) => {
    const waba = state.wabas.get(wabaId ?? '');
    return waba?.appId === call.app.id ? waba : undefined;
  };
  const number = state.numbers.get(node);
  if (number && owned(number.wabaId)) return numberEdge(platform, call, number, edge);
  const waba = owned(node);
  if (waba) return wabaEdge(platform, call, waba, edge);
  const template = state.templates.get(node);
  if (template && owned(template.wabaId) && (edge === '' || edge === 'unpause')) {
    requirePermission(call, management, template.wabaId);
    if (edge === 'unpause') unpauseEdge(platform, call, template);
    else await templateNode(platform, call, template);
    return true;
  }
  if (edge !== '') return false;
  const media = state.media.get(node);
  const wabaId = media && state.numbers.get(media.phoneNumberId)?.wabaId;
  if (!media || !owned(wabaId)) return false;
  requirePermission(call, messaging, wabaId);
  mediaNode(platform, call, media);
  return true;
}

/** The app itself, and what is read with its token. */
async function appEdge(platform: Platform, call: Call, node: string, edge: string): Promise<boolean> {
  const posts = call.req.method === 'POST';
  const isOwnApp = node === 'app' || node === call.app.id;
  if (edge === 'subscriptions' && isOwnApp) await appSubscriptionsEdge(platform, call);
  else if (edge === 'uploads' && posts && node === call.app.id) {
    requirePermission(call, management);
    startUpload(platform, call);
  } else if (edge === '' && !posts && isOwnApp) appNode(call);
  else if (edge === '' && !posts && node === 'debug_token') tokenNode(platform, call);
  else return false;
  return true;
}

async function numberEdge(
  platform: Platform,
  call: Call,
  number: PhoneNumber,
  edge: string,
): Promise<boolean> {
  const posts = call.req.method === 'POST';
  if (posts && (edge === 'messages' || edge === 'media')) {
    requirePermission(call, messaging, number.wabaId);
    if (edge === 'messages') await postMessage(platform, call, number);
    else await postMedia(platform, call, number);
    return true;
  }
  if (posts && (edge === 'register' || edge === 'deregister')) {
    requirePermission(call, management, number.wabaId);
    await registrationEdge(platform, call, number, edge);
    return true;
  }
  if (edge !== '') return false;
  requirePermission(call, management, number.wabaId);
  numberNode(platform, call, number);
  return true;
}

async function wabaEdge(platform: Platform, call: Call, waba: Waba, edge: string): Promise<boolean> {
  requirePermission(call, management, waba.id);
  if (edge === 'message_templates') await templatesEdge(platform, call, waba);
  else if (edge === 'phone_numbers') phoneNumbersEdge(platform, call, waba);
  else if (edge === 'subscribed_apps') await subscribedAppsEdge(platform, call, waba);
  else if (edge === '') wabaNode(call, waba);
  else return false;
  return true;
}

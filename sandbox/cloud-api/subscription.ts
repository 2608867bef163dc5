// The handshake that the platform makes with a callback address before it posts there, and the control calls that skip the API.
import { randomInt } from 'node:crypto';
import { request } from 'undici';
import { ControlError } from '../server.ts';
import type { Platform } from './call.ts';
import type { App } from './model.ts';
import { appOf } from './seed.ts';

/** Sends the challenge to the address; returns what is wrong, undefined if the response is 200 with the bare challenge. */
export async function askForChallenge(callbackUrl: string, verifyToken: string): Promise<string | undefined> {
  const challenge = String(randomInt(100_000_000, 2_000_000_000));
  const url = new URL(callbackUrl);
  url.searchParams.set('hub.mode', 'subscribe');
  url.searchParams.set('hub.challenge', challenge);
  url.searchParams.set('hub.verify_token', verifyToken);
  try {
    const { statusCode, body } = await request(url, { headersTimeout: 10_000, bodyTimeout: 10_000 });
    const text = await body.text();
    if (statusCode !== 200) return `HTTP Status Code = ${statusCode}`;
    return text === challenge ? undefined : 'The response is not the challenge';
  } catch (error) {
    return `curl_error = ${error instanceof Error ? error.message : String(error)}`;
  }
}

/**
 * Does what a person does in the platform's dashboard: enters the app's callback address, for all fields, and subscribes
 * the app to its business accounts.
 */
export async function subscribe(
  { state }: Platform,
  id: string,
  given: Record<string, unknown>,
): Promise<App> {
  const { callbackUrl, verifyToken } = given;
  if (typeof callbackUrl !== 'string' || !URL.canParse(callbackUrl))
    throw new ControlError(400, 'callbackUrl: a URL is required');
  if (typeof verifyToken !== 'string') throw new ControlError(400, 'verifyToken: text is required');
  appOf(state.apps, id);
  const problem = await askForChallenge(callbackUrl, verifyToken);
  if (problem !== undefined)
    throw new ControlError(400, `The callback URL or verify token couldn't be validated: ${problem}`);
  const subscribed: App = { ...appOf(state.apps, id), subscription: { callbackUrl, verifyToken } };
  state.record(['app', subscribed]);
  for (const waba of state.wabas.values())
    if (waba.appId === id) state.record(['waba', { ...waba, isSubscribed: true }]);
  return subscribed;
}

/** Ends the subscription: callbacks that become due later are not posted. */
export function unsubscribe({ state }: Platform, id: string): App {
  const app: App = { ...appOf(state.apps, id), subscription: null };
  state.record(['app', app]);
  return app;
}

// Subscription of an app's callback address, with the handshake that the platform does first.
import { randomInt } from 'node:crypto';
import { request } from 'undici';
import { ControlError } from '../server.ts';
import type { Platform } from './call.ts';
import type { App } from './model.ts';
import { appOf } from './seed.ts';

/** Sends the challenge to the address, and subscribes it if the response is 200 with the bare challenge; else 400. */
export async function subscribe(
  { state }: Platform,
  id: string,
  given: Record<string, unknown>,
): Promise<App> {
  const { callbackUrl, verifyToken } = given;
  if (typeof callbackUrl !== 'string' || !URL.canParse(callbackUrl))
    throw new ControlError(400, 'callbackUrl: a URL is required');
  if (typeof verifyToken !== 'string') throw new ControlError(400, 'verifyToken: text is required');
  const app = appOf(state.apps, id);
  const challenge = String(randomInt(100_000_000, 2_000_000_000));
  const url = new URL(callbackUrl);
  url.searchParams.set('hub.mode', 'subscribe');
  url.searchParams.set('hub.challenge', challenge);
  url.searchParams.set('hub.verify_token', verifyToken);
  const echoed = await sendChallenge(url);
  if (echoed !== challenge)
    throw new ControlError(
      400,
      `The callback URL or verify token couldn't be validated: ${echoed.slice(0, 200)}`,
    );
  const subscribed: App = { ...app, subscription: { callbackUrl, verifyToken } };
  state.record(['app', subscribed]);
  return subscribed;
}

async function sendChallenge(url: URL): Promise<string> {
  try {
    const response = await request(url, { headersTimeout: 10_000, bodyTimeout: 10_000 });
    const text = await response.body.text();
    return response.statusCode === 200 ? text : `it returned ${response.statusCode}`;
  } catch (error) {
    return `the request failed (${error instanceof Error ? error.message : String(error)})`;
  }
}

/** Ends the subscription: callbacks that become due later are not posted. */
export function unsubscribe({ state }: Platform, id: string): App {
  const app: App = { ...appOf(state.apps, id), subscription: null };
  state.record(['app', app]);
  return app;
}

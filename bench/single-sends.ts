// Single sends, one after another, and the platform's own time for the same call.
// Bare undici, not the client: the platform is called in the same way, and its time is subtracted.
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Account, BenchFixture, Numbers } from './bench-fixture.ts';
import type { OneCall } from './callers.ts';
import { nowMs } from './child.ts';
import { median, type Spread, spread } from './percentiles.ts';

/** A recipient without callbacks, because direct calls to the platform must not reach the gateway. */
const quietRecipient = '+490000000204';

export interface SingleSends {
  /** Sends to one recipient, who must be accepted; returns the milliseconds of the call. */
  send(template: string, variables: Record<string, string>): Promise<number>;
  /** Calls the platform directly with such a message; returns the milliseconds. */
  platform(): Promise<number>;
  /** The same call, for other callers. */
  platformCall: OneCall;
  close(): Promise<void>;
}

let phones = 492_000_000_000;

async function timed(pool: Pool, path: string, headers: Record<string, string>, body: unknown) {
  const text = JSON.stringify(body);
  const began = nowMs();
  const response = await pool.request({
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json', ...headers },
    body: text,
  });
  const reply = (await response.body.json()) as Record<string, never>;
  return { ms: nowMs() - began, status: response.statusCode, reply };
}

/** Opens connections to the gateway and the platform, for an account with a number. */
export async function openSingleSends(
  fixture: Pick<BenchFixture, 'gateway' | 'sandbox' | 'platform'>,
  account: Account,
  numbers: Numbers,
): Promise<SingleSends> {
  const options = { connections: 4, pipelining: 1, keepAliveTimeout: 60_000 };
  const toGateway = new Pool(fixture.gateway.url, options);
  const toPlatform = new Pool(fixture.sandbox.cloudApiUrl, options);
  const { apps, numbers: known, wabas } = await fixture.platform.state();
  const number = known.at(-1);
  const app = apps.find(({ id }) => id === wabas.find((waba) => waba.id === number?.wabaId)?.appId);
  const direct = {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    to: quietRecipient,
    type: 'template',
    template: {
      name: 'order_update',
      language: { code: 'en_US' },
      components: [
        { type: 'body', parameters: ['Ada', 'A-1', 'today'].map((text) => ({ type: 'text', text })) },
      ],
    },
  };
  const platformCall = {
    method: 'POST',
    path: `/v23.0/${number?.id}/messages`,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${app?.tokens[0]}` },
    body: JSON.stringify(direct),
  };
  return {
    platformCall,
    async send(template, variables) {
      const { ms, reply } = await timed(
        toGateway,
        '/v1/templates/send',
        { 'x-api-key': account.apiKey },
        {
          templateId: numbers.templateIds[template],
          senderId: numbers.senderIds[0],
          recipients: [{ phone: String(phones++), name: 'Ada Lovelace', variables }],
        },
      );
      const { success, data } = reply as unknown as { success: boolean; data: { accepted: number } };
      if (!success || data.accepted !== 1)
        throw new Error(`a single send was not accepted: ${JSON.stringify(reply)}`);
      return ms;
    },
    async platform() {
      const { path, headers } = platformCall;
      const { ms, status, reply } = await timed(toPlatform, path, headers, direct);
      if (status !== 200) throw new Error(`a direct call of the platform: ${JSON.stringify(reply)}`);
      return ms;
    },
    async close() {
      await Promise.all([toGateway.close(), toPlatform.close()]);
    },
  };
}

/** Times of single sends, and of the platform's own call right before each. */
export interface SendTimes {
  send: number[];
  platform: number[];
}

const gapMs = 20;

/** Makes single sends with a short pause after each, as long as `mayContinue` allows for the number made. */
export async function sendWhile(
  single: SingleSends,
  mayContinue: (made: number) => boolean,
): Promise<SendTimes> {
  const times: SendTimes = { send: [], platform: [] };
  while (mayContinue(times.send.length)) {
    times.platform.push(await single.platform());
    times.send.push(await single.send('order_update', orderVariables));
    await sleep(gapMs);
  }
  return times;
}

/** The sends over the platform's own median. */
export function overPlatform({ send, platform }: SendTimes): Spread {
  const own = median(platform);
  return spread(send.map((ms) => ms - own));
}

export const orderVariables = { '1': 'Ada', '2': 'A-1001', '3': 'on Friday' };

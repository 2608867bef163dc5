// Callers of the send operation: most repeat each send with its key until they get a response. All responses are recorded.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import type { CallerSend } from './evidence.ts';
import { type DrawnSend, openMix, requestOf } from './mix.ts';
import type { Random } from './random.ts';

export interface CallersInput {
  gateways: string[];
  apiKey: string;
  templateIds: Record<string, string>;
  senderIds: string[];
  /** Number of concurrent callers. */
  callers: number;
  /** Mean pause of a caller between two sends. */
  restMs: number;
  random: Random;
  firstNumber: number;
}

export interface Callers {
  /** Sends so far, with their responses. */
  sends: CallerSend[];
  /** Starts no further send. Resolves when each caller has a response or has given up. */
  stop(): Promise<void>;
  /** Repeats every keyed send without a response. Resolves when all have one, or after `withinMs`. */
  repeatUnanswered(withinMs: number): Promise<void>;
  close(): Promise<void>;
}

const responseTimeoutMs = 30_000;
const disconnectAfterMs = 150;

/** Starts the callers. */
export function startCallers(input: CallersInput): Callers {
  const pools = input.gateways.map(
    (url) => new Pool(url, { connections: 64, headersTimeout: responseTimeoutMs, connectTimeout: 2_000 }),
  );
  const sends: CallerSend[] = [];
  const bodies = new Map<CallerSend, { body: string; drawn: DrawnSend }>();
  const draw = openMix(input.random.fork('mix'), input.firstNumber);
  const random = input.random.fork('callers');
  let stopped = false;

  async function attempt(send: CallerSend, withinMs = responseTimeoutMs): Promise<boolean> {
    const { body, drawn } = bodies.get(send) as { body: string; drawn: DrawnSend };
    try {
      const response = await (random.pick(pools) as Pool).request({
        method: 'POST',
        path: '/v1/templates/send',
        headers: {
          'content-type': 'application/json',
          'x-api-key': input.apiKey,
          ...(send.key === null ? {} : { 'idempotency-key': send.key }),
          ...(drawn.respondAsync ? { prefer: 'respond-async' } : {}),
        },
        body,
        signal: AbortSignal.timeout(withinMs),
      });
      const text = await response.body.text();
      const replayed = response.headers['idempotency-replayed'] === 'true';
      send.responses.push({ status: response.statusCode, text, replayed });
      return response.statusCode === 200 || response.statusCode === 202;
    } catch {
      send.unanswered += 1;
      return false;
    }
  }

  async function one(): Promise<void> {
    const drawn = draw();
    const body = requestOf(drawn, input.templateIds[drawn.template] as string, random.pick(input.senderIds));
    const send: CallerSend = {
      key: drawn.hasKey ? randomUUID() : null,
      phones: drawn.phones,
      responses: [],
      unanswered: 0,
    };
    sends.push(send);
    bodies.set(send, { body, drawn });
    if (send.key === null) return void (await attempt(send));
    let answered = drawn.disconnectsEarly ? await attempt(send, disconnectAfterMs) : false;
    for (let tries = 0; !answered && !stopped && tries < 30; tries += 1) {
      answered = await attempt(send);
      if (!answered) await sleep(random.between(50, 600));
    }
    if (answered && drawn.repeatsAfterSuccess) await attempt(send);
  }

  const line = async () => {
    while (!stopped) {
      await one();
      await sleep(random.between(0, input.restMs * 2));
    }
  };
  const callers = Promise.all(Array.from({ length: input.callers }, line));
  const isUnanswered = ({ key, responses }: CallerSend) =>
    key !== null && !responses.some(({ status }) => status === 200 || status === 202);

  return {
    sends,
    async stop() {
      stopped = true;
      await callers;
    },
    async repeatUnanswered(withinMs) {
      const until = performance.now() + withinMs;
      const waiting = sends.filter(isUnanswered);
      const asker = async () => {
        for (let send = waiting.shift(); send; send = waiting.shift()) {
          if (await attempt(send)) continue;
          if (performance.now() > until) return;
          waiting.push(send);
          await sleep(100);
        }
      };
      await Promise.all(Array.from({ length: 8 }, asker));
    },
    async close() {
      await Promise.all(pools.map((pool) => pool.destroy()));
    },
  };
}

// Callers of the send operation as they should be: each send under a key, repeated until it is answered; what they heard is kept.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Chance } from './chance.ts';
import type { MeantSend } from './evidence.ts';
import { type DrawnSend, openMix, requestOf } from './mix.ts';

export interface CallersInput {
  gateways: string[];
  apiKey: string;
  templateIds: Record<string, string>;
  senderIds: string[];
  /** Callers at once. */
  lines: number;
  /** Rest of a caller between two sends. */
  restMs: number;
  chance: Chance;
  firstNumber: number;
}

export interface Callers {
  /** What was sent and heard so far. */
  sends: MeantSend[];
  /** Begins no further send, and resolves when each caller has given up waiting or was answered. */
  stop(): Promise<void>;
  /** Asks once more for every answer that a key is still owed; resolves when all came, or `withinMs` are over. */
  askAgain(withinMs: number): Promise<void>;
  close(): Promise<void>;
}

const answerWithinMs = 30_000;
const impatientMs = 150;

/** Starts the callers. */
export function startCallers(input: CallersInput): Callers {
  const pools = input.gateways.map(
    (url) => new Pool(url, { connections: 64, headersTimeout: answerWithinMs, connectTimeout: 2_000 }),
  );
  const sends: MeantSend[] = [];
  const bodies = new Map<MeantSend, { body: string; drawn: DrawnSend }>();
  const draw = openMix(input.chance.part('mix'), input.firstNumber);
  const chance = input.chance.part('callers');
  let stopped = false;

  async function ask(send: MeantSend, withinMs = answerWithinMs): Promise<boolean> {
    const { body, drawn } = bodies.get(send) as { body: string; drawn: DrawnSend };
    try {
      const answer = await (chance.pick(pools) as Pool).request({
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
      const text = await answer.body.text();
      const replayed = answer.headers['idempotency-replayed'] === 'true';
      send.heard.push({ status: answer.statusCode, text, replayed });
      return answer.statusCode === 200 || answer.statusCode === 202;
    } catch {
      send.unheard += 1;
      return false;
    }
  }

  async function one(): Promise<void> {
    const drawn = draw();
    const body = requestOf(drawn, input.templateIds[drawn.template] as string, chance.pick(input.senderIds));
    const send: MeantSend = {
      key: drawn.hasKey ? randomUUID() : null,
      phones: drawn.phones,
      heard: [],
      unheard: 0,
    };
    sends.push(send);
    bodies.set(send, { body, drawn });
    if (send.key === null) return void (await ask(send));
    let answered = drawn.isImpatient ? await ask(send, impatientMs) : false;
    for (let tries = 0; !answered && !stopped && tries < 30; tries += 1) {
      answered = await ask(send);
      if (!answered) await sleep(chance.between(50, 600));
    }
    if (answered && drawn.asksAgain) await ask(send);
  }

  const line = async () => {
    while (!stopped) {
      await one();
      await sleep(chance.between(0, input.restMs * 2));
    }
  };
  const lines = Promise.all(Array.from({ length: input.lines }, line));
  const isOwed = ({ key, heard }: MeantSend) =>
    key !== null && !heard.some(({ status }) => status === 200 || status === 202);

  return {
    sends,
    async stop() {
      stopped = true;
      await lines;
    },
    async askAgain(withinMs) {
      const until = performance.now() + withinMs;
      const waiting = sends.filter(isOwed);
      const asker = async () => {
        for (let send = waiting.shift(); send; send = waiting.shift()) {
          if (await ask(send)) continue;
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

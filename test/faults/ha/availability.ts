// Asks each gateway five times a second whether it takes a send, and once a second whether it calls itself ready.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CampaignFixture } from '../campaign-fixture.ts';

interface Probe {
  gateway: number;
  fromMs: number;
  toMs: number;
  /** `202`, `503 database_unavailable`, `no response` and so on. */
  result: string;
}

/** What one gateway said since a moment. */
export interface Availability {
  gateway: number;
  /** From the moment to the last send that failed or was slow; 0: none was. */
  wholeAfterMs: number;
  /** When such sends began, if they failed, or ended, if they were slow: unix milliseconds. */
  problemsMs: number[];
  sends: Record<string, { count: number; longestMs: number }>;
  readiness: Record<string, { count: number; longestMs: number }>;
}

export interface AvailabilityProbe {
  stop(): Promise<void>;
  since(ms: number): Availability[];
}

const everyMs = 200;
/** Readiness is asked every fifth time. */
const readinessEvery = 5;
/** A send that takes longer is slow, unless the slowest before took half as long: then the machine is. */
const slowMs = 5_000;
const patienceMs = 60_000;

/** Starts the probes. No two rounds of a campaign share a first number. */
export function startAvailabilityProbe(
  { gateways: { urls }, apiKey, templateIds, senderIds }: CampaignFixture,
  firstNumber: number,
): AvailabilityProbe {
  const sends: Probe[] = [];
  const readiness: Probe[] = [];
  const pending = new Set<Promise<void>>();
  let number = firstNumber;
  let isStopped = false;

  function begin(list: Probe[], gateway: number, ask: () => Promise<string>): void {
    const fromMs = Date.now();
    const failed = (error: Error) => (error.name === 'TimeoutError' ? 'no response' : 'connection lost');
    const probe = ask()
      .catch(failed)
      .then((result) => void list.push({ gateway, fromMs, toMs: Date.now(), result }))
      .finally(() => pending.delete(probe));
    pending.add(probe);
  }

  const send = (url: string) => async () => {
    number += 1;
    const recipient = { phone: `1444${10_000_000 + number}`, variables: { 1: 'Ada', 2: 'A-1', 3: 'today' } };
    const response = await fetch(`${url}/v1/templates/send`, {
      method: 'POST',
      headers: {
        ...{ 'x-api-key': apiKey, 'content-type': 'application/json' },
        ...{ 'idempotency-key': randomUUID(), prefer: 'respond-async' },
      },
      body: JSON.stringify({
        ...{ templateId: templateIds.order_update, senderId: senderIds[0], recipients: [recipient] },
      }),
      signal: AbortSignal.timeout(patienceMs),
    });
    const { code } = (await response.json()) as { code?: string };
    return code === undefined ? String(response.status) : `${response.status} ${code}`;
  };
  const readinessOf = (url: string) => async () => {
    const response = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(patienceMs) });
    await response.body?.cancel();
    return String(response.status);
  };
  const loop = (async () => {
    for (let turn = 0; !isStopped; turn += 1) {
      for (const [gateway, url] of urls.entries()) {
        begin(sends, gateway, send(url));
        if (turn % readinessEvery === 0) begin(readiness, gateway, readinessOf(url));
      }
      await sleep(everyMs);
    }
  })();

  return {
    async stop() {
      isStopped = true;
      await loop;
      await Promise.all(pending);
    },
    since(ms) {
      const before = sends.filter(({ result, toMs }) => toMs < ms && result.startsWith('2'));
      const longestBeforeMs = Math.max(0, ...before.map(({ fromMs, toMs }) => toMs - fromMs));
      const isSlow = (tookMs: number) => tookMs > Math.max(slowMs, 2 * longestBeforeMs);
      return urls.map((_, gateway) => {
        const own = (list: Probe[]) => list.filter((probe) => probe.gateway === gateway && probe.toMs >= ms);
        const ends = own(sends).flatMap(({ result, fromMs, toMs }) => {
          if (!result.startsWith('2')) return [fromMs];
          // it was taken when the wait ended
          return isSlow(toMs - fromMs) ? [toMs] : [];
        });
        const wholeAfterMs = Math.max(0, ...ends.map((end) => end - ms));
        return {
          gateway,
          wholeAfterMs,
          problemsMs: ends,
          sends: countByResult(own(sends)),
          readiness: countByResult(own(readiness)),
        };
      });
    },
  };
}

function countByResult(probes: Probe[]): Availability['sends'] {
  const counts: Availability['sends'] = {};
  for (const { result, fromMs, toMs } of probes) {
    const { count, longestMs } = counts[result] ?? { count: 0, longestMs: 0 };
    counts[result] = { count: count + 1, longestMs: Math.max(longestMs, toMs - fromMs) };
  }
  return counts;
}

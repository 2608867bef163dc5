// Deliveries done by a thread of their own: signing, TLS and waiting for receivers take nothing from whoever answers requests.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type Logger, symbols } from 'pino';
import type { Deliveries } from '../queue.ts';
import type { Answer, Attempts, Heard, Question, Questions, ThreadSettings, Told } from './messages.ts';

export interface DeliveryThreadDeps {
  log: Logger;
  /** Told of tries, by their outcome. */
  onAttempts: (attempts: Attempts) => void;
}

/** Its young generation, in MB: what it handles is soon gone, and rarely moved. */
const youngMb = 96;

/**
 * Starts the thread and resolves when it takes deliveries. A thread that dies takes the process with it: its leases
 * lapse, as after any crash.
 */
export async function openDeliveryThread(
  settings: ThreadSettings,
  deps: DeliveryThreadDeps,
): Promise<Deliveries> {
  const thread = new Worker(new URL('./main.ts', import.meta.url), {
    name: 'deliveries',
    workerData: settings,
    resourceLimits: { maxYoungGenerationSizeMb: youngMb },
  });
  const asked = new Map<number, { resolve: (answer: never) => void; reject: (error: unknown) => void }>();
  let number = 0;
  let busy: string[] = [];
  let roomListener = () => {};
  let stopping = false;

  const tell = (told: Told) => thread.postMessage(told);

  function ask<Name extends keyof Questions>(
    question: Name,
    what: Questions[Name]['asked'],
  ): Promise<Questions[Name]['answer']> {
    return new Promise((resolve, reject) => {
      number += 1;
      asked.set(number, { resolve, reject });
      tell({ number, question, asked: what } as Question);
    });
  }

  function settle(said: Answer): void {
    const asker = asked.get(said.number);
    asked.delete(said.number);
    if ('error' in said) asker?.reject(Object.assign(new Error(), said.error));
    else asker?.resolve(said.answer as never);
  }

  // the thread's lines are finished: they go where this process's lines go
  const lines = (deps.log as unknown as Record<symbol, { write(line: string): void }>)[symbols.streamSym];

  function take(heard: Exclude<Heard, { ready: true }>): void {
    if ('log' in heard) lines?.write(heard.log);
    else if ('busy' in heard) busy = heard.busy;
    else if ('attempts' in heard) deps.onAttempts(heard.attempts);
    else if ('room' in heard) roomListener();
    else settle(heard);
  }

  await new Promise<void>((resolve, reject) => {
    thread.once('error', reject);
    thread.on('message', (heard: Heard) => {
      if ('ready' in heard) resolve();
      else take(heard);
    });
  });
  // its end follows its fault
  let problem: unknown;
  thread.on('error', (error) => {
    problem = error;
  });
  thread.on('exit', (code) => {
    if (!stopping) throw problem ?? new Error(`the thread that delivers webhooks ended (${code})`);
  });

  return {
    processId: settings.processId,
    offer: (leasedDeliveries) => {
      if (leasedDeliveries.length > 0) tell({ offer: leasedDeliveries });
    },
    busyEndpoints: () => busy,
    claimDue: async () => (stopping ? 0 : ask('claim', undefined)),
    drop: (endpointId) => tell({ drop: endpointId }),
    onCapacity(listener) {
      roomListener = listener;
    },
    attemptOnce: async (endpointId, version, id, body) =>
      stopping ? undefined : ask('try', { endpointId, version, id, body }),
    async stop() {
      stopping = true;
      const ended = once(thread, 'exit');
      await Promise.race([ask('stop', undefined), ended]);
      await ended;
      for (const { reject } of asked.values())
        reject(new Error('the thread that delivers webhooks has stopped'));
    },
  };
}

// The main thread's side of the delivery thread: signing, TLS and slow receivers take no time from requests.
import { Worker } from 'node:worker_threads';
import { type Logger, symbols } from 'pino';
import { gaugeOf, lagMemory } from '../../../base/loop-lag.ts';
import type { Metrics } from '../../../base/metrics.ts';
import type { Changes } from '../../../changes/changes.ts';
import type { Tracing } from '../../../ports/tracing.ts';
import type { Deliveries } from '../deliveries.ts';
import {
  type AttemptResult,
  type DeliveryToAttempt,
  type LeasedDelivery,
  tracedSubjectOf,
} from '../delivery.ts';
import type {
  MessageFromThread,
  MessageToThread,
  ThreadCall,
  ThreadCalls,
  ThreadReply,
  ThreadReport,
  ThreadSettings,
} from './messages.ts';

export interface DeliveryThreadDeps {
  log: Logger;
  metrics: Pick<
    Metrics,
    'deliveries' | 'callbackToWebhook' | 'poolWaits' | 'batchItems' | 'callsOf' | 'process'
  >;
  /** Where spans are recorded, if calls are traced. */
  tracing?: Tracing | undefined;
  /** Receives the endpoints that were called. */
  changes: Pick<Changes, 'noteDeliveries'>;
}

/** The size of the thread's young generation: its objects live briefly, so few are ever moved. */
const youngGenerationMb = 96;

export interface DeliveryThread extends Deliveries {
  /** Resolves when the thread accepts deliveries; rejects if it fails before. Calls wait for that. */
  ready: Promise<void>;
}

/**
 * Starts the thread, which loads its modules while the caller continues. If the ready thread dies, the process exits with the
 * thread's error; its leases are released as after any crash.
 */
export function openDeliveryThread(
  settings: Omit<ThreadSettings, 'lag'>,
  deps: DeliveryThreadDeps,
): DeliveryThread {
  const lag = lagMemory(4);
  const thread = new Worker(new URL('./main.ts', import.meta.url), {
    name: 'deliveries',
    workerData: { ...settings, lag } satisfies ThreadSettings,
    resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMb },
  });
  deps.metrics.process.watchThread('deliveries', lag);
  deps.metrics.process.watchPool('deliveries', () => {
    const [max = 0, used = 0, idle = 0, waiting = 0] = [0, 1, 2, 3].map((index) => gaugeOf(lag, index));
    return { max, used, idle, waiting };
  });
  return new ThreadDeliveries(thread, settings.processId, deps);
}

class ThreadDeliveries implements DeliveryThread {
  readonly processId: number;
  readonly ready: Promise<void>;
  readonly #thread: Worker;
  readonly #deps: DeliveryThreadDeps;
  readonly #exited: Promise<void>;
  readonly #pending = new Map<
    number,
    { resolve: (result: never) => void; reject: (error: unknown) => void }
  >();
  #lastNumber = 0;
  #busy: string[] = [];
  #queued = 0;
  readonly #observeCall: ReturnType<Metrics['callsOf']>;
  #capacityListener = () => {};
  #stopping = false;

  constructor(thread: Worker, processId: number, deps: DeliveryThreadDeps) {
    this.#thread = thread;
    this.processId = processId;
    this.#deps = deps;
    this.#observeCall = deps.metrics.callsOf('receiver');
    this.#exited = new Promise((resolve) => thread.once('exit', () => resolve()));
    this.ready = this.#becomeReady();
    // the error goes to callers that await it, even later
    this.ready.catch(() => {});
  }

  /** Resolves when the thread is ready; rejects if it fails before. After that, the end of the thread ends the process. */
  async #becomeReady(): Promise<void> {
    const thread = this.#thread;
    await new Promise<void>((resolve, reject) => {
      thread.once('error', reject);
      thread.on('message', (message: MessageFromThread) => {
        if ('ready' in message) resolve();
        else this.#receive(message);
      });
    });
    // 'error' comes before 'exit'
    let failure: unknown;
    thread.on('error', (error) => {
      failure = error;
    });
    thread.on('exit', (code) => {
      if (!this.#stopping)
        throw failure ?? new Error(`The webhook delivery thread exited with code ${code}.`);
    });
  }

  offer(deliveries: LeasedDelivery[]): void {
    if (deliveries.length > 0) this.#send({ offer: deliveries });
    if (this.#deps.tracing) traceEvents(this.#deps.tracing, deliveries);
  }

  get queued(): number {
    return this.#queued;
  }

  busyEndpoints(): string[] {
    return this.#busy;
  }

  async claimDue(): Promise<number> {
    return this.#stopping ? 0 : this.#call('claim', undefined);
  }

  drop(endpointId: string): void {
    this.#send({ drop: endpointId });
  }

  onCapacity(listener: () => void): void {
    this.#capacityListener = listener;
  }

  async attemptOnce(delivery: DeliveryToAttempt): Promise<AttemptResult | undefined> {
    return this.#stopping ? undefined : this.#call('attempt', delivery);
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.race([this.#call('stop', undefined), this.#exited]);
    await this.#exited;
    for (const { reject } of this.#pending.values())
      reject(new Error('The webhook delivery thread has stopped.'));
  }

  #send(message: MessageToThread): void {
    this.#thread.postMessage(message);
  }

  #call<Name extends keyof ThreadCalls>(
    call: Name,
    input: ThreadCalls[Name]['input'],
  ): Promise<ThreadCalls[Name]['result']> {
    return new Promise((resolve, reject) => {
      this.#lastNumber += 1;
      this.#pending.set(this.#lastNumber, { resolve, reject });
      this.#send({ number: this.#lastNumber, call, input } as ThreadCall);
    });
  }

  #receive(message: Exclude<MessageFromThread, { ready: true }>): void {
    if ('log' in message) writeLine(this.#deps.log, message.log);
    else if ('busy' in message) this.#busy = message.busy;
    else if ('report' in message) this.#observe(message.report);
    else if ('capacity' in message) this.#capacityListener();
    else this.#settle(message);
  }

  #observe({
    attempts,
    callMs,
    spans,
    callbackToWebhookMs,
    poolWaitMs,
    recorded,
    endpointIds,
    queued,
  }: ThreadReport): void {
    const { metrics } = this.#deps;
    for (const [outcome, times] of Object.entries(attempts)) metrics.deliveries.inc({ outcome }, times);
    for (const span of spans) this.#deps.tracing?.record(span);
    for (const [outcome, times] of Object.entries(callMs))
      for (const ms of times) this.#observeCall(outcome, ms);
    for (const ms of callbackToWebhookMs) metrics.callbackToWebhook.observe(ms / 1000);
    for (const ms of poolWaitMs) metrics.poolWaits.observe({ pool: 'deliveries' }, ms / 1000);
    for (const groups of recorded) metrics.batchItems.observe({ batch: 'delivered' }, groups);
    this.#queued = queued;
    this.#deps.changes.noteDeliveries(endpointIds);
  }

  #settle(reply: ThreadReply): void {
    const caller = this.#pending.get(reply.number);
    this.#pending.delete(reply.number);
    if ('error' in reply) caller?.reject(Object.assign(new Error(), reply.error));
    else caller?.resolve(reply.result as never);
  }
}

/** The events of which these are the deliveries, in the traces of their messages and bookings. */
function traceEvents(tracing: Tracing, deliveries: readonly LeasedDelivery[]): void {
  const now = Date.now();
  for (const first of deliveries)
    for (const delivery of [first, ...(first.laterStages ?? [])])
      tracing.record({
        ...{
          subjectId: tracedSubjectOf(delivery),
          name: 'event',
          kind: 'producer',
          startMs: now,
          endMs: now,
        },
        attributes: { 'gateway.delivery': delivery.id, 'gateway.endpoint': delivery.endpointId },
      });
}

/** Writes a line that the thread's logger has formatted to this process's log. */
function writeLine(log: Logger, line: string): void {
  (log as unknown as Record<symbol, { write(line: string): void }>)[symbols.streamSym]?.write(line);
}

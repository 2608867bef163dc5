// The delivery thread: opens its own connections, handles the main thread's messages, and reports back.

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { openCipher } from '../../../base/cipher.ts';
import { systemClock } from '../../../base/clock.ts';
import { flushLog, openLog } from '../../../base/log.ts';
import { measureLag } from '../../../base/loop-lag.ts';
import { openOutgoing } from '../../../base/outgoing/outgoing.ts';
import { traceparentOf } from '../../../base/trace-ids.ts';
import { gatewayConnections } from '../../../db/connections.ts';
import { openDb, poolUsage } from '../../../db/db.ts';
import { openDeliveries } from '../deliveries.ts';
import { type AttemptResult, type LeasedDelivery, outcomeOfAttempt, tracedSubjectOf } from '../delivery.ts';
import type {
  MessageFromThread,
  MessageToThread,
  ThreadCall,
  ThreadReport,
  ThreadSettings,
} from './messages.ts';

/** The interval of reports about attempts and busy endpoints. */
const reportEveryMs = 200;

const port = parentPort as MessagePort;
const settings = workerData as ThreadSettings;
const send = (message: MessageFromThread) => port.postMessage(message);

const nothing = (): Omit<ThreadReport, 'queued' | 'endpointIds'> => ({
  attempts: {},
  callMs: {},
  spans: [],
  callbackToWebhookMs: [],
  poolWaitMs: [],
  recorded: [],
});
let measured = nothing();

const log = openLog(settings.logLevel, { write: (line) => send({ log: line }) });
const hot = openDb(settings.connection, {
  maxConnections: settings.maxConnections,
  applicationName: gatewayConnections,
  hot: true,
  onWait: (ms) => {
    measured.poolWaitMs.push(ms);
  },
});
const webhookOutgoing = openOutgoing(settings.outgoing);

measureLag(settings.lag, () => {
  const { max = 0, used = 0, idle = 0, waiting = 0 } = poolUsage(hot) ?? {};
  return [max, used, idle, waiting];
});

/** The span of a call, recorded by the main thread. */
function traceCall(delivery: LeasedDelivery) {
  const { id, endpointId } = delivery;
  const subjectId = tracedSubjectOf(delivery);
  const spanId = randomBytes(8).toString('hex');
  const startMs = Date.now();
  return {
    traceparent: traceparentOf(subjectId, spanId),
    ended(result: AttemptResult | undefined) {
      const outcome = result ? outcomeOfAttempt(result) : 'aborted';
      measured.spans.push({
        ...{ subjectId, spanId, name: 'webhook', kind: 'client', startMs, endMs: Date.now() },
        attributes: { 'gateway.delivery': id, 'gateway.endpoint': endpointId, outcome },
        error: outcome === 'ok' ? undefined : outcome,
      });
      reportSoon();
    },
  };
}

let attempted = new Set<string>();

const deliveries = openDeliveries(
  {
    hot,
    processId: settings.processId,
    log,
    clock: systemClock,
    cipher: openCipher(settings.keyRing),
    webhookOutgoing,
    webhookTimeoutMs: settings.webhookTimeoutMs,
  },
  {
    onAttempt(result, endpointId) {
      attempted.add(endpointId);
      const name = result.delivered ? 'delivered' : result.reason;
      measured.attempts[name] = (measured.attempts[name] ?? 0) + 1;
      const outcome = outcomeOfAttempt(result);
      measured.callMs[outcome] ??= [];
      measured.callMs[outcome].push(result.durationMs);
      reportSoon();
    },
    ...(settings.isTraced ? { onCall: traceCall } : {}),
    onDelivered: (ms) => {
      measured.callbackToWebhookMs.push(ms);
    },
    onRecord: (groups) => {
      measured.recorded.push(groups);
    },
  },
);
deliveries.onCapacity(() => send({ capacity: true }));

let reportTimer: NodeJS.Timeout | undefined;
let busyAsReported = '';

function report(): void {
  clearTimeout(reportTimer);
  reportTimer = undefined;
  send({ report: { ...measured, endpointIds: [...attempted], queued: deliveries.queued } });
  measured = nothing();
  attempted = new Set();
  reportBusy();
}

function reportSoon(): void {
  reportTimer ??= setTimeout(report, reportEveryMs);
}

function reportBusy(): void {
  const busy = deliveries.busyEndpoints();
  const joined = busy.join();
  if (joined !== busyAsReported) send({ busy });
  busyAsReported = joined;
}

async function stop(): Promise<void> {
  const stopped = deliveries.stop();
  await Promise.race([stopped, sleep(settings.graceMs, undefined, { ref: false })]);
  await webhookOutgoing.close();
  await stopped;
  await hot.destroy();
  flushLog(log);
  report();
}

function resultOf(call: ThreadCall): Promise<unknown> {
  switch (call.call) {
    case 'claim':
      return deliveries.claimDue();
    case 'attempt':
      return deliveries.attemptOnce(call.input);
    case 'stop':
      return stop();
  }
}

port.on('message', (message: MessageToThread) => {
  if ('offer' in message) {
    deliveries.offer(message.offer);
    reportBusy();
  } else if ('drop' in message) deliveries.drop(message.drop);
  else {
    const { number, call } = message;
    resultOf(message).then(
      (result) => {
        send({ number, result });
        if (call === 'stop') port.close();
      },
      (error) =>
        send({
          number,
          error: { message: error.message, code: error.code, syscall: error.syscall, stack: error.stack },
        }),
    );
  }
});
send({ ready: true });
// frees what loading left behind; exists with --expose-gc, which `npm start` sets
globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });

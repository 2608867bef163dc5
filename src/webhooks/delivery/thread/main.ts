// The thread that delivers webhooks: opens what deliveries rest on, does what it is told, and says what came of it.
import { setTimeout as sleep } from 'node:timers/promises';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { openCipher } from '../../../base/cipher.ts';
import { systemClock } from '../../../base/clock.ts';
import { flushLog, openLog } from '../../../base/log.ts';
import { openOutgoing } from '../../../base/outgoing.ts';
import { openDb } from '../../../db/db.ts';
import { gatewayConnections } from '../../../db/gateways.ts';
import { openDeliveries } from '../queue.ts';
import type { Attempts, Heard, Question, ThreadSettings, Told } from './messages.ts';

/** One claims, one records, and one each for what fails, is given back and is looked up. */
const connectionsMax = 5;
/** How old a count of tries, or what is known of busy endpoints, may get. */
const toldEveryMs = 200;

const port = parentPort as MessagePort;
const settings = workerData as ThreadSettings;
const say = (heard: Heard) => port.postMessage(heard);

const log = openLog(settings.logLevel, { write: (line) => say({ log: line }) });
const hot = openDb(settings.connection, {
  maxConnections: connectionsMax,
  applicationName: gatewayConnections,
  hot: true,
});
const webhookOutgoing = openOutgoing(settings.outgoing);

let attempts: Attempts = {};
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
    onAttempt(outcome) {
      const name = outcome.delivered ? 'delivered' : outcome.reason;
      attempts[name] = (attempts[name] ?? 0) + 1;
      tellSoon();
    },
  },
);
deliveries.onCapacity(() => say({ room: true }));

let telling: NodeJS.Timeout | undefined;
let busyAsTold = '';

function tell(): void {
  clearTimeout(telling);
  telling = undefined;
  say({ attempts });
  attempts = {};
  tellBusy();
}

function tellSoon(): void {
  telling ??= setTimeout(tell, toldEveryMs);
}

function tellBusy(): void {
  const busy = deliveries.busyEndpoints();
  const known = busy.join();
  if (known !== busyAsTold) say({ busy });
  busyAsTold = known;
}

async function stop(): Promise<void> {
  const quiet = deliveries.stop();
  await Promise.race([quiet, sleep(settings.graceMs, undefined, { ref: false })]);
  await webhookOutgoing.close();
  await quiet;
  await hot.destroy();
  flushLog(log);
  tell();
}

function answerOf(question: Question): Promise<unknown> {
  switch (question.question) {
    case 'claim':
      return deliveries.claimDue();
    case 'try': {
      const { endpointId, version, id, body } = question.asked;
      return deliveries.attemptOnce(endpointId, version, id, body);
    }
    case 'stop':
      return stop();
  }
}

port.on('message', (told: Told) => {
  if ('offer' in told) {
    deliveries.offer(told.offer);
    tellBusy();
  } else if ('drop' in told) deliveries.drop(told.drop);
  else {
    const { number } = told;
    answerOf(told).then(
      (answer) => {
        say({ number, answer });
        if (told.question === 'stop') port.close();
      },
      ({ message, code, syscall, stack }) => say({ number, error: { message, code, syscall, stack } }),
    );
  }
});
say({ ready: true });
// what loading left behind; there with --expose-gc, as `npm start` has it
globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });

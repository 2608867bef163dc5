// The check of sends that operators change, and of opt-outs: every recipient has one message, and none was called while it must not be. Pure.
import type { SendCall } from '../../sandbox/cloud-api/calls.ts';
import type { Evidence, OperatedSend } from './evidence.ts';
import type { Report } from './guarantees.ts';

/**
 * Calls end within one second of the response (docs/campaigns.md). The simulated platform logs a call up to 400 ms later
 * (faults.ts), and the machine is busy.
 */
export const callsEndWithinMs = 2_500;

/** Compares operated sends and opt-outs with the rows and the platform's calls. */
export function checkOperated(evidence: Evidence, report: Report, figures: Record<string, number>): void {
  const { operated, optOuts, messages, calls } = evidence;
  figures['operated sends'] = operated.length;
  figures.stops = operated.reduce((sum, { stops }) => sum + stops.length, 0);
  figures['opt-outs'] = optOuts.length;
  figures['not sent after an opt-out'] = messages.filter(({ errorCode }) => errorCode === 900005).length;
  const phones = new Set(messages.map(({ phone }) => phone));
  const callsTo = Map.groupBy(calls, ({ phone }) => phone ?? '');
  for (const send of operated) {
    const { sendId = 'a send without an id' } = send;
    if (send.isStarted)
      for (const phone of send.phones)
        if (!phones.has(phone)) report('lost', sendId, `its recipient ${phone} has no row`);
    for (const call of send.stops.length > 0 ? send.phones.flatMap((phone) => callsTo.get(phone) ?? []) : [])
      if (isStoppedAt(send, call)) report('called_while_stopped', sendId, `${call.phone} at ${timeOf(call)}`);
  }
  for (const { phone, answeredAtMs } of optOuts)
    for (const call of callsTo.get(phone) ?? [])
      if (answeredAtMs !== null && call.at > answeredAtMs + callsEndWithinMs)
        report('called_after_opt_out', phone, `at ${timeOf(call)}`);
}

const timeOf = ({ at }: SendCall) => new Date(at).toISOString();

const isStoppedAt = ({ stops }: OperatedSend, { at }: SendCall): boolean =>
  stops.some(({ fromMs, toMs }) => at > fromMs + callsEndWithinMs && at < (toMs ?? Number.POSITIVE_INFINITY));

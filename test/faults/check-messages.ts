// The check of messages: compares the platform's records with the rows, and both with the responses to callers. Pure.
import type { SendCall } from '../../sandbox/cloud-api/calls.ts';
import type {
  AcceptedMessage,
  CallerResponse,
  CallerSend,
  Evidence,
  MessageRow,
  Outage,
} from './evidence.ts';
import type { Report } from './guarantees.ts';

const outcomeUnknown = 900001;
const expired = 900002;
const cancelled = 900003;
const optedOut = 900005;

/** The state that the reports amount to: `delivered` and `read` outrank `failed`, which outranks `sent`. */
export function stateBy(reported: readonly string[]): string {
  for (const state of ['read', 'delivered', 'failed', 'sent']) if (reported.includes(state)) return state;
  return 'accepted';
}

/** Compares every row with the platform's records, and counts the messages by state in `figures`. */
export function checkMessages(evidence: Evidence, report: Report, figures: Record<string, number>): void {
  const acceptedOf = Map.groupBy(evidence.accepted, ({ opaque }) => opaque ?? '');
  const callsOf = Map.groupBy(evidence.calls, ({ opaque }) => opaque ?? '');
  const known = new Set(evidence.messages.map(({ id }) => id));
  const cancelledSends = new Set(
    evidence.operated.filter(({ isCancelled }) => isCancelled).map(({ sendId }) => sendId),
  );
  const outPhones = new Set(evidence.optOuts.map(({ phone }) => phone));
  /** Failed by the gateway, because somebody asked for it. */
  const wasAskedFor = ({ errorCode, sendId, phone }: MessageRow) =>
    (errorCode === cancelled && cancelledSends.has(sendId ?? undefined)) ||
    (errorCode === optedOut && outPhones.has(phone));
  const count = (name: string) => {
    figures[name] = (figures[name] ?? 0) + 1;
  };
  for (const [opaque, entries] of acceptedOf) {
    if (entries.length > 1) report('duplicated', opaque, `the platform accepted it ${entries.length} times`);
    if (!known.has(opaque)) report('lost', opaque, 'the platform accepted it, but it has no row');
  }
  checkDuplicateNumbers(evidence.accepted, 'the platform accepted several messages to it', report);
  checkDuplicateNumbers(evidence.messages, 'several rows have it', report);
  for (const row of evidence.messages) {
    count(row.state);
    const [accepted] = acceptedOf.get(row.id) ?? [];
    const calls = callsOf.get(row.id) ?? [];
    if (row.errorCode === outcomeUnknown) {
      count('outcome_unknown');
      if (!isUnknown(row, accepted, calls, evidence.outages))
        report(
          'unknown_without_cause',
          row.id,
          `it was called ${calls.length} times: ${describeCalls(calls)}`,
        );
    } else if (accepted) checkAccepted(row, accepted, report);
    else if (!wasAskedFor(row)) checkNotAccepted(row, calls, report);
  }
}

/** Each number belongs to one send, so a duplicate send shows by its numbers, whatever its ids. */
function checkDuplicateNumbers(entries: readonly { phone: string }[], text: string, report: Report): void {
  for (const [phone, all] of Map.groupBy(entries, (entry) => entry.phone))
    if (all.length > 1) report('duplicated', phone, text);
}

const describeCalls = (calls: SendCall[]) =>
  calls.map(({ outcome, response }) => `${outcome}, response ${response}`).join('; ') || 'never';

/** Longest time between a response and its record on disk. */
const recordingMs = 5_000;

/** True if the outcome cannot be known: the call got no response, or a fault prevented its record. */
function isUnknown(
  row: MessageRow,
  accepted: AcceptedMessage | undefined,
  calls: SendCall[],
  outages: Outage[],
): boolean {
  // any report of the platform makes the outcome known
  if (accepted && accepted.reported.length > 0) return false;
  const last = calls.at(-1);
  // a gateway that was not killed knows that it made no call, even if its database was down
  if (!last) return outages.some(({ kind, toMs }) => kind === 'kill' && toMs >= row.createdAtMs);
  if (!/^\d+$/.test(last.response)) return true;
  return outages.some(({ fromMs, toMs }) => toMs >= last.at - recordingMs && fromMs <= last.at + recordingMs);
}

function checkAccepted(row: MessageRow, accepted: AcceptedMessage, report: Report): void {
  const should = stateBy(accepted.reported);
  if (row.state !== should) {
    const gone = ['queued', 'dispatching', 'accepted'].includes(row.state) || (row.errorCode ?? 0) > 900000;
    report(
      gone ? 'lost' : 'wrong_state',
      row.id,
      `the platform reported ${accepted.reported.join(', ') || 'nothing yet'}; the row says ${row.state} ${row.errorCode ?? ''}`,
    );
  }
  if (row.wamid !== accepted.wamid)
    report('wrong_state', row.id, `the platform's id is ${accepted.wamid}, the row's ${row.wamid}`);
}

function checkNotAccepted(row: MessageRow, calls: SendCall[], report: Report): void {
  if (row.state !== 'failed') {
    const isOpen = row.state === 'queued' || row.state === 'dispatching';
    report(
      isOpen ? 'lost' : 'wrong_state',
      row.id,
      `the platform never accepted it; the row says ${row.state}`,
    );
    return;
  }
  if (row.errorCode === expired) return;
  const rejections = calls.map(({ outcome }) => /^rejected (\d+)$/.exec(outcome)?.[1]);
  if (!rejections.includes(String(row.errorCode)))
    report('wrong_state', row.id, `it failed with ${row.errorCode}; calls: ${describeCalls(calls)}`);
}

interface SendResponse {
  data: {
    sendId: string;
    messages: {
      id: string;
      messageId: string | null;
      recipientPhone: string;
      status: string;
      error: { code: number } | null;
    }[];
  };
}

/** Statuses that a repeat may get before the send's own response: the caller has to repeat the request. */
const retryable = new Set([409, 429, 503]);
const isSuccess = ({ status }: CallerResponse) => status === 200 || status === 202;

/** Compares the responses to callers with the rows and the platform's records. */
export function checkResponses(evidence: Evidence, report: Report, figures: Record<string, number>): void {
  const rows = new Map(evidence.messages.map((row) => [row.id, row]));
  const acceptedOf = new Map(evidence.accepted.map((accepted) => [accepted.opaque, accepted]));
  for (const send of evidence.sends) {
    const about = send.key ?? `a send to ${send.phones[0]}`;
    const successes = send.responses.filter(isSuccess);
    for (const { status, text } of send.responses) {
      figures[`answered ${status}`] = (figures[`answered ${status}`] ?? 0) + 1;
      if (status !== 200 && status !== 202 && !retryable.has(status))
        report('unexpected_response', about, `${status} ${text.slice(0, 300)}`);
    }
    if (successes.length === 0 && send.key !== null)
      report('unanswered', about, `${send.responses.length + send.unanswered} tries`);
    if (new Set(successes.map(({ text }) => text)).size > 1)
      report('responses_differ', about, successes.map(({ text }) => text.slice(0, 400)).join(' | '));
    for (const { text } of successes.slice(0, 1))
      checkResponse(JSON.parse(text) as SendResponse, send, { rows, acceptedOf }, report);
  }
}

function checkResponse(
  { data }: SendResponse,
  send: CallerSend,
  { rows, acceptedOf }: { rows: Map<string, MessageRow>; acceptedOf: Map<string | null, AcceptedMessage> },
  report: Report,
): void {
  const phones = data.messages.map(({ recipientPhone }) => recipientPhone);
  if (phones.join() !== send.phones.join())
    report(
      'untrue_response',
      data.sendId,
      `it names ${phones.length} recipients of ${send.phones.length}, or others`,
    );
  for (const message of data.messages) {
    const row = rows.get(message.id);
    const accepted = acceptedOf.get(message.id);
    if (!row || row.sendId !== data.sendId) report('lost', message.id, 'it is in a response, but has no row');
    if (message.messageId !== null && accepted?.wamid !== message.messageId)
      report(
        'untrue_response',
        message.id,
        `the response says ${message.messageId}, the platform ${accepted?.wamid ?? 'nothing'}`,
      );
    if (message.status === 'accepted' && !accepted)
      report('untrue_response', message.id, 'the response says accepted, but the platform never accepted it');
    if (
      message.status === 'failed' &&
      accepted &&
      !accepted.reported.includes('failed') &&
      message.error?.code !== outcomeUnknown
    )
      report('untrue_response', message.id, 'the response says failed, but the platform accepted it');
  }
}

// Reckons messages: the platform's account against the rows, and both against what callers heard. Pure.
import type { SendCall } from '../../sandbox/cloud-api/calls.ts';
import type { Break, Evidence, Heard, MeantSend, MessageRow, Taken } from './evidence.ts';
import type { Tell } from './promises.ts';

const outcomeUnknown = 900001;
const expired = 900002;

/** The furthest that reports say: delivered and read outweigh a failure, which outweighs `sent`. */
export function stateBy(reported: readonly string[]): string {
  for (const state of ['read', 'delivered', 'failed', 'sent']) if (reported.includes(state)) return state;
  return 'accepted';
}

/** Holds every row to the platform's account; counts what became of messages into `figures`. */
export function reckonMessages(evidence: Evidence, tell: Tell, figures: Record<string, number>): void {
  const takenOf = Map.groupBy(evidence.taken, ({ opaque }) => opaque ?? '');
  const callsOf = Map.groupBy(evidence.calls, ({ opaque }) => opaque ?? '');
  const known = new Set(evidence.messages.map(({ id }) => id));
  const count = (name: string) => {
    figures[name] = (figures[name] ?? 0) + 1;
  };
  for (const [opaque, entries] of takenOf) {
    if (entries.length > 1) tell('doubled', opaque, `the platform took it ${entries.length} times`);
    if (!known.has(opaque)) tell('lost', opaque, 'the platform took it, and no row is of it');
  }
  doubledNumbers(evidence.taken, 'the platform took it in several messages', tell);
  doubledNumbers(evidence.messages, 'several messages were written to it', tell);
  for (const row of evidence.messages) {
    count(row.state);
    const [taken] = takenOf.get(row.id) ?? [];
    const calls = callsOf.get(row.id) ?? [];
    if (row.errorCode === outcomeUnknown) {
      count('outcome_unknown');
      if (!isUnknown(row, taken, calls, evidence.breaks))
        tell('unknown_without_cause', row.id, `it was called ${calls.length} times: ${told(calls)}`);
    } else if (taken) holdTaken(row, taken, tell);
    else holdUntaken(row, calls, tell);
  }
}

/** Each number is of one send, so that a send that was made twice shows by its numbers, whatever its ids. */
function doubledNumbers(entries: readonly { phone: string }[], text: string, tell: Tell): void {
  for (const [phone, all] of Map.groupBy(entries, (entry) => entry.phone))
    if (all.length > 1) tell('doubled', phone, text);
}

const told = (calls: SendCall[]) =>
  calls.map(({ became, told: heard }) => `${became}, told ${heard}`).join('; ') || 'never';

/** Between an answer and its place on disk. */
const recordingMs = 5_000;

/** True if nobody could know: the call was spoiled, or things broke between the mark and the record. */
function isUnknown(row: MessageRow, taken: Taken | undefined, calls: SendCall[], breaks: Break[]): boolean {
  // a report corrects it: where the platform reported anything, the outcome is known
  if (taken && taken.reported.length > 0) return false;
  const last = calls.at(-1);
  // a gateway that lives knows that it never called it, whatever became of its database meanwhile
  if (!last) return breaks.some(({ what, toMs }) => what === 'kill' && toMs >= row.createdAtMs);
  if (!/^\d+$/.test(last.told)) return true;
  return breaks.some(({ fromMs, toMs }) => toMs >= last.at - recordingMs && fromMs <= last.at + recordingMs);
}

function holdTaken(row: MessageRow, taken: Taken, tell: Tell): void {
  const should = stateBy(taken.reported);
  if (row.state !== should) {
    const gone = ['queued', 'dispatching', 'accepted'].includes(row.state) || (row.errorCode ?? 0) > 900000;
    tell(
      gone ? 'lost' : 'wrong_state',
      row.id,
      `the platform reported ${taken.reported.join(', ') || 'nothing yet'}; the row says ${row.state} ${row.errorCode ?? ''}`,
    );
  }
  if (row.wamid !== taken.wamid)
    tell('wrong_state', row.id, `the platform calls it ${taken.wamid}, the row ${row.wamid}`);
}

function holdUntaken(row: MessageRow, calls: SendCall[], tell: Tell): void {
  if (row.state !== 'failed') {
    const isOpen = row.state === 'queued' || row.state === 'dispatching';
    tell(isOpen ? 'lost' : 'wrong_state', row.id, `the platform never took it; the row says ${row.state}`);
    return;
  }
  if (row.errorCode === expired) return;
  const refusals = calls.map(({ became }) => /^refused (\d+)$/.exec(became)?.[1]);
  if (!refusals.includes(String(row.errorCode)))
    tell('wrong_state', row.id, `it failed with ${row.errorCode}; the platform said: ${told(calls)}`);
}

interface Told {
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

/** Answers that a repeat may meet before its send's own: all say that the caller should come again. */
const passing = new Set([409, 429, 503]);
const isAnswer = ({ status }: Heard) => status === 200 || status === 202;

/** Holds what callers heard to the rows and to the platform's account. */
export function reckonAnswers(evidence: Evidence, tell: Tell, figures: Record<string, number>): void {
  const rows = new Map(evidence.messages.map((row) => [row.id, row]));
  const takenOf = new Map(evidence.taken.map((taken) => [taken.opaque, taken]));
  for (const send of evidence.sends) {
    const about = send.key ?? `a send to ${send.phones[0]}`;
    const answers = send.heard.filter(isAnswer);
    for (const { status, text } of send.heard) {
      figures[`answered ${status}`] = (figures[`answered ${status}`] ?? 0) + 1;
      if (status !== 200 && status !== 202 && !passing.has(status))
        tell('unexpected_answer', about, `${status} ${text.slice(0, 300)}`);
    }
    if (answers.length === 0 && send.key !== null)
      tell('unanswered', about, `${send.heard.length + send.unheard} tries`);
    if (new Set(answers.map(({ text }) => text)).size > 1)
      tell('answers_differ', about, answers.map(({ text }) => text.slice(0, 400)).join(' | '));
    for (const { text } of answers.slice(0, 1))
      holdAnswer(JSON.parse(text) as Told, send, { rows, takenOf }, tell);
  }
}

function holdAnswer(
  { data }: Told,
  send: MeantSend,
  { rows, takenOf }: { rows: Map<string, MessageRow>; takenOf: Map<string | null, Taken> },
  tell: Tell,
): void {
  const phones = data.messages.map(({ recipientPhone }) => recipientPhone);
  if (phones.join() !== send.phones.join())
    tell(
      'untrue_answer',
      data.sendId,
      `it names ${phones.length} recipients of ${send.phones.length}, or others`,
    );
  for (const message of data.messages) {
    const row = rows.get(message.id);
    const taken = takenOf.get(message.id);
    if (!row || row.sendId !== data.sendId)
      tell('lost', message.id, 'it was answered for, and no row is of it');
    if (message.messageId !== null && taken?.wamid !== message.messageId)
      tell(
        'untrue_answer',
        message.id,
        `it says ${message.messageId}, the platform ${taken?.wamid ?? 'nothing'}`,
      );
    if (message.status === 'accepted' && !taken)
      tell('untrue_answer', message.id, 'it says accepted, and the platform never took it');
    if (
      message.status === 'failed' &&
      taken &&
      !taken.reported.includes('failed') &&
      message.error?.code !== outcomeUnknown
    )
      tell('untrue_answer', message.id, 'it says failed, and the platform took it');
  }
}

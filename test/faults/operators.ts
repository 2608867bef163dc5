// Operators of sends: they build drafts, schedule, start, pause, resume and cancel sends, and record opt-outs meanwhile.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OperatedSend, OptOutAct } from './evidence.ts';
import { variablesOf } from './mix.ts';
import type { PersistentRequests } from './persistent-requests.ts';
import type { Random } from './random.ts';

export interface LinesInput {
  requests: PersistentRequests;
  templateIds: Record<string, string>;
  senderIds: string[];
  /** Number of concurrent lines. */
  lines: number;
  random: Random;
  firstNumber: number;
}

/** Lines of work that run until they are told to stop. */
export interface Lines {
  stop(): void;
  /** Resolves when every line has ended its work. */
  done: Promise<void>;
}

/** Runs `work` again and again on each line; `stop` lets the work in progress end. */
export function startLines(lines: number, work: () => Promise<void>): Lines {
  let isStopped = false;
  const line = async () => {
    while (!isStopped) await work();
  };
  return {
    stop: () => {
      isStopped = true;
    },
    done: Promise.all(Array.from({ length: lines }, line)).then(() => undefined),
  };
}

export interface Operators extends Lines {
  sends: OperatedSend[];
  optOuts: OptOutAct[];
}

const inState = { finalCodes: ['send_state_conflict'] } as const;
/** A draft whose upload was in a gateway that died is locked for some seconds: the operator makes another one. */
const inDraft = { finalCodes: [...inState.finalCodes, 'upload_in_progress'] } as const;

/** Starts the operators. */
export function startOperators({ requests, random, ...input }: LinesInput): Operators {
  const sends: OperatedSend[] = [];
  const optOuts: OptOutAct[] = [];
  let number = input.firstNumber;
  const newPhones = (count: number) => Array.from({ length: count }, () => `1666${10_000_000 + ++number}`);
  const idIn = (response: { text: string } | undefined): string | undefined =>
    response && (JSON.parse(response.text) as { data: { sendId: string } }).data.sendId;
  const post = (
    send: OperatedSend,
    path: string,
    body?: unknown,
    final: { finalCodes: readonly string[] } = inState,
  ) => requests.until({ method: 'POST', path: `/v1/sends/${send.sendId}${path}`, body, ...final });

  /** Makes a send of one of the three kinds; false if it got no response before the end, or its draft is locked. */
  async function make(send: OperatedSend, template: 'order_update' | 'summer_sale'): Promise<boolean> {
    const variables = variablesOf[template];
    const recipients = send.phones.map((phone) => ({ phone, variables }));
    const common = { templateId: input.templateIds[template], senderId: random.pick(input.senderIds) };
    const key = randomUUID();
    const kind = random.weighted([
      ['draft', 5],
      ['scheduled', 3],
      ['plain', 2],
    ] as const);
    if (kind !== 'draft') {
      const sendAt = new Date(Date.now() + random.between(300, 1_500)).toISOString();
      const body = { ...common, recipients, ...(kind === 'scheduled' ? { sendAt } : {}) };
      const headers = { prefer: 'respond-async' };
      send.sendId = idIn(
        await requests.until({ method: 'POST', path: '/v1/templates/send', body, key, headers }),
      );
      send.isStarted = send.sendId !== undefined;
      return send.isStarted;
    }
    send.sendId = idIn(await requests.until({ method: 'POST', path: '/v1/sends', body: common, key }));
    if (send.sendId === undefined) return false;
    // a repeat skips the phones that are in
    if ((await post(send, '/recipients', { recipients }, inDraft))?.status !== 200) return false;
    const started = await post(send, '/start');
    send.isStarted = started !== undefined;
    return send.isStarted;
  }

  /** Pauses the send for a while; false if it was done. */
  async function pause(send: OperatedSend): Promise<boolean> {
    const paused = await post(send, '/pause');
    if (paused?.status !== 200) return false;
    const stop: OperatedSend['stops'][number] = { fromMs: paused.atMs, toMs: null };
    send.stops.push(stop);
    await sleep(random.between(200, 3_500));
    stop.toMs = Date.now();
    return (await post(send, '/resume'))?.status === 200;
  }

  async function optOut(phone: string): Promise<void> {
    const act: OptOutAct = { phone, answeredAtMs: null };
    optOuts.push(act);
    const body = { scope: 'marketing' };
    act.answeredAtMs =
      (await requests.until({ method: 'PUT', path: `/v1/opt-outs/${phone}`, body }))?.atMs ?? null;
  }

  async function one(): Promise<void> {
    const template = random.pick(['order_update', 'summer_sale'] as const);
    const count = random.weighted([
      [random.between(1, 20), 3],
      [random.between(100, 500), 2],
    ] as const);
    const send: OperatedSend = {
      ...{ sendId: undefined, phones: newPhones(count), isStarted: false, isCancelled: false, stops: [] },
    };
    sends.push(send);
    const people = template === 'summer_sale' ? send.phones.filter(() => random.next() < 0.03) : [];
    const acts = Promise.all(
      people.map((phone) => sleep(random.between(0, 1_500)).then(() => optOut(phone))),
    );
    if (await make(send, template)) {
      for (let pauses = random.between(0, 2); pauses > 0 && (await pause(send)); pauses--)
        await sleep(random.between(0, 400));
      if (random.next() < 0.15) {
        send.isCancelled = true;
        const cancelled = await post(send, '/cancel');
        if (cancelled?.status === 200) send.stops.push({ fromMs: cancelled.atMs, toMs: null });
      }
    }
    await acts;
    await sleep(random.between(100, 1_000));
  }

  return { sends, optOuts, ...startLines(input.lines, one) };
}

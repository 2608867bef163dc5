// People who write to the numbers, with repeats and disorder by the platform, and the replies that they get.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReplyRequest, WrittenMessage } from './evidence.ts';
import { type Lines, type LinesInput, startLines } from './operators.ts';

export interface PeopleInput extends Pick<LinesInput, 'requests' | 'lines' | 'random' | 'firstNumber'> {
  /** Lets a person write to one of the numbers; returns the platform's ids of the messages. */
  write: (write: {
    messages: { from: { phone: string; name: string }; kind: string }[];
    separate: boolean;
    reversed: boolean;
    repeats: number;
  }) => Promise<{ messages: { id: string }[] }>;
}

export interface People extends Lines {
  written: WrittenMessage[];
  replies: ReplyRequest[];
}

const kinds = ['text', 'image', 'button', 'location', 'reaction', 'contacts', 'sticker'];

/** Starts the people. */
export function startPeople({ requests, random, write, ...input }: PeopleInput): People {
  const written: WrittenMessage[] = [];
  const replies: ReplyRequest[] = [];
  let number = input.firstNumber;

  async function one(): Promise<void> {
    const phone = `1777${10_000_000 + ++number}`;
    const from = { phone, name: `Person ${number}` };
    const { messages } = await write({
      messages: Array.from({ length: random.between(1, 4) }, () => ({ from, kind: random.pick(kinds) })),
      separate: random.next() < 0.5,
      reversed: random.next() < 0.3,
      repeats: random.pick([0, 0, 1, 3]),
    });
    written.push(...messages.map(({ id }) => ({ messageRef: id, phone })));
    if (random.next() < 0.6) await reply(phone);
    await sleep(random.between(20, 400));
  }

  async function reply(phone: string): Promise<void> {
    const request: ReplyRequest = { phone, responses: [] };
    replies.push(request);
    const body = { phone, text: `An answer to ${phone}` };
    const repeated = { method: 'POST', path: '/v1/messages/reply', body, key: randomUUID() } as const;
    // until the message is stored, the window is closed: 409
    for (let times = random.next() < 0.2 ? 2 : 1; times > 0; times--) {
      const response = await requests.until(repeated);
      if (response) request.responses.push(response);
    }
  }

  return { written, replies, ...startLines(input.lines, one) };
}

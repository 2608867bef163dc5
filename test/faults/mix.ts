// What callers of the campaign send: to whom, how many at once, by which template, and what the platform will do with it. Pure.
import type { Chance } from './chance.ts';

/** Endings of numbers that mean something to the played platform (sandbox/cloud-api/magic.ts), and how often each is drawn. */
const endings = [
  ['', 120],
  ['0000000201', 4],
  ['0000000202', 6],
  ['0000000203', 3],
  ['0000000204', 2],
  ['0000000301', 10],
  ['0000000302', 10],
  ['0000000303', 16],
  ['0000000304', 6],
  ['0000000401', 0.3],
  ['0000000402', 0.3],
  ['0000000403', 1],
  ['0000000404', 1],
  ['0000000500', 1],
  ['0000000501', 1],
  ['0000000601', 2],
  ['0000131026', 4],
  ['0001131026', 3],
  ['0002131016', 2],
  ['0002131056', 1],
] as const;

export interface DrawnSend {
  template: 'order_update' | 'summer_sale' | 'login_code';
  phones: string[];
  /** Repeats under a key; else it is tried once. */
  hasKey: boolean;
  respondAsync: boolean;
  /** Goes away before the answer and repeats. */
  isImpatient: boolean;
  /** Repeats although it was answered. */
  asksAgain: boolean;
}

/** Draws sends; no number comes twice. */
export function openMix(chance: Chance, first = 0): () => DrawnSend {
  let number = first;
  const phone = (): string => {
    number += 1;
    const ending = chance.weighed(endings);
    // five digits before a magic ending; an ordinary number has none of its noughts
    return ending === '' ? `1555${String(10_000_000 + number)}` : `${10_000 + (number % 90_000)}${ending}`;
  };
  return () => ({
    template: chance.weighed([
      ['order_update', 6],
      ['summer_sale', 2],
      ['login_code', 2],
    ] as const),
    phones: Array.from(
      {
        length: chance.weighed([
          [1, 5],
          [chance.between(2, 12), 4],
          [60, 0.4],
        ] as const),
      },
      phone,
    ),
    hasKey: chance.next() < 0.88,
    respondAsync: chance.next() < 0.25,
    isImpatient: chance.next() < 0.05,
    asksAgain: chance.next() < 0.1,
  });
}

const variablesOf: Record<DrawnSend['template'], Record<string, string>> = {
  order_update: { '1': 'Ada', '2': 'A-1001', '3': 'on Friday' },
  summer_sale: { '1': 'Ada', '2': '10 %', '3': 'Friday' },
  login_code: { '1': '123456' },
};

/** The body of a send request. */
export function requestOf(drawn: DrawnSend, templateId: string, senderId: string): string {
  const variables = variablesOf[drawn.template];
  return JSON.stringify({
    templateId,
    senderId,
    recipients: drawn.phones.map((phone) => ({ phone, variables })),
  });
}

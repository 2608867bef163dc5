// The sends of the campaign's callers: recipients, template, options, and what the platform does with each number. Pure.
import type { Random } from './random.ts';

/** Number endings with a meaning for the simulated platform (sandbox/cloud-api/magic.ts), with their weights. */
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
  /** Repeated with a key; otherwise tried once. */
  hasKey: boolean;
  respondAsync: boolean;
  /** Disconnects before the response, and repeats. */
  disconnectsEarly: boolean;
  /** Repeats although it got a response. */
  repeatsAfterSuccess: boolean;
}

/** Draws sends; no number is used twice. */
export function openMix(random: Random, first = 0): () => DrawnSend {
  let number = first;
  const phone = (): string => {
    number += 1;
    const ending = random.weighted(endings);
    // five digits before a magic ending; ordinary numbers contain no such zeros
    return ending === '' ? `1555${String(10_000_000 + number)}` : `${10_000 + (number % 90_000)}${ending}`;
  };
  return () => ({
    template: random.weighted([
      ['order_update', 6],
      ['summer_sale', 2],
      ['login_code', 2],
    ] as const),
    phones: Array.from(
      {
        length: random.weighted([
          [1, 5],
          [random.between(2, 12), 4],
          [60, 0.4],
        ] as const),
      },
      phone,
    ),
    hasKey: random.next() < 0.88,
    respondAsync: random.next() < 0.25,
    disconnectsEarly: random.next() < 0.05,
    repeatsAfterSuccess: random.next() < 0.1,
  });
}

/** The variables of each template. */
export const variablesOf: Record<DrawnSend['template'], Record<string, string>> = {
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

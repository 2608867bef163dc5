// What each of the platform's error codes asks of us. Source: Meta's "Error codes" page of the Cloud API, 2026-11.
import type { RefusalClass } from '../../ports/platform.ts';

const classes: Record<RefusalClass, number[]> = {
  // An explicit error body means that the message was not taken, so it may be sent again.
  retry: [1, 2, 4, 80007, 131000, 131016, 131057, 133004],
  throttled: [130429],
  pair_rate: [131056],
  halt_sender: [0, 3, 10, 190, 368, 131005, 131031, 131037, 131042, 131045, 131048, 130497, 133010],
  halt_template: [132015, 132016],
  final: [],
};

const classOf = new Map<number, RefusalClass>(
  Object.entries(classes).flatMap(([kind, codes]) =>
    codes.map((code) => [code, kind as RefusalClass] as const),
  ),
);

/** The class of a code; 200 to 299 are permissions (the number is halted), an unknown code is final. */
export function classify(code: number | string | undefined): RefusalClass {
  const number = Number(code);
  if (number >= 200 && number <= 299) return 'halt_sender';
  return classOf.get(number) ?? 'final';
}

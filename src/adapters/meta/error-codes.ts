// What each of the platform's error codes asks of us. Source: Meta's "Error codes" page of the Cloud API, 2026-11.
import type { RefusalClass } from '../../ports/platform.ts';

const classes: Record<RefusalClass, number[]> = {
  // An explicit error body means that the message was not taken, so it may be sent again.
  retry: [1, 2, 131000, 131016, 131057, 133004],
  throttled: [4, 80007, 130429],
  pair_rate: [131056],
  halt_sender: [0, 3, 10, 190, 368, 131005, 131031, 131037, 131042, 131045, 131048, 130497, 133010],
  halt_template: [132015, 132016],
  template_outdated: [132001],
  media_refused: [131053],
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

/** Codes that pass by themselves, but not sooner than this, in seconds: an upgrade, the hourly limits of an app or business account. */
const leastWaitSeconds: Readonly<Record<number, number>> = { 131057: 60, 4: 60, 80007: 60 };

/** How long a refusal asks to wait where its answer does not say; undefined if its code is none of those that do. */
export function leastWaitOf(code: number): number | undefined {
  return leastWaitSeconds[code];
}

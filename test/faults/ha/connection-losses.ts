// Lost database connections as outages: a process whose session is lost may have its deliveries repeated by another. Pure.
import type { Outage } from '../evidence.ts';

/** Losses that are closer together belong to one outage. */
const apartMs = 1_000;

/** The outages in which connections were lost, at these times in order. */
export function outagesOf(lossesMs: readonly number[]): Outage[] {
  const outages: Outage[] = [];
  for (const atMs of lossesMs) {
    const last = outages.at(-1);
    if (last && atMs - last.toMs < apartMs) last.toMs = atMs;
    else outages.push({ kind: 'database', fromMs: atMs, toMs: atMs });
  }
  return outages;
}

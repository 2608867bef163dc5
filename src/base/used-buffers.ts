// Early collection of the buffers of large files.

/** Bytes of used buffers after which they are collected. */
const collectEvery = 16 * 1024 * 1024;
let used = 0;

/**
 * Counts bytes of buffers that are no longer used, and collects the young generation (measured: 0.4 ms) before they
 * count as memory pressure. V8 would then mark the whole heap, again and again: half of an upload's CPU. `gc` exists with
 * --expose-gc, which `npm start` sets, as it sets --heap-growing-percent: V8 also marks the whole heap when less is left to
 * its limit than the young generation may take, which was so after each collection (about 30 times per GB, a third of the CPU).
 */
export function countUsedBuffers(bytes: number): void {
  used += bytes;
  if (used < collectEvery) return;
  used = 0;
  globalThis.gc?.({ type: 'minor' });
}

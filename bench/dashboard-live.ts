// The memory of pages of the dashboard that stay open while messages are sent: after collecting garbage, minute by minute.
import { setTimeout as sleep } from 'node:timers/promises';
import type { CDPSession, Page } from 'playwright-core';
import { nowMs } from './child.ts';
import { type Viewer, visit } from './dashboard-browser.ts';
import { progress } from './print.ts';

export interface Sample {
  seconds: number;
  heapBytes: number;
  nodes: number;
  listeners: number;
  /** Rows that the page shows. */
  rows: number;
  /** Requests of the page so far. */
  requests: number;
}

export interface LiveFigures {
  page: string;
  samples: Sample[];
  /** Slopes over the samples after the first third, in which caches fill. */
  perMinute: { heapBytes: number; nodes: number; listeners: number };
  requestsPerSecond: number;
}

/** The slope of `values` over `seconds` by least squares, for a minute. */
function growthPerMinute(points: readonly { seconds: number; value: number }[]): number {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const atMean = mean(points.map(({ seconds }) => seconds));
  const valueMean = mean(points.map(({ value }) => value));
  const covariance = mean(points.map(({ seconds, value }) => (seconds - atMean) * (value - valueMean)));
  const variance = mean(points.map(({ seconds }) => (seconds - atMean) ** 2));
  return (60 * covariance) / variance;
}

interface Watched {
  path: string;
  page: Page;
  session: CDPSession;
  requests: readonly unknown[];
}

const rowSelector = '#main tbody tr, .person, .thread li';

async function sampleOf({ page, session, requests }: Watched, seconds: number): Promise<Sample> {
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  const { nodes, jsEventListeners } = await session.send('Memory.getDOMCounters');
  const rows = await page.locator(rowSelector).count();
  return {
    seconds,
    heapBytes: usedSize,
    nodes,
    listeners: jsEventListeners,
    rows,
    requests: requests.length,
  };
}

function figuresOf(path: string, samples: Sample[]): LiveFigures {
  const settled = samples.slice(Math.floor(samples.length / 3));
  const slope = (key: 'heapBytes' | 'nodes' | 'listeners') =>
    growthPerMinute(settled.map((sample) => ({ seconds: sample.seconds, value: sample[key] })));
  const [first, last] = [settled[0], settled.at(-1)];
  return {
    page: path,
    samples,
    perMinute: { heapBytes: slope('heapBytes'), nodes: slope('nodes'), listeners: slope('listeners') },
    requestsPerSecond:
      first && last ? (last.requests - first.requests) / (last.seconds - first.seconds) : Number.NaN,
  };
}

export interface LivePage {
  path: string;
  /** There once the page shows its data. */
  selector: string;
  /** Brings the page into the state that is watched. */
  prepare?: (page: Page) => Promise<void>;
}

/**
 * Keeps pages open, each in a browser context of its own, until `updates` ends, and samples them every `everySeconds`.
 */
export async function measureLive(
  viewer: Viewer,
  url: string,
  pages: readonly LivePage[],
  { updates, everySeconds }: { updates: () => Promise<unknown>; everySeconds: number },
): Promise<LiveFigures[]> {
  const watched: Watched[] = [];
  for (const { path, selector, prepare } of pages) {
    const context = await viewer.context();
    const { page, requests } = await visit(context, `${url}${path}`, selector);
    await prepare?.(page);
    const session = await context.newCDPSession(page);
    await session.send('HeapProfiler.enable');
    watched.push({ path, page, session, requests });
  }
  const samples = new Map<string, Sample[]>(watched.map(({ path }) => [path, []]));
  const began = nowMs();
  let isEnded = false;
  const ending = updates().finally(() => {
    isEnded = true;
  });
  while (!isEnded) {
    await Promise.race([sleep(everySeconds * 1000), ending]);
    for (const one of watched) samples.get(one.path)?.push(await sampleOf(one, (nowMs() - began) / 1000));
    progress(`${Math.round((nowMs() - began) / 1000)} s of live updates`);
  }
  await ending;
  for (const { page } of watched) await page.context().close();
  return watched.map(({ path }) => figuresOf(path, samples.get(path) ?? []));
}

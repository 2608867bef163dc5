// What the page shows for an endpoint: its state, its address without the scheme, its attempts of the last day. Pure.
import type { Endpoint, WebhookStatistics } from '../../../client/src/generated.ts';
import { highest } from './figures.ts';

/** As in design/states.ts. */
export function stateOf({ status, restingUntil }: Endpoint, nowMs: number): string {
  if (status !== 'active') return status;
  return restingUntil !== null && Date.parse(restingUntil) > nowMs ? 'resting' : 'active';
}

/** What is wrong with an endpoint, most urgent first; undefined: nothing. */
export function problemOf(
  endpoint: Endpoint,
  nowMs: number,
): 'disabled' | 'paused' | 'resting' | 'failing' | undefined {
  const state = stateOf(endpoint, nowMs);
  if (state === 'disabled' || state === 'paused' || state === 'resting') return state;
  return endpoint.failingSince === null ? undefined : 'failing';
}

const disabledWords = ['gone', 'failing'] as const;

/** The first word of `disabledReason`: `gone` after a 410, `failing` after five days of failures. */
export const disabledWord = (reason: string): (typeof disabledWords)[number] | 'other' =>
  disabledWords.find((word) => reason.startsWith(word)) ?? 'other';

/** `crm.example.com/hooks`. */
export const shortUrl = (url: string): string => url.replace(/^https?:\/\//, '').replace(/\/$/, '');

/** The figures of an endpoint over a day. */
export interface DayFigures {
  attempts: number;
  delivered: number;
  /** The highest p95 of its hours; null without attempts. */
  p95Ms: number | null;
  p50Ms: number | null;
  /** Attempts by hour, oldest first, and whether most of them failed. */
  hours: { attempts: number; isBad: boolean }[];
}

const hourMs = 3_600_000;
const hoursShown = 24;

/** Figures of one endpoint from its hours. A percentile of a day cannot be made of those of hours, so the worst hour is shown. */
export function figuresOf(
  items: readonly WebhookStatistics[],
  endpointId: string,
  nowMs: number,
): DayFigures {
  const own = items.filter((item) => item.endpointId === endpointId);
  const sum = (of: (item: WebhookStatistics) => number) => own.reduce((total, item) => total + of(item), 0);
  const byHour = new Map(own.map((item) => [Math.floor(Date.parse(item.at) / hourMs), item]));
  const last = Math.floor(nowMs / hourMs);
  return {
    attempts: sum(({ attempts }) => attempts),
    delivered: sum(({ delivered }) => delivered),
    p50Ms: highest(own.map(({ p50Ms }) => p50Ms)),
    p95Ms: highest(own.map(({ p95Ms }) => p95Ms)),
    hours: Array.from({ length: hoursShown }, (_, index) => {
      const item = byHour.get(last - hoursShown + 1 + index);
      const attempts = item?.attempts ?? 0;
      return { attempts, isBad: (item?.failed ?? 0) * 2 > attempts };
    }),
  };
}

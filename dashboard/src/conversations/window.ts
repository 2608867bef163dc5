// The reply window of a person: the numbers that can answer without a template, and until when. Pure.
import type { Contact } from '../../../client/src/generated.ts';

const dayMs = 86_400_000;
const shortMs = 3_600_000;

export interface ReplyWindow {
  senderId: string;
  closesAtMs: number;
}

/** The open windows at `nowMs`, the one that closes last first: that of the number that the person wrote to last. */
export const openWindows = ({ windows }: Pick<Contact, 'windows'>, nowMs: number): ReplyWindow[] =>
  windows
    .map(({ senderId, closesAt }) => ({ senderId, closesAtMs: Date.parse(closesAt) }))
    .filter(({ closesAtMs }) => closesAtMs > nowMs)
    .sort((a, b) => b.closesAtMs - a.closesAtMs);

/** When the last window closed; undefined: the person never wrote. */
export const closedAtMs = ({ lastReceivedAt }: Pick<Contact, 'lastReceivedAt'>): number | undefined =>
  lastReceivedAt === null ? undefined : Date.parse(lastReceivedAt) + dayMs;

/** The part of the 24 hours that is left, from 0 to 1. */
export const partLeft = (closesAtMs: number, nowMs: number): number =>
  Math.min(1, Math.max(0, (closesAtMs - nowMs) / dayMs));

/** True if the window closes within an hour. */
export const isShort = (closesAtMs: number, nowMs: number): boolean => closesAtMs - nowMs < shortMs;

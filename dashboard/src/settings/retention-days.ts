// The days of retention while they are edited: numbers as typed, empty for the gateway's. Pure.
import type { PutRetention, Retention } from '../../../client/src/generated.ts';

export const kinds = ['messages', 'received', 'deliveries', 'bookings', 'audit'] as const;
export type Kind = (typeof kinds)[number];
export type Edited = Record<Kind, string>;

export const editedOf = (saved: Retention): Edited =>
  Object.fromEntries(kinds.map((kind) => [kind, String(saved[kind].ownDays ?? '')])) as Edited;

export const bodyOf = (days: Edited): PutRetention =>
  Object.fromEntries(kinds.map((kind) => [kind, days[kind] === '' ? null : Number(days[kind])]));

/** The kinds of which something would be removed that is kept now. */
export const shortened = (saved: Retention, days: Edited): Kind[] =>
  kinds.filter((kind) => {
    const next = days[kind] === '' ? (saved[kind].gatewayDays ?? Infinity) : Number(days[kind]);
    return next < (saved[kind].days ?? Infinity);
  });

// From which time on each account keeps what has ended, and when a removal may begin. Pure.
import {
  effectiveDays,
  noDays,
  type RetentionDays,
  type RetentionKind,
  retentionKinds,
} from '../base/retention-days.ts';

const dayMs = 86_400_000;
/** Days between the announcement of a removal and the first one. */
export const noticeDays = 7;

/** What was announced of a kind. */
export interface Announcement {
  /** Null: kept for ever. */
  days: number | null;
  /** When so few days were announced first. */
  announcedAt: Date;
  /** When any days were announced first. */
  firstAnnouncedAt: Date;
}
export type Announcements = Partial<Record<RetentionKind, Announcement>>;

/** True if what was announced then may be done. */
const isOver = (announcedAt: Date | undefined, now: Date): boolean =>
  announcedAt !== undefined && announcedAt.getTime() + noticeDays * dayMs <= now.getTime();

/**
 * The days of the settings that were announced a week ago; the others are null. Other days than announced, such as those of a process
 * with older settings, are not.
 */
function announcedDays(gateway: RetentionDays, announced: Announcements, now: Date): RetentionDays {
  const days = { ...noDays };
  for (const kind of retentionKinds)
    if (announced[kind]?.days === gateway[kind] && isOver(announced[kind]?.announcedAt, now))
      days[kind] = gateway[kind];
  return days;
}

/** The days of an account itself: they count as announced with the first announcement of their kind. */
function ownDays(own: RetentionDays, announced: Announcements, now: Date): RetentionDays {
  const days = { ...noDays };
  for (const kind of retentionKinds)
    if (isOver(announced[kind]?.firstAnnouncedAt, now)) days[kind] = own[kind];
  return days;
}

/** By kind, the time before which something must have ended to be removed; null: it is kept. */
export type Cutoffs = Record<RetentionKind, Date | null>;

/** The times of an account. */
export function cutoffsOf(
  input: { gateway: RetentionDays; own: RetentionDays; announced: Announcements },
  now: Date,
): Cutoffs {
  const { gateway, own, announced } = input;
  const days = effectiveDays(announcedDays(gateway, announced, now), ownDays(own, announced, now));
  return Object.fromEntries(
    retentionKinds.map((kind) => {
      const count = days[kind];
      return [kind, count === null ? null : new Date(now.getTime() - count * dayMs)];
    }),
  ) as Cutoffs;
}

/** When the first removal of a kind may begin; null: now. Not announced yet: a week from now. */
export function beginsAt(
  kind: RetentionKind,
  input: { gateway: RetentionDays; own: RetentionDays; announced: Announcements },
  now: Date,
): Date | null {
  const { gateway, own, announced } = input;
  if (cutoffsOf(input, now)[kind] !== null) return null;
  const of = announced[kind];
  const isOwn = own[kind] !== null && (gateway[kind] === null || (own[kind] ?? 0) < gateway[kind]);
  const since = (isOwn ? of?.firstAnnouncedAt : of?.announcedAt) ?? now;
  return new Date(Math.max(now.getTime(), since.getTime() + noticeDays * dayMs));
}

/** The earliest of the accounts' times of a kind; null if one of them keeps everything, or there is none. */
export function earliest(all: readonly Cutoffs[], kind: RetentionKind): Date | null {
  let first: Date | null = null;
  for (const cutoffs of all) {
    const at = cutoffs[kind];
    if (at === null) return null;
    if (first === null || at < first) first = at;
  }
  return first;
}

// A message's timeline: its stages in the order in which they happen. Pure.
import { stageBit } from './message.ts';

/** What a message's row says of its past. */
export interface Past {
  createdAt: Date;
  acceptedAt: Date | null;
  /** From here on the platform's own times, which have whole seconds. */
  sentAt: Date | null;
  deliveredAt: Date | null;
  readAt: Date | null;
  /** The platform's only if `isFailureReported`, else ours. */
  failedAt: Date | null;
  isFailureReported: boolean;
  implied: number;
}

export interface TimelineEntry {
  status: string;
  /** Never before the entry before it. */
  at: string;
  /** The platform's own time, unchanged; null for what the gateway itself knows. */
  platformTimestamp: string | null;
  implied: boolean;
}

/**
 * The stages that a message has reached, in the order in which they happen. The platform's times are cut to the second
 * and its clock is not ours, so one that would stand before an earlier stage is raised to that stage's.
 */
export function timelineOf(past: Past): TimelineEntry[] {
  const stages: { status: string; at: Date | null; isPlatforms: boolean; bit?: number }[] = [
    { status: 'queued', at: past.createdAt, isPlatforms: false },
    { status: 'accepted', at: past.acceptedAt, isPlatforms: false },
    { status: 'sent', at: past.sentAt, isPlatforms: true, bit: stageBit.sent },
    { status: 'delivered', at: past.deliveredAt, isPlatforms: true, bit: stageBit.delivered },
    { status: 'read', at: past.readAt, isPlatforms: true },
    { status: 'failed', at: past.failedAt, isPlatforms: past.isFailureReported },
  ];
  let latestMs = Number.NEGATIVE_INFINITY;
  return stages.flatMap(({ status, at, isPlatforms, bit = 0 }) => {
    if (at === null) return [];
    latestMs = Math.max(latestMs, at.getTime());
    return {
      status,
      at: new Date(latestMs).toISOString(),
      platformTimestamp: isPlatforms ? at.toISOString() : null,
      implied: (past.implied & bit) !== 0,
    };
  });
}

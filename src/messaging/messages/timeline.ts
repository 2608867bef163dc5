// A message's timeline: its stages in the order in which they happen. Pure.
import { stageBit } from './message.ts';

/** The times in a message's row. */
export interface MessageTimes {
  createdAt: Date;
  acceptedAt: Date | null;
  /** This and the following times are the platform's, in whole seconds. */
  sentAt: Date | null;
  deliveredAt: Date | null;
  readAt: Date | null;
  /** The platform's time if `isFailureReported`, else the gateway's. */
  failedAt: Date | null;
  isFailureReported: boolean;
  implied: number;
}

export interface TimelineEntry {
  status: string;
  /** Never earlier than the previous entry. */
  at: string;
  /** The platform's time, unchanged; null for the gateway's own steps. */
  platformTimestamp: string | null;
  implied: boolean;
}

/**
 * The stages that a message has reached, in order. The platform truncates its times and has its own clock, so a time earlier
 * than the previous stage is raised to that stage's time.
 */
export function timelineOf(times: MessageTimes): TimelineEntry[] {
  const stages: { status: string; at: Date | null; isPlatformTime: boolean; bit?: number }[] = [
    { status: 'queued', at: times.createdAt, isPlatformTime: false },
    { status: 'accepted', at: times.acceptedAt, isPlatformTime: false },
    { status: 'sent', at: times.sentAt, isPlatformTime: true, bit: stageBit.sent },
    { status: 'delivered', at: times.deliveredAt, isPlatformTime: true, bit: stageBit.delivered },
    { status: 'read', at: times.readAt, isPlatformTime: true },
    { status: 'failed', at: times.failedAt, isPlatformTime: times.isFailureReported },
  ];
  let latestMs = Number.NEGATIVE_INFINITY;
  return stages.flatMap(({ status, at, isPlatformTime, bit = 0 }) => {
    if (at === null) return [];
    latestMs = Math.max(latestMs, at.getTime());
    return {
      status,
      at: new Date(latestMs).toISOString(),
      platformTimestamp: isPlatformTime ? at.toISOString() : null,
      implied: (times.implied & bit) !== 0,
    };
  });
}

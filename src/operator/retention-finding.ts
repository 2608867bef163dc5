// What "doctor" says about retention: what is kept for how long, and what a removal begins with.
import { noDays, type RetentionDays, type RetentionKind, retentionKinds } from '../base/retention-days.ts';
import { type Announcements, beginsAt } from '../retention/cutoffs.ts';
import { type Found, note, ok } from './finding.ts';

const names: Record<RetentionKind, string> = {
  messages: 'messages',
  received: 'received messages',
  deliveries: 'webhook deliveries',
  bookings: 'bookings',
  audit: 'entries of the audit log',
};

/** The finding of the settings and of what was announced; a note while a first removal lies ahead. */
export function retentionFinding(gateway: RetentionDays, announced: Announcements, now: Date): Found {
  const ahead: string[] = [];
  for (const kind of retentionKinds) {
    const days = gateway[kind];
    const at = days === null ? null : beginsAt(kind, { gateway, own: noDays, announced }, now);
    if (at !== null)
      ahead.push(
        `${names[kind]} older than ${days} days are removed from ${at.toISOString()} on, unless you set RETENTION_DAYS_${kind.toUpperCase()}`,
      );
  }
  if (ahead.length > 0)
    return note(
      ahead.join('\n'),
      'Set RETENTION_DAYS_… before, if these should be kept longer; see docs/retention.md.',
    );
  return ok(
    `kept: ${retentionKinds.map((kind) => `${names[kind]} ${gateway[kind] === null ? 'for ever' : `${gateway[kind]} days`}`).join(', ')}`,
  );
}

// The `calendars.status` webhook event.
import { uuidv7 } from '../../base/ids.ts';
import type { CalendarChange } from '../../contract/calendars.ts';
import { type EventToPublish, eventBody } from '../../webhooks/publish.ts';
import type { StoredConnection } from './connections-store.ts';

export type ReportedConnection = Pick<
  StoredConnection,
  'account_id' | 'staff_id' | 'provider' | 'calendar_id' | 'account_email' | 'dead_at' | 'failure'
>;

/**
 * `calendars.status` for a connection as it is at `now`; `disconnected` also covers one that is being removed. `missing`:
 * bookings whose events a mass deletion removed.
 */
export function calendarStatusEvent(
  now: number,
  row: ReportedConnection,
  reason: CalendarChange['reason'],
  missing: CalendarChange['missing'] = null,
): EventToPublish {
  const data: CalendarChange = {
    appointmentUserId: row.staff_id,
    reason,
    connected: reason !== 'disconnected' && row.dead_at === null,
    provider: row.provider,
    calendarId: row.calendar_id,
    accountEmail: row.account_email,
    error: row.failure,
    missing,
  };
  return {
    accountId: row.account_id,
    subjectId: uuidv7(now),
    stage: 0,
    kind: 'calendars.status',
    messageId: null,
    body: eventBody('calendars.status', now, data),
  };
}

// The state of a staff member's calendar. Pure.
import type { StaffMember } from '../../../client/src/generated.ts';

/** As in design/states.ts. */
export function calendarStateOf({ calendar, calendarConnected }: StaffMember): string {
  if (calendarConnected) return 'connected';
  return calendar === 'none' ? 'no_calendar' : 'disconnected';
}

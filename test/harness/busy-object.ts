// The busy times of one iCalendar text, of all its series together.
import { type BusyObject, joined, type Owner, readBusySeries } from '../../src/adapters/caldav/expansion.ts';
import type { Interval } from '../../src/ports/calendar.ts';

/** All busy times of one iCalendar text that overlap `span`, in no order. */
export const readBusyObject = (text: string, span: Interval, owner: Owner): BusyObject =>
  joined([...readBusySeries(text, span, owner)]);

// The calendar port with a provider that assigns event ids itself.
import { openAssignedIds } from './assigned-ids-calendar.ts';
import { busyTimesSuite } from './busy-times.suite.ts';
import { calendarSuite } from './calendar.suite.ts';

calendarSuite('assigned ids', openAssignedIds);
busyTimesSuite('assigned ids', openAssignedIds);

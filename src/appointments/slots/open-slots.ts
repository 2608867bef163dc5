// Response bodies with open slots: identical concurrent requests share one read and its text.
import type { SlotsResult } from '../../contract/appointments.ts';
import { ok } from '../../http/reply.ts';
import { coalesced } from '../../work/coalesce.ts';
import type { InFlight } from '../../work/in-flight.ts';
import { availableSlots, requestedDate, type SlotsDeps } from './available.ts';
import { dayQuery, type ReadStaffDay, requireActive } from './staff-days.ts';

export type OpenSlotsDeps = SlotsDeps & { readDay: ReadStaffDay; appointmentsInFlight: InFlight };

export interface OpenSlotsQuery {
  accountId: string;
  staffId: string;
  date: string;
  timezone?: string | undefined;
}

/** How long a request waits, including the wait for a read in progress. The calendar gets at least the second value. */
const waitMs = 10_000;
const calendarWaitMinMs = 1_000;

/**
 * Opens the reader for one process. Staff, schedule, bookings and busy times are read after the request arrived. Throws
 * what `requestedDate` and `availableSlots` throw.
 */
export function openSlotsReader(deps: OpenSlotsDeps): (query: OpenSlotsQuery) => Promise<string> {
  const share = coalesced<string>();

  async function read(query: OpenSlotsQuery, arrivedAt: number): Promise<string> {
    const day = requireActive(await deps.readDay(dayQuery(query)));
    const requested = requestedDate(deps, day.staff, query, day.terms);
    const leftMs = Math.max(calendarWaitMinMs, arrivedAt + waitMs - deps.clock.steady());
    const slots = await availableSlots(deps, requested, day, leftMs);
    const data: SlotsResult = {
      appointmentUserId: day.staff.id,
      date: requested.date,
      timezone: requested.timezone,
      slotMinutes: requested.terms.slotMinutes,
      slots,
    };
    return JSON.stringify(ok('Open slots listed.', data));
  }

  return (query) => {
    const { accountId, staffId, date, timezone } = query;
    const arrivedAt = deps.clock.steady();
    return share(JSON.stringify([accountId, staffId, date, timezone]), () =>
      deps.appointmentsInFlight.during(() => read(query, arrivedAt)),
    );
  };
}

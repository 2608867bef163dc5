// Booking requests for open slots.
import { randomUUID } from 'node:crypto';
import type { Slot } from '../client/src/client.ts';
import type { Account } from './bench-fixture.ts';
import type { OneCall } from './callers.ts';
import { dateIn, type Staff } from './staff.ts';

/** The open slots of a date. */
export async function openSlots(account: Account, staff: Staff, date: string): Promise<Slot[]> {
  return (await account.client.listAvailableSlots({ appointmentUserId: staff.id, date })).slots;
}

/** A request for a slot, with its own key. */
export function booking(account: Account, staff: Staff, date: string, { from, to }: Slot): OneCall {
  return {
    method: 'POST',
    path: '/v1/appointments/book',
    headers: {
      'content-type': 'application/json',
      'x-api-key': account.apiKey,
      'idempotency-key': randomUUID(),
    },
    body: JSON.stringify({
      appointmentUserId: staff.id,
      date,
      from,
      to,
      email: 'guest@example.com',
      phoneNumber: '15550100001',
    }),
  };
}

/** Requests for distinct open slots, alternating between staff, so that neighbours have different calendars. */
export async function distinctBookings(
  account: Account,
  staff: Staff[],
  count: number,
  firstDay: number,
): Promise<OneCall[]> {
  const calls: OneCall[] = [];
  for (let day = firstDay; calls.length < count; day++) {
    const date = dateIn(day);
    const lists = await Promise.all(staff.map((one) => openSlots(account, one, date)));
    // every other slot, because a booking's buffer overlaps the next slot
    for (let at = 0; at < Math.max(...lists.map((list) => list.length)); at += 2) {
      staff.forEach((one, index) => {
        const slot = lists[index]?.[at];
        if (slot && calls.length < count) calls.push(booking(account, one, date, slot));
      });
    }
  }
  return calls;
}

// Callers who book while the cluster fails over: each slot is wanted by two of them, who repeat their request until it has an outcome.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { googleControl } from '../../../sandbox/google/control-client.ts';
import { type CampaignFixture, googleClient } from '../campaign-fixture.ts';
import type { Random } from '../random.ts';
import type { WantedBooking } from './check-bookings.ts';

export interface Staff {
  id: string;
  email: string;
}

const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const slotMinutes = 15;
/** Slots from 00:00 to 23:30, so that no slot ends at midnight. */
const slotsPerDay = 94;
const responseTimeoutMs = 30_000;

/** Creates staff with a connected calendar each, who can be booked at any time in the next 60 days. */
export async function createStaff({ sandbox, call }: CampaignFixture, count: number): Promise<Staff[]> {
  const google = googleControl(sandbox.googleUrl);
  await google.putClient(googleClient);
  const staff: Staff[] = [];
  for (let index = 0; index < count; index += 1) {
    const email = `staff${index}@example.com`;
    const { _id: id } = await call<{ _id: string }>('POST', '/v1/appointments/users', {
      name: `Staff ${index}`,
    });
    await call('PUT', `/v1/appointments/users/${id}/schedule`, {
      timezone: 'UTC',
      slotMinutes,
      bookingWindowDays: 60,
      weekly: weekdays.map((weekday) => ({ weekday, from: '00:00', to: '23:45' })),
    });
    await google.putAccount({ email, name: `Staff ${index}`, timeZone: 'UTC' });
    const path = `/v1/appointments/ext-calendar/auth-url?appointmentUserId=${id}`;
    const { authUrl } = await call<{ authUrl: string }>('GET', path);
    await google.set({ account: email });
    const page = await fetch(authUrl);
    if (!page.ok) throw new Error(`The calendar was not connected: ${page.status} ${await page.text()}`);
    staff.push({ id, email });
  }
  return staff;
}

export interface BookersInput {
  urls: string[];
  apiKey: string;
  staff: Staff[];
  random: Random;
  /** The first slot; rounds of a campaign share none. */
  firstSlot: number;
  lines: number;
}

export interface Bookers {
  wanted: WantedBooking[];
  stop(): Promise<void>;
  /** Repeats every request without an outcome, for at most `withinMs`. */
  repeatOpen(withinMs: number): Promise<void>;
}

const twoDigits = (n: number) => String(n).padStart(2, '0');
const timeOf = (minutes: number) => `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;

/** Starts `lines` lines, each of which wants one slot after the other for two callers with their own keys. */
export function startBookers({ urls, apiKey, staff, random, firstSlot, lines }: BookersInput): Bookers {
  const wanted: WantedBooking[] = [];
  let next = firstSlot;
  let isStopped = false;

  function slotAt(position: number) {
    const index = Math.floor(position / staff.length);
    const date = Temporal.Now.plainDateISO('UTC').add({ days: 2 + Math.floor(index / slotsPerDay) });
    const from = (index % slotsPerDay) * slotMinutes;
    const of = staff[position % staff.length] as Staff;
    return { staffId: of.id, date: date.toString(), from: timeOf(from), to: timeOf(from + slotMinutes) };
  }

  async function ask(one: WantedBooking): Promise<void> {
    const { staffId, ...slot } = one.slot;
    const contact = { staticQuestionAnswers: [], email: 'a@example.com', phoneNumber: '15550100001' };
    try {
      const response = await fetch(`${random.pick(urls)}/v1/appointments/book`, {
        method: 'POST',
        headers: { 'x-api-key': apiKey, 'content-type': 'application/json', 'idempotency-key': one.key },
        body: JSON.stringify({ appointmentUserId: staffId, ...slot, ...contact }),
        signal: AbortSignal.timeout(responseTimeoutMs),
      });
      const body = (await response.json()) as { code?: string; data?: { bookingId: string } };
      one.responses.push({ status: response.status, code: body.code, bookingId: body.data?.bookingId });
    } catch {
      one.unanswered += 1;
    }
  }
  const isOpen = ({ responses }: WantedBooking) =>
    !responses.some(({ status, code }) => status === 200 || code === 'slot_unavailable');

  async function line(): Promise<void> {
    while (!isStopped) {
      const slot = slotAt(next++);
      const rivals = [1, 2].map(
        (): WantedBooking => ({ key: randomUUID(), slot, responses: [], unanswered: 0 }),
      );
      wanted.push(...rivals);
      await Promise.all(
        rivals.map(async (one) => {
          await ask(one);
          while (isOpen(one) && !isStopped) {
            await sleep(300);
            await ask(one);
          }
        }),
      );
      await sleep(300);
    }
  }
  const running = Promise.all(Array.from({ length: lines }, line));
  return {
    wanted,
    async stop() {
      isStopped = true;
      await running;
    },
    async repeatOpen(withinMs) {
      const until = performance.now() + withinMs;
      for (let open = wanted.filter(isOpen); open.length > 0 && performance.now() < until; ) {
        await Promise.all(open.map(ask));
        open = open.filter(isOpen);
        if (open.length > 0) await sleep(500);
      }
    },
  };
}

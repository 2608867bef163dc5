// Bookings, reschedules and cancellations when the gateway is killed at every step: complete in both the database and the calendar, or in neither.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { bookingOf, comingMonday } from '../harness/appointments-fixture.ts';
import type { Call } from '../harness/gateway-client.ts';
import { type Deciding, inKilledProcesses, type Job, pointsOf, stepAt } from './booking-points.ts';
import { type FrozenGateways, openFrozenGateways, type Staff } from './frozen-gateways.ts';

const date = comingMonday();
const at = (clock: string) => `${date}T${clock}:00.000Z`;
/** A request that was killed, and the ids to find its result. */
interface Case {
  staff: Staff;
  key: string;
  bookingId: string;
  point: string;
  /** Whether the deciding step was executed before the kill. */
  decided: boolean;
}

interface Act extends Deciding {
  /** Creates what the request needs. */
  prepare(call: Call): Promise<Omit<Case, 'point' | 'decided'>>;
  request(call: Call, of: Omit<Case, 'point' | 'decided'>): Promise<unknown>;
}

const book = (call: Call, { staff, key }: { staff: Staff; key: string }) =>
  call('POST', '/v1/appointments/book', bookingOf(staff.id, date, '10:00', '10:30'), {
    'Idempotency-Key': key,
  });
const unbooked = async (call: Call) => ({
  staff: await gateways.staff(call, { slotStepMinutes: 15 }),
  key: randomUUID(),
  bookingId: '',
});
const booked = async (call: Call) => {
  const fresh = await unbooked(call);
  return { ...fresh, bookingId: String((await book(call, fresh)).bookingId) };
};
const changes = (id: string, what: string) => `/v1/appointments/bookings/${id}/${what}`;
const insertEvent = /^POST \/calendar\/v3\/calendars\/primary\/events/;

/** A booking whose process died before or after the event insert; its request is repeated. */
const left = (when: 'before' | 'after'): Act['prepare'] => {
  return async () => {
    const found = leftBehind[when].pop();
    if (!found) throw new Error(`no booking was left ${when} its insert`);
    return found;
  };
};
const leftBehind: Record<'before' | 'after', Omit<Case, 'point' | 'decided'>[]> = { before: [], after: [] };

const acts = {
  booking: { prepare: unbooked, request: book, decides: insertEvent },
  move: {
    prepare: booked,
    request: (call, { bookingId }) =>
      call('POST', changes(bookingId, 'reschedule'), { date, from: '10:15', to: '10:45' }),
    decides: 'occupyPending',
  },
  cancellation: {
    prepare: booked,
    request: (call, { bookingId }) => call('POST', changes(bookingId, 'cancel'), {}),
    decides: 'setPendingCancel',
  },
  'recovery without an event': {
    prepare: left('before'),
    request: book,
    // after this step it is an ordinary booking
    last: 'insertHolds',
  },
  'recovery of an event': { prepare: left('after'), request: book },
} satisfies Record<string, Act>;

type Name = keyof typeof acts;
const actOf = (name: Name): Act => acts[name];

let gateways: FrozenGateways;
let call: Call;
const cases = {} as Record<Name, Case[]>;

/** One job for each point of an act; adds a case for each. */
function haltedAt(name: Name, steps: string[]): Job[] {
  const act = actOf(name);
  cases[name] = [];
  return pointsOf(act, steps).map(({ step, point, decided, at }) => ({
    at,
    prepare: async (call) => {
      const prepared = await act.prepare(call);
      cases[name].push({ ...prepared, point, decided });
      const request = () => act.request(call, prepared);
      return async () => void (await (step ? gateways.halt(request, step) : request()));
    },
  }));
}

beforeAll(async () => {
  gateways = await openFrozenGateways();
  const steps = {} as Record<Name, string[]>;
  const stepsOf = (name: Name): Job => ({
    at: 'call',
    prepare: async (call) => {
      const prepared = await acts[name].prepare(call);
      return async () => {
        steps[name] = await gateways.stepsOf(() => acts[name].request(call, prepared));
      };
    },
  });
  /** Leaves a booking behind whose process dies before or after its insert. */
  const leave = (when: 'before' | 'after'): Job => ({
    at: 'call',
    prepare: async (call) => {
      const prepared = await unbooked(call);
      return async () => {
        const insert = steps.booking.findIndex((step) => insertEvent.test(step));
        const step = stepAt(steps.booking, when === 'before' ? insert : insert + 1);
        await gateways.halt(() => book(call, prepared), step);
        leftBehind[when].push(prepared);
      };
    },
  });
  const some = (count: number, job: Job) => Array.from({ length: count }, () => job);

  const plain = ['booking', 'move', 'cancellation'] as const;
  await inKilledProcesses(gateways, [...plain.map(stepsOf), leave('before'), leave('after')]);
  await gateways.expireLeases();
  const recoveries = ['recovery without an event', 'recovery of an event'] as const;
  await inKilledProcesses(gateways, recoveries.map(stepsOf));
  const counts = recoveries.map((name) => pointsOf(actOf(name), steps[name]).length);
  await inKilledProcesses(gateways, [
    ...some(counts[0] ?? 0, leave('before')),
    ...some(counts[1] ?? 0, leave('after')),
    ...plain.flatMap((name) => haltedAt(name, steps[name])),
  ]);
  await gateways.expireLeases();
  await inKilledProcesses(
    gateways,
    recoveries.flatMap((name) => haltedAt(name, steps[name])),
  );

  await gateways.expireLeases();
  ({ call } = await gateways.start('all'));
  const unfinished = async () =>
    (await sql`select id from bookings where due_at is not null`.execute(gateways.database.db)).rows;
  await vi.waitFor(async () => expect(await unfinished()).toEqual([]), { timeout: 120_000, interval: 20 });
}, 300_000);
afterAll(() => gateways?.close(), 60_000);

async function found({ staff }: Case) {
  const events = await gateways.google.liveEvents(staff.email);
  const { rows } = await sql<{ id: string; state: string; from: string }>`
    select b.id, b.state, to_char(lower(o.during), 'HH24:MI') as from
    from bookings b left join occupancies o on o.booking_id = b.id where b.staff_id = ${staff.id}`.execute(
    gateways.database.db,
  );
  return {
    events: events.map(({ id, start }) => ({ id, from: start.dateTime?.slice(11, 16) })),
    occupied: rows.filter(({ from }) => from !== null),
    states: rows.map(({ state }) => state),
  };
}

const eventOf = (bookingId: string, from: string) => ({ id: bookingId.replaceAll('-', ''), from });

/** Checks each case; a failure names the case's point. */
async function each(name: Name, check: (one: Case) => Promise<void>): Promise<void> {
  const points = cases[name].map(({ point }) => point.replace(/^\d+ /, ''));
  expect(points.length).toBeGreaterThan(5);
  for (const one of cases[name]) {
    await check(one).catch((error: Error) => {
      error.message = `killed before ${one.point}: ${error.message}`;
      throw error;
    });
  }
}

describe('killed at every point', () => {
  test('the points are all steps between the first write and the response', () => {
    const names = (name: Name) => cases[name].map(({ point }) => point.replace(/^\d+ /, ''));
    const all = (...words: string[]) =>
      expect.arrayContaining(words.map((word) => expect.stringContaining(word)));
    expect(names('booking')).toEqual(
      all(
        ...['insertHolds', 'commit', 'POST /token', 'freeBusy', 'startInserts'],
        ...[
          'POST /calendar/v3/calendars/primary/events',
          'answer to POST /calendar/v3/calendars/primary/events',
        ],
        ...['confirmHolds', 'at the end'],
      ),
    );
    expect(names('move')).toEqual(
      all(
        ...[
          'occupyPending',
          'setPendingMove',
          'startMove',
          'PATCH',
          'finishMove',
          'freeCurrent',
          'keepPending',
        ],
      ),
    );
    expect(names('cancellation')).toEqual(all('setPendingCancel', 'DELETE', 'finishCancel', 'freeTime'));
    expect(names('recovery without an event')).toEqual(
      all(
        ...['startCompensation', 'POST /calendar', 'DELETE', 'finishCompensation', 'freeTime', 'freeKeysOf'],
      ),
    );
  });

  test('a booking is confirmed with one event or removed with none, and the same key then returns one booking', () =>
    each('booking', async (one) => {
      const { events, occupied, states } = await found(one);
      const [booking] = occupied;
      expect(states.filter((state) => state !== 'undone')).toEqual(one.decided ? ['confirmed'] : []);
      expect(events).toEqual(one.decided ? [eventOf(booking?.id ?? '', '10:00')] : []);
      expect(occupied).toHaveLength(one.decided ? 1 : 0);
      await expectOneBooking(one);
    }));

  test('a recovery that is killed is recovered again, with one booking and one event in the end', async () => {
    await each('recovery without an event', async (one) => {
      const { events, occupied, states } = await found(one);
      expect({ events, occupied, states: states.filter((state) => state !== 'undone') }).toEqual({
        ...{ events: [], occupied: [], states: [] },
      });
      await expectOneBooking(one);
    });
    await each('recovery of an event', async (one) => {
      const { events, occupied, states } = await found(one);
      expect(states).toEqual(['confirmed']);
      expect(events).toEqual([eventOf(occupied[0]?.id ?? '', '10:00')]);
      await expectOneBooking(one);
    });
  });

  test('a reschedule ends at the old or the new time, in both the database and the calendar', () =>
    each('move', async (one) => {
      const from = one.decided ? '10:15' : '10:00';
      const shown = await call('GET', `/v1/appointments/bookings/${one.bookingId}`);
      expect(shown).toMatchObject({ status: 'confirmed', pendingChange: null, startsAt: at(from) });
      const { events, occupied } = await found(one);
      expect(events).toEqual([eventOf(one.bookingId, from)]);
      expect(occupied.map((row) => row.from)).toEqual([from]);
    }));

  test('a cancellation is completed if it was committed, else the booking stays', () =>
    each('cancellation', async (one) => {
      const shown = await call('GET', `/v1/appointments/bookings/${one.bookingId}`);
      expect(shown).toMatchObject({ status: one.decided ? 'cancelled' : 'confirmed', pendingChange: null });
      const { events, occupied } = await found(one);
      expect(events).toEqual(one.decided ? [] : [eventOf(one.bookingId, '10:00')]);
      expect(occupied).toHaveLength(one.decided ? 0 : 1);
    }));
});

/** A repeat of the request returns the existing booking or creates one, never a second. */
async function expectOneBooking(one: Case): Promise<void> {
  const { bookingId } = await book(call, one);
  const { events, occupied } = await found(one);
  expect(events).toEqual([eventOf(String(bookingId), '10:00')]);
  expect(occupied.map(({ id }) => id)).toEqual([bookingId]);
}

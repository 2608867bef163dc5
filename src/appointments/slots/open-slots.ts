// The bytes that a question for open slots is answered with: the same questions that wait at the same time share them.
import type { SlotsAnswer } from '../../contract/appointments.ts';
import { ok } from '../../http/reply.ts';
import { rounds } from '../../work/rounds.ts';
import { askedDate, availableSlots, type SlotsDeps } from './available.ts';
import { activeReading, askedDay, type ReadDay } from './readings.ts';

export type OpenSlotsDeps = SlotsDeps & { readDay: ReadDay };

export interface SlotsQuestion {
  accountId: string;
  staffId: string;
  date: string;
  timezone?: string | undefined;
}

/** How long a question may wait for the calendar, its turn included; whoever waited for a turn has this at least. */
const waitMs = 10_000;
const waitAtLeastMs = 1_000;

/**
 * Opens the answering for one process. Everything in an answer (staff, schedule, bookings, busy times) is read after the
 * question came. Rejects as `askedDate` and `availableSlots` do.
 */
export function openSlotAnswers(deps: OpenSlotsDeps): (question: SlotsQuestion) => Promise<Buffer> {
  const ask = rounds<Buffer>();

  async function answer(question: SlotsQuestion, cameAt: number): Promise<Buffer> {
    const { accountId, staffId, date } = question;
    const reading = activeReading(await deps.readDay(askedDay(accountId, staffId, date)));
    const asked = askedDate(deps, reading.staff, question, reading.terms);
    const leftMs = Math.max(waitAtLeastMs, cameAt + waitMs - deps.clock.steady());
    const slots = await availableSlots(deps, asked, reading, leftMs);
    const data: SlotsAnswer = {
      appointmentUserId: reading.staff.id,
      date: asked.date,
      timezone: asked.timezone,
      slotMinutes: asked.terms.slotMinutes,
      slots,
    };
    return Buffer.from(JSON.stringify(ok('Open slots listed.', data)));
  }

  return (question) => {
    const { accountId, staffId, date, timezone } = question;
    const cameAt = deps.clock.steady();
    return ask(JSON.stringify([accountId, staffId, date, timezone]), () => answer(question, cameAt));
  };
}

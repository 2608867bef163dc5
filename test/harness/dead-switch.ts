// A process that dies at a chosen point: from its n-th step on, no statement and no call of it reaches the outside.
import type { KyselyPlugin } from 'kysely';
import type { Db } from '../../src/db/db.ts';
import type { Calendar } from '../../src/ports/calendar.ts';

export interface DeadSwitch {
  /** Steps taken: statements begun, calls begun, and calls whose answer came. */
  steps(): number;
  db: Db;
  calendar: Calendar;
}

class Died extends Error {}

/** Wraps a database and a calendar; the step numbered `diesAt` (from 1), and every one after it, fails before it does anything. */
export function deadSwitch(db: Db, calendar: Calendar, diesAt: number): DeadSwitch {
  let steps = 0;
  const step = () => {
    steps += 1;
    if (steps >= diesAt) throw new Died('the process is dead');
  };
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      step();
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const calling = new Proxy(calendar, {
    get(target, name) {
      const member = Reflect.get(target, name) as unknown;
      if (typeof member !== 'function') return member;
      return async (...given: unknown[]) => {
        step();
        const answer = await (member as (...given: unknown[]) => Promise<unknown>).apply(target, given);
        // dead before the answer is heard
        step();
        return answer;
      };
    },
  });
  return { steps: () => steps, db: db.withPlugin(plugin) as Db, calendar: calling };
}

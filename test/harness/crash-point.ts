// A simulated crash of a process: from a chosen step on, none of its statements and calls is executed.
import type { KyselyPlugin } from 'kysely';
import type { Db } from '../../src/db/db.ts';
import type { Calendar } from '../../src/ports/calendar.ts';

export interface CrashPoint {
  /** Steps so far: started statements, started calls, and received responses. */
  steps(): number;
  db: Db;
  calendar: Calendar;
}

class Crashed extends Error {}

/** Wraps a database and a calendar. Step number `crashStep` (from 1) and all later steps fail without an effect. */
export function crashAt(db: Db, calendar: Calendar, crashStep: number): CrashPoint {
  let steps = 0;
  const step = () => {
    steps += 1;
    if (steps >= crashStep) throw new Crashed('the process has crashed');
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
        // crash before the response is received
        step();
        return answer;
      };
    },
  });
  return { steps: () => steps, db: db.withPlugin(plugin) as Db, calendar: calling };
}

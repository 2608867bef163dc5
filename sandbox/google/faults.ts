// Configurable faults of the simulated Google, including calls that take effect after their caller has given up.
import { ControlError } from '../server.ts';

const operations = [
  'oauth.auth',
  'oauth.token',
  'oauth.revoke',
  'freebusy.query',
  'events.insert',
  'events.get',
  'events.patch',
  'events.update',
  'events.delete',
  'events.list',
  'calendarList.list',
] as const;

export type Operation = (typeof operations)[number];

/**
 * `refuse`: responds with the API's (or OAuth's) error of `reason`; with `when: 'after'` the call is carried out first.
 * `hang`: never responds. `reset`: cuts the connection, before or after the call. `delay`: waits `ms` first.
 * `land_late`: carries the call out when `land` is called. `garble`: carries it out and responds 200 with
 * `body`, by default no JSON.
 * `inner_errors`: free-busy responds 200 with an error inside, for one calendar or all.
 */
export type FaultAction =
  | {
      does: 'refuse';
      reason: string;
      status?: number;
      message?: string;
      retryAfterSeconds?: number;
      /** `Retry-After` in any form, such as a date. */
      retryAfter?: string;
      when?: 'before' | 'after';
    }
  | { does: 'hang' }
  | { does: 'reset'; when?: 'before' | 'after' }
  | { does: 'delay'; ms: number }
  | { does: 'land_late' }
  | { does: 'garble'; body?: string }
  | { does: 'inner_errors'; reason: string; calendarId?: string };

/** Affects calls of `on` (absent: all), after `skip` of them, `times` times (absent: until cleared). */
export type Fault = FaultAction & { on?: Operation; times?: number; skip?: number };

export interface Faults {
  add(given: unknown): void;
  take(operation: string): Fault | undefined;
  list(): Fault[];
  clear(): void;
  /** Resolves when `land` is called. */
  landing(): Promise<void>;
  /** Carries out the waiting calls. Returns how many. */
  land(): number;
}

const actions = ['refuse', 'hang', 'reset', 'delay', 'land_late', 'garble', 'inner_errors'];

export function faultList(): Faults {
  let faults: Fault[] = [];
  let waiting: (() => void)[] = [];
  return {
    add(given) {
      const fault = { ...(given as Fault) };
      if (!actions.includes(fault.does))
        throw new ControlError(400, `does: must be one of ${actions.join(', ')}`);
      if (fault.on !== undefined && !operations.includes(fault.on)) {
        throw new ControlError(400, `on: must be one of ${operations.join(', ')}`);
      }
      faults.push(fault);
    },
    take(operation) {
      const fault = faults.find((one) => (one.on ?? operation) === operation);
      if (fault === undefined) return undefined;
      if (fault.skip !== undefined && fault.skip > 0) {
        fault.skip -= 1;
        return undefined;
      }
      if (fault.times !== undefined && --fault.times <= 0) faults = faults.filter((one) => one !== fault);
      return fault;
    },
    list: () => faults,
    clear: () => {
      faults = [];
    },
    landing: () => new Promise((resolve) => waiting.push(resolve)),
    land: () => {
      const all = waiting;
      waiting = [];
      for (const go of all) go();
      return all.length;
    },
  };
}

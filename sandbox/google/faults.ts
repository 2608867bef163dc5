// Faults the simulated Google is configured to show, and inserts that land when their caller has long gone.
import { ControlError } from '../server.ts';

export const operations = [
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
 * `refuse` answers with the API's error of `reason` (or OAuth's, at its endpoints); with `when: 'after'` the call is
 * carried out all the same. `hang` never answers. `reset` cuts the connection, before or after carrying it out.
 * `delay` waits `ms` first. `land_late` carries the call out when `land` is called, whoever still waits by then.
 * `inner_errors` answers free-busy with 200 and an error inside, for one calendar or for all. `garble` answers 200
 * with something that is not JSON, the call carried out.
 */
export type FaultAction =
  | {
      does: 'refuse';
      reason: string;
      status?: number;
      message?: string;
      retryAfterSeconds?: number;
      when?: 'before' | 'after';
    }
  | { does: 'hang' }
  | { does: 'reset'; when?: 'before' | 'after' }
  | { does: 'delay'; ms: number }
  | { does: 'land_late' }
  | { does: 'garble' }
  | { does: 'inner_errors'; reason: string; calendarId?: string };

/** Meets the calls of `on` (absent: all), after letting `skip` of them pass, `times` times (absent: until cleared). */
export type Fault = FaultAction & { on?: Operation; times?: number; skip?: number };

export interface Faults {
  add(given: unknown): void;
  take(operation: string): Fault | undefined;
  list(): Fault[];
  clear(): void;
  /** Resolves when `land` is called. */
  landing(): Promise<void>;
  /** Carries out what waits to land. Returns how many. */
  land(): number;
}

const actions = ['refuse', 'hang', 'reset', 'delay', 'land_late', 'garble', 'inner_errors'];

export function faultList(): Faults {
  let faults: Fault[] = [];
  let waiting: (() => void)[] = [];
  return {
    add(given) {
      const fault = { ...(given as Fault) };
      if (!actions.includes(fault.does)) throw new ControlError(400, `does: one of ${actions.join(', ')}`);
      if (fault.on !== undefined && !operations.includes(fault.on)) {
        throw new ControlError(400, `on: one of ${operations.join(', ')}`);
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

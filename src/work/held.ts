// Whether the gateway is held, as this process last saw it: for requests and workers, which ask often.
import type { Log } from '../base/log.ts';
import type { Db } from '../db/db.ts';
import { findHeldSince } from '../db/gateway-state.ts';
import type { ClockWatch } from './clock-watch.ts';

export interface Held {
  /** At most two seconds old. The statements that begin calls and claim work check the database itself. */
  isHeld(): boolean;
  /** Reads the state again. */
  refresh(db: Db): Promise<void>;
}

/** Reads the state. It begins only by a restore, and ends only by the command "release". */
export async function openHeld({ db, log }: { db: Db; log: Log }): Promise<Held> {
  let held = (await findHeldSince(db)) !== null;
  if (held) log.warn('gateway.held');
  return {
    isHeld: () => held,
    async refresh(from) {
      const was = held;
      held = (await findHeldSince(from)) !== null;
      if (held !== was) log.warn(held ? 'gateway.held' : 'gateway.released');
    },
  };
}

/** Reads whether the gateway is held as often as the clocks. */
export function watchHeld(watch: ClockWatch, { held, db }: { held: Held; db: Db }): ClockWatch {
  return {
    async round() {
      await held.refresh(db);
      return watch.round();
    },
    async read(tx) {
      await held.refresh(tx);
      await watch.read(tx);
    },
  };
}

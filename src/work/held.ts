// Whether the gateway is held, as this process last saw it: for requests and workers, which ask often.
import type { Log } from '../base/log.ts';
import type { Db } from '../db/db.ts';
import { findHeldSince } from '../db/gateway-state.ts';
import type { ClockWatch } from './clock-watch.ts';

export interface Held {
  /** At most two seconds old. The statements that begin calls and claim work check the database itself. */
  isHeld(): boolean;
  /** Since when, of the same age; null: the gateway is not held. */
  heldSince(): Date | null;
  /** Reads the state again. */
  refresh(db: Db): Promise<void>;
}

/** Reads the state. It begins only by a restore, and ends only by the command "release". */
export async function openHeld({ db, log }: { db: Db; log: Log }): Promise<Held> {
  let since = await findHeldSince(db);
  if (since !== null) log.warn('gateway.held');
  return {
    isHeld: () => since !== null,
    heldSince: () => since,
    async refresh(from) {
      const wasHeld = since !== null;
      since = await findHeldSince(from);
      const isHeld = since !== null;
      if (isHeld !== wasHeld) log.warn(isHeld ? 'gateway.held' : 'gateway.released');
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

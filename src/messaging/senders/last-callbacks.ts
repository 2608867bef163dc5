// When the last callback of each number came: kept in memory, written every few seconds.
import type { Clock } from '../../base/clock.ts';
import type { Db } from '../../db/db.ts';
import { recordCallbacks } from './states-store.ts';

export interface LastCallbacks {
  /** Notes that a callback of these senders came. */
  note(senderIds: Iterable<string>): void;
  /** Writes what was noted since the last call; keeps it for the next one if the database fails. */
  flush(): Promise<void>;
}

/** Opens the notes of one process. */
export function openLastCallbacks({ db, clock }: { db: Db; clock: Clock }): LastCallbacks {
  let noted = new Map<string, number>();
  return {
    note(senderIds) {
      const now = clock.now();
      for (const id of senderIds) noted.set(id, now);
    },
    async flush() {
      if (noted.size === 0) return;
      const seen = noted;
      noted = new Map();
      try {
        await recordCallbacks(db, seen);
      } catch (error) {
        noted = new Map([...seen, ...noted]);
        throw error;
      }
    },
  };
}

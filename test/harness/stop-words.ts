// Stop words of an account, set without the API.
import type { Db } from '../../src/db/db.ts';
import { putSettings } from '../../src/messaging/opt-outs/settings-store.ts';

/** Sets the stop words of an account, and nothing else of its settings of opt-outs. */
export const putStopWords = (db: Db, accountId: string, stopWords: string[]): Promise<void> =>
  putSettings(db, accountId, {
    stopWords,
    ...{ startWords: [], buttonPayloads: [], reply: { stop: null, start: null } },
  });

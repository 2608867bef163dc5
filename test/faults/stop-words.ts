// Stop words that come and go: with them an account's inbound messages take a transaction, without them one statement that commits itself.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../../src/db/db.ts';
import { putStopWords } from '../harness/stop-words.ts';
import { type Lines, startLines } from './operators.ts';

const changeEveryMs = 1_500;
/** Nobody writes it. */
const stopWords = ['stop this now'];

/** Sets and removes the stop words of an account in turn. The API removes words, but never the account's row. */
export function startStopWords(db: Db, accountId: string): Lines {
  let areSet = false;
  return startLines(1, async () => {
    areSet = !areSet;
    const change = areSet
      ? putStopWords(db, accountId, stopWords)
      : sql`delete from opt_out_settings where account_id = ${accountId}`.execute(db);
    // the next one comes soon, also after an outage
    await change.catch(() => undefined);
    await sleep(changeEveryMs);
  });
}

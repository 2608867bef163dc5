// One send with its messages, stored by the statement that requests share.
import type { Db, Tx } from '../../src/db/db.ts';
import {
  type InsertedSend,
  insertSends,
  type NewMessage,
  type NewSend,
} from '../../src/messaging/sending/new-sends-store.ts';

/** Inserts one send without a key; waits for locks. Undefined as for `insertSends`. */
export async function insertSend(
  db: Db | Tx,
  send: NewSend,
  messages: readonly NewMessage[],
  { processId, ...common }: { priority: number; expiresInSeconds: number; processId: number },
): Promise<InsertedSend | undefined> {
  return (await insertSends(db, [{ send, messages, ...common }], { processId, ifLocked: 'wait' }))[0];
}

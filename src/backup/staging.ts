// Makes a restored copy harmless: it can reach neither the platform nor receivers nor calendars of the original.
import { randomBytes } from 'node:crypto';
import type { Cipher } from '../base/cipher.ts';
import { nilUuid } from '../base/ids.ts';
import type { Db } from '../db/db.ts';
import {
  type ExternalTable,
  listIds,
  replaceCalendar,
  replaceEndpoint,
  replaceSender,
  revokeKeys,
} from './staging-store.ts';

/** RFC 2606: this domain never resolves. */
const nowhere = 'https://copy.invalid';
const disconnected = 'A restored copy has no access to calendars. Connect the calendar again.';
const rowsAtOnce = 500;

/** What was replaced. */
export interface Replaced {
  endpoints: number;
  senders: number;
  calendars: number;
}

const random = (bytes: number) => randomBytes(bytes).toString('hex');

/**
 * Replaces the addresses and secrets of webhook endpoints, the tokens and addresses of numbers, and the authorizations of
 * calendars, in the caller's transaction. API keys of the original no longer work.
 */
export async function replaceAddressesAndTokens(tx: Db, cipher: Cipher): Promise<Replaced> {
  const endpoints = await eachId(tx, 'endpoints', (id) =>
    replaceEndpoint(tx, {
      id,
      url: `${nowhere}/${id}`,
      secret: cipher.encrypt(`whsec_${randomBytes(32).toString('base64')}`, {
        table: 'endpoints',
        column: 'secret',
        row: id,
      }),
    }),
  );
  const senders = await eachId(tx, 'senders', (id) => {
    const encrypted = (column: string, plain: string) =>
      cipher.encrypt(plain, { table: 'senders', column, row: id });
    return replaceSender(tx, {
      id,
      apiUrl: nowhere,
      accessToken: encrypted('access_token', `copy-${random(16)}`),
      appSecret: encrypted('app_secret', random(16)),
      verifyToken: encrypted('verify_token', random(16)),
    });
  });
  const calendars = await eachId(tx, 'calendar_connections', (id) => {
    const place = { table: 'calendar_connections', column: 'credential', row: id };
    return replaceCalendar(tx, { id, credential: cipher.encrypt('{}', place), failure: disconnected });
  });
  await revokeKeys(tx);
  return { endpoints, senders, calendars };
}

/** Calls `change` for each row of a table; returns their number. */
async function eachId(tx: Db, table: ExternalTable, change: (id: string) => Promise<void>): Promise<number> {
  let changed = 0;
  for (let afterId = nilUuid; ; ) {
    const ids = await listIds(tx, table, { afterId, limit: rowsAtOnce });
    for (const id of ids) await change(id);
    changed += ids.length;
    const last = ids.at(-1);
    if (last === undefined) return changed;
    afterId = last;
  }
}

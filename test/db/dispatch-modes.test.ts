// How messages with files are dispatched: right after the commit only if the platform knows every file for their number.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import {
  forgetRejectedRegistration,
  forgetReportedRegistrations,
  openKnownRegistrations,
} from '../../src/messaging/media/register.ts';
import { saveRegistration } from '../../src/messaging/media/store.ts';
import { chooseDispatchModes } from '../../src/messaging/sending/dispatch-modes.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { message, openSendStore, type SendStore } from '../harness/sends-in-database.ts';

let database: TestDatabase;
let store: SendStore;
beforeAll(async () => {
  database = await createTestDatabase();
  store = await openSendStore(database);
});
afterAll(() => database.drop());

const knownRegistrations = openKnownRegistrations(systemClock);
const hourMs = 3_600_000;
const register = (mediaId: string, senderId: string, forMs = 30 * 24 * hourMs) =>
  saveRegistration(database.db, {
    ...{ mediaId, senderId, platformMediaId: `platform's ${mediaId}` },
    expiresAt: new Date(Date.now() + forMs),
  });
const idOf = async (publicId: string) => {
  const { rows } = await sql<{ id: string }>`select id from media where public_id = ${publicId}`.execute(
    database.db,
  );
  return rows[0]?.id as string;
};
const file = async () => idOf(await store.addFile());

/** The modes of messages with these files, if every call is free, and the platform's ids. */
async function chosen(senderId: string, files: (string | null)[]) {
  const dispatcher = { reserveCalls: async (_: string, wanted: number) => wanted, capacity: () => 1_000 };
  const deps = { db: database.db, clock: systemClock, knownRegistrations, dispatcher };
  const messages = files.map((mediaId) => message({ mediaId, dispatchMode: 'queued' }));
  const ids = await chooseDispatchModes(deps, messages, { id: senderId, messages_per_second: 1_000 }, 1);
  return { modes: messages.map(({ dispatchMode }) => dispatchMode), ids: new Map(ids) };
}

it('messages whose files the platform knows are called right after the commit, with its ids', async () => {
  const senderId = await store.addSender();
  const [one, two] = [await file(), await file()];
  for (const each of [one, two]) await register(each, senderId);
  expect(await chosen(senderId, [one, two, one, null])).toEqual({
    modes: ['dispatching', 'dispatching', 'dispatching', 'dispatching'],
    ids: new Map([one, two].map((id) => [id, `platform's ${id}`])),
  });
});

it.each([
  ['is not registered', undefined],
  ['was registered for another number', { elsewhere: true, forMs: undefined }],
  ['has a registration that ends soon', { elsewhere: false, forMs: hourMs / 2 }],
])('none is called before its file is registered: one %s', async (_what, registered) => {
  const senderId = await store.addSender();
  const [known, other] = [await file(), await file()];
  await register(known, senderId);
  if (registered)
    await register(other, registered.elsewhere ? await store.addSender() : senderId, registered.forMs);
  expect(await chosen(senderId, [known, other])).toEqual({ modes: ['leased', 'leased'], ids: new Map() });
  expect((await chosen(senderId, [known])).modes).toEqual(['dispatching']);
});

it('a registration that the platform rejected is not used again', async () => {
  const deps = { db: database.db, clock: systemClock, knownRegistrations };
  const senderId = await store.addSender();
  const mediaId = await file();
  const [platformMediaId, registeredBefore] = [`platform's ${mediaId}`, new Date(Date.now() + hourMs)];
  const known = async () => (await chosen(senderId, [mediaId])).ids.get(mediaId);
  await register(mediaId, senderId);
  expect(await known()).toBe(platformMediaId);
  await forgetRejectedRegistration(deps, { mediaId, senderId, platformMediaId, registeredBefore });
  expect(await known()).toBeUndefined();
  await register(mediaId, senderId);
  expect(await known()).toBe(platformMediaId);
  await sql`delete from media_registrations where media_id = ${mediaId}`.execute(database.db);
  await forgetReportedRegistrations(deps, []);
  expect(await known()).toBeUndefined();
});

// The connections of reserved calls: as many are released as were acquired, whatever becomes of the sender.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { message, open, rowOf, sender, write } from '../harness/dispatch.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

it.each([
  ['was removed', {}, null],
  ['got an own address', {}, { isOwnAddress: true }],
  ['lost its own address', { isOwnAddress: true }, {}],
])(
  'reserved calls release as many connections as they got if the sender %s in the meantime',
  async (_what, before, after) => {
    let access: object | null = before;
    const { dispatcher, called, release } = open(
      database,
      database.hot,
      false,
      systemClock,
      async () => access,
    );
    release();
    const changing = await sender(database);
    const one = message(changing);
    for (let round = 0; round < 20; round++) {
      access = before;
      expect(await dispatcher.reserveCalls(changing, 2)).toBe(2);
      access = after;
      dispatcher.releaseCalls(changing, await dispatcher.reserveCalls(changing, 1));
      if (round === 0) {
        await write(database, one);
        dispatcher.callReserved([one], { begunAtMs: systemClock.steady(), firstInMs: 0, files: new Map() });
        await expect.poll(async () => (await rowOf(database, one))?.state).toBe(2);
      }
      dispatcher.releaseCalls(changing, round === 0 ? 1 : 2);
    }
    expect(called).toEqual([one.id]);
    access = {};
    const others = await Promise.all(Array.from({ length: 4 }, () => sender(database)));
    const reserved = await Promise.all(others.map((other) => dispatcher.reserveCalls(other, 10)));
    // the limit of connections at first
    expect(reserved).toEqual([10, 10, 10, 2]);
    others.forEach((other, index) => {
      dispatcher.releaseCalls(other, reserved[index] ?? 0);
    });
    await dispatcher.stop();
  },
);

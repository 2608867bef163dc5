// A test file that moves the program's clock must have a process of its own: see `movesClock` in vitest.config.ts.
import { afterAll, expect } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';

afterAll(() => {
  const aheadMs = Number.parseInt(uuidv7().replace('-', '').slice(0, 12), 16) - Date.now();
  expect(aheadMs, 'how far the ids of this process are ahead: this file moved the clock').toBeLessThan(5_000);
});

// The error of an outgoing call that a test expects to fail.
import { expect } from 'vitest';
import type { OutgoingError } from '../../src/base/outgoing/error.ts';

/** Resolves with the error of a call; fails if the call succeeds. */
export const failure = async (promise: Promise<unknown>): Promise<OutgoingError> =>
  promise.then(
    () => expect.fail('the call should have failed'),
    (error) => error as OutgoingError,
  );

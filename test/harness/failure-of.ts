// The error of work that fails.

/** Returns the error that a promise is rejected with; undefined if it is fulfilled. */
export const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

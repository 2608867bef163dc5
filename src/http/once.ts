// Lazy initialization of values. Compiling the schemas of all routes took half of the time of a start.

/** Returns a function that calls `make` the first time, and returns that value from then on. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

// A mutation: one small sabotage of the source, and the tests that must notice it.

export interface Mutation {
  /** The promise that it breaks, in a few words; unique. */
  name: string;
  /** The file that it changes, from the checkout's root. */
  file: string;
  /** Text that occurs exactly once in the file. */
  find: string;
  /** What it becomes. */
  replace: string;
  /** Test files, at least one of whose tests must fail. */
  tests: string[];
}

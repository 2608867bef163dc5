// A choice of a few values, each with its word: what segments and tabs have in common.

export interface Choice<T extends string> {
  label: string;
  values: readonly T[];
  chosen: T;
  wordOf: (value: T) => string;
  onChoose: (value: T) => void;
}

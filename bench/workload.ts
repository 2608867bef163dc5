// The definition of a workload: what it measures, its options with defaults, and its function.
import { parseArgs } from 'node:util';

type Value = number | string | boolean;
type Options = Record<string, Value>;

/** Widens a default such as `3` to its type. */
type Widened<V> = V extends number ? number : V extends string ? string : boolean;

export interface Workload<O extends Options = Options> {
  /** What it measures, in one line. */
  about: string;
  /** Each option's default and meaning; defaults are small, for trials. */
  options: { [K in keyof O]: { default: O[K]; about: string } };
  run(options: { [K in keyof O]: Widened<O[K]> }): Promise<void>;
}

/** Defines a workload, and infers the types of its options. */
export function workload<O extends Options>(given: Workload<O>): Workload {
  return given as unknown as Workload;
}

/** The options of every workload. */
const commonOptions = {
  gateway: { default: '', about: 'another checkout whose gateway is measured, to compare versions' },
};

const optionsOf = (given: Workload): Workload['options'] => ({ ...given.options, ...commonOptions });

const flagOf = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Reads `--recipients-per-send 100` into `recipientsPerSend`; throws for unknown options. */
export function readOptions(given: Workload, args: string[]): Options {
  const kinds = Object.entries(optionsOf(given)).map(([name, option]) => {
    const type = typeof option.default === 'boolean' ? 'boolean' : 'string';
    return [flagOf(name), { type }] as const;
  });
  const { values } = parseArgs({ args, options: Object.fromEntries(kinds), allowNegative: true });
  return Object.fromEntries(
    Object.entries(optionsOf(given)).map(([name, option]) => {
      const value = values[flagOf(name)];
      if (value === undefined) return [name, option.default];
      if (typeof option.default !== 'number') return [name, value as Value];
      const number = Number(value);
      if (!Number.isFinite(number) || number < 0)
        throw new Error(`--${flagOf(name)} must be a number, not "${value}".`);
      return [name, number];
    }),
  );
}

/** The options as a help text. */
export function optionLines(given: Workload): string[] {
  return Object.entries(optionsOf(given)).map(
    ([name, option]) => `--${flagOf(name).padEnd(20)} ${option.about} (default ${option.default || 'off'})`,
  );
}

// Named tables of JSON values, stored in the sandbox's journal, which survives restarts and kills.
import { type Journal, openJournal } from '../journal.ts';

/** A map of JSON values. To store a change of a value, call `set` with it. */
export interface Table<T> {
  get(key: string): T | undefined;
  set(key: string, value: T): void;
  delete(key: string): void;
  has(key: string): boolean;
  values(): T[];
  entries(): [string, T][];
  readonly size: number;
}

export interface Tables {
  /** The table with that name. */
  table<T>(name: string): Table<T>;
  /** Empties every table. */
  clear(): void;
  /** Resolves once all changes so far are in the file, where they survive a kill. */
  written(): Promise<void>;
  /** Writes buffered changes, and closes the file. */
  close(): void;
}

/** A row that was set, or, without a value, deleted. */
type Entry = [table: string, key: string, value?: unknown];

/** Opens the tables stored in `file`; null: in memory only. */
export function openTables(file: string | null): Tables {
  const tables = new Map<string, Map<string, unknown>>();
  const rows = (name: string): Map<string, unknown> => {
    const found = tables.get(name) ?? new Map<string, unknown>();
    tables.set(name, found);
    return found;
  };
  const journal: Journal = openJournal<Entry>({
    file,
    restore: ([name, key, ...value]) => {
      if (value.length === 0) rows(name).delete(key);
      else rows(name).set(key, value[0]);
    },
    snapshot: function* () {
      for (const [name, map] of tables) for (const [key, value] of map) yield [name, key, value];
    },
  });
  let last: Promise<void> = Promise.resolve();
  const append = (entry: Entry): void => {
    last = new Promise((resolve) => journal.append(entry, resolve));
  };
  return {
    table: <T>(name: string) => tableOver<T>(name, rows(name) as Map<string, T>, append),
    clear: () => {
      for (const [name, map] of tables) {
        for (const key of map.keys()) append([name, key]);
        map.clear();
      }
    },
    written: () => last,
    close: () => journal.close(),
  };
}

function tableOver<T>(name: string, map: Map<string, T>, append: (entry: Entry) => void): Table<T> {
  return {
    get: (key) => map.get(key),
    has: (key) => map.has(key),
    values: () => [...map.values()],
    entries: () => [...map.entries()],
    set: (key, value) => {
      map.set(key, value);
      append([name, key, value]);
    },
    delete: (key) => {
      if (map.delete(key)) append([name, key]);
    },
    get size() {
      return map.size;
    },
  };
}

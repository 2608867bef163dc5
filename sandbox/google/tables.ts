// Named tables of JSON values over the sandbox's journal, so that a restart, or a kill, forgets nothing.
import { type Journal, openJournal } from '../journal.ts';

/** A map of JSON values. What was read must be `set` again after a change, or the change is not kept. */
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
  /** The table of that name; the same rows on every call. */
  table<T>(name: string): Table<T>;
  /** Empties every table. */
  clear(): void;
  /** Resolves once every change made until now is in the file; what is answered after that survives a kill. */
  written(): Promise<void>;
  /** Writes what waits, and closes the file. */
  close(): void;
}

/** A row that was set, or (two members) deleted. */
type Entry = [table: string, key: string, value?: unknown];

/** Opens the tables kept in `file`; null keeps them in memory alone. */
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

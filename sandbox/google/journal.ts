// Keeps what a sandbox server knows in one append-only file, so that a restart, or a kill, forgets nothing.
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

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

export interface Journal {
  /** The table of that name; the same one on every call. */
  table<T>(name: string): Table<T>;
  /** Empties every table. */
  clear(): void;
  /** Closes the file; later changes are kept in memory alone. */
  close(): void;
}

/** Lines added since the file was last written anew, before it is worth doing again. */
const rewriteAfterLines = 50_000;

/**
 * Opens the journal at `file`, made with its folder if need be; without a file everything is kept in memory alone.
 * A change is handed to the operating system before `set` returns, so killing the process loses none; a last line
 * cut short by a crash of the machine is dropped.
 */
export function openJournal(file?: string): Journal {
  const tables = new Map<string, Map<string, unknown>>();
  let handle: number | undefined;
  let added = 0;

  const rows = (name: string): Map<string, unknown> => {
    const found = tables.get(name) ?? new Map<string, unknown>();
    tables.set(name, found);
    return found;
  };

  const rewrite = (path: string): void => {
    if (handle !== undefined) closeSync(handle);
    const next = `${path}.next`;
    const out = openSync(next, 'w', 0o600);
    for (const [name, map] of tables) {
      for (const [key, value] of map) writeSync(out, lineOf(name, key, value));
    }
    closeSync(out);
    renameSync(next, path);
    handle = openSync(path, 'a', 0o600);
    added = 0;
  };

  const append = (line: string): void => {
    if (handle === undefined || file === undefined) return;
    writeSync(handle, line);
    added += 1;
    if (added < rewriteAfterLines) return;
    let live = 0;
    for (const map of tables.values()) live += map.size;
    if (added > 4 * live) rewrite(file);
  };

  if (file !== undefined) {
    mkdirSync(dirname(file), { recursive: true });
    if (existsSync(file)) readInto(readFileSync(file, 'utf8'), rows);
    rewrite(file);
  }

  return {
    table: <T>(name: string) => tableOver<T>(name, rows(name) as Map<string, T>, append),
    clear: () => {
      for (const map of tables.values()) map.clear();
      if (file !== undefined && handle !== undefined) rewrite(file);
    },
    close: () => {
      if (handle !== undefined) closeSync(handle);
      handle = undefined;
    },
  };
}

function tableOver<T>(name: string, map: Map<string, T>, append: (line: string) => void): Table<T> {
  return {
    get: (key) => map.get(key),
    has: (key) => map.has(key),
    values: () => [...map.values()],
    entries: () => [...map.entries()],
    set: (key, value) => {
      map.set(key, value);
      append(lineOf(name, key, value));
    },
    delete: (key) => {
      if (map.delete(key)) append(lineOf(name, key, undefined));
    },
    get size() {
      return map.size;
    },
  };
}

/** One line: `[table, key, value]`, or `[table, key]` where the key was deleted. */
function lineOf(name: string, key: string, value: unknown): string {
  return `${JSON.stringify(value === undefined ? [name, key] : [name, key, value])}\n`;
}

function readInto(text: string, rows: (name: string) => Map<string, unknown>): void {
  const lines = text.split('\n');
  lines.forEach((line, index) => {
    if (line === '') return;
    try {
      const [name, key, ...value] = JSON.parse(line) as [string, string, unknown?];
      if (value.length === 0) rows(name).delete(key);
      else rows(name).set(key, value[0]);
    } catch (cause) {
      if (index < lines.length - 1)
        throw new Error(`Line ${index + 1} of the sandbox journal is damaged.`, { cause });
    }
  });
}

// A journal that keeps a sandbox server's state across restarts: an append-only file of JSON lines, compacted when it grows.
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';

export interface Journal {
  /**
   * Writes a record, together with all others of this turn of the event loop. `written` runs once it is in the file.
   * A response sent from `written` survives a kill of the process, but not a power loss (no fsync).
   */
  append(record: unknown, written?: () => void): void;
  /** Writes buffered records, and closes the file. */
  close(): void;
}

export interface JournalOptions<R> {
  /** The file; null: nothing is stored, and `written` runs immediately. */
  file: string | null;
  /** Applies one stored record, in the order written; called before `openJournal` returns. */
  restore: (record: R) => void;
  /** Records that describe the whole present state, for compaction. */
  snapshot: () => Iterable<R>;
  /** Size at which the file is compacted, or four times its last snapshot if that is more. */
  compactBytes?: number;
}

/** Opens a journal: restores the records of the file (without a torn last line), compacts it, and appends to it. */
export function openJournal<R>(options: JournalOptions<R>): Journal {
  const { file } = options;
  if (file === null) return { append: (_record, written) => written?.(), close: () => {} };
  mkdirSync(dirname(file), { recursive: true });
  if (existsSync(file)) readLines(file, (line) => options.restore(JSON.parse(line) as R));
  return writeJournal({ ...options, file });
}

function writeJournal<R>(options: JournalOptions<R> & { file: string }): Journal {
  let { fd, size } = compact(options);
  const limitFor = (snapshotBytes: number) => Math.max(options.compactBytes ?? 64_000_000, 4 * snapshotBytes);
  let limit = limitFor(size);
  let lines: string[] = [];
  let waiting: Array<() => void> = [];
  let closed = false;

  const flush = () => {
    if (lines.length === 0 || closed) return;
    const bytes = Buffer.from(lines.join(''));
    const callbacks = waiting;
    lines = [];
    waiting = [];
    size += writeAll(fd, bytes);
    for (const callback of callbacks) callback();
    if (size <= limit) return;
    closeSync(fd);
    ({ fd, size } = compact(options));
    limit = limitFor(size);
  };
  return {
    append: (record, written) => {
      if (lines.length === 0) setImmediate(flush);
      lines.push(`${JSON.stringify(record)}\n`);
      if (written) waiting.push(written);
    },
    close: () => {
      flush();
      if (!closed) closeSync(fd);
      closed = true;
    },
  };
}

/** Writes the snapshot to a new file and renames it, so that a kill in between loses nothing. */
function compact<R>({ file, snapshot }: JournalOptions<R> & { file: string }): { fd: number; size: number } {
  const fresh = `${file}.new`;
  const out = openSync(fresh, 'w', 0o600);
  let size = 0;
  let text = '';
  for (const record of snapshot()) {
    text += `${JSON.stringify(record)}\n`;
    if (text.length < 1_000_000) continue;
    size += writeAll(out, Buffer.from(text));
    text = '';
  }
  size += writeAll(out, Buffer.from(text));
  closeSync(out);
  renameSync(fresh, file);
  return { fd: openSync(file, 'a', 0o600), size };
}

function writeAll(fd: number, bytes: Buffer): number {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
  return bytes.length;
}

function readLines(file: string, take: (line: string) => void): void {
  const fd = openSync(file, 'r');
  const chunk = Buffer.alloc(Math.min(1_000_000, Math.max(1, fstatSync(fd).size)));
  let rest: Buffer = Buffer.alloc(0);
  for (let read = readSync(fd, chunk); read > 0; read = readSync(fd, chunk)) {
    const bytes = Buffer.concat([rest, chunk.subarray(0, read)]);
    let from = 0;
    for (let end = bytes.indexOf(10, from); end >= 0; end = bytes.indexOf(10, from)) {
      take(bytes.toString('utf8', from, end));
      from = end + 1;
    }
    rest = bytes.subarray(from);
  }
  closeSync(fd);
}

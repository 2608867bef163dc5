// Keeps a sandbox server's state over a restart: an append-only file of JSON lines, folded into a snapshot when it grows.
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
   * Writes a record with all others of this turn of the event loop; `written` runs once it is in the file,
   * so what is answered in it survives a kill of the process (not a loss of power: there is no fsync).
   */
  append(record: unknown, written?: () => void): void;
  /** Writes what waits, and lets go of the file. */
  close(): void;
}

export interface JournalOptions<R> {
  /** The file; null: nothing is kept, and `written` runs immediately. */
  file: string | null;
  /** Takes in one record of an earlier life, in the order written; called before `openJournal` returns. */
  restore: (record: R) => void;
  /** The records that say the whole present state, shorter than its history. */
  snapshot: () => Iterable<R>;
  /** Size from which the file is folded into a snapshot, or four times its last snapshot if that is more. */
  compactBytes?: number;
}

/** Opens a journal: restores what the file holds (a torn last line is left out), folds it, and appends from there. */
export function openJournal<R>(options: JournalOptions<R>): Journal {
  const { file } = options;
  if (file === null) return { append: (_record, written) => written?.(), close: () => {} };
  mkdirSync(dirname(file), { recursive: true });
  if (existsSync(file)) readLines(file, (line) => options.restore(JSON.parse(line) as R));
  return writeJournal({ ...options, file });
}

function writeJournal<R>(options: JournalOptions<R> & { file: string }): Journal {
  let { fd, size } = fold(options);
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
    ({ fd, size } = fold(options));
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

/** Writes the snapshot beside the file and puts it in its place, so that a kill in between loses nothing. */
function fold<R>({ file, snapshot }: JournalOptions<R> & { file: string }): { fd: number; size: number } {
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

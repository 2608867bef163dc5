// A log file with rotation by size that keeps working after a full disk.
import { basename, dirname } from 'node:path';
import { promisify } from 'node:util';
import { createStream } from 'rotating-file-stream';

/** 40 MB in total with the older files. */
const maxBytes = 10 * 2 ** 20;
const olderFiles = 3;
const reopenAfterMs = 1_000;

export interface LogFile {
  write(line: string): void;
  /** Resolves when the file is closed. */
  close(): Promise<void>;
}

/**
 * Appends lines to `path` (mode 600). At `sizeBytes` the file is renamed to `path.1`, and so on up to `.3`. Lines that
 * cannot be written are lost; writing continues when the file can be opened again.
 */
export function openLogFile(path: string, sizeBytes = maxBytes): LogFile {
  let stream: ReturnType<typeof open> | undefined;
  let failedAtMs = Number.NEGATIVE_INFINITY;

  function open() {
    const opened = createStream((index) => basename(path) + (index ? `.${index}` : ''), {
      path: dirname(path),
      size: `${sizeBytes}B`,
      rotate: olderFiles,
      mode: 0o600,
    });
    // the stream is unusable after an error
    opened.on('error', () => {
      failedAtMs = performance.now();
      if (stream === opened) stream = undefined;
    });
    return opened;
  }

  return {
    write(line) {
      if (!stream && performance.now() - failedAtMs < reopenAfterMs) return;
      stream ??= open();
      stream.write(line);
    },
    async close() {
      if (stream) await promisify(stream.end.bind(stream))();
    },
  };
}

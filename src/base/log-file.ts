// A log file that is rotated by size and survives a full disk.
import { basename, dirname } from 'node:path';
import { createStream } from 'rotating-file-stream';

/** A file and its older ones together: 40 MB. */
const maxBytes = 10 * 2 ** 20;
const olderFiles = 3;
const reopenAfterMs = 1_000;

/**
 * Appends lines to `path` (mode 600). At `sizeBytes` it is renamed to `path.1`, and so on up to `.3`. What cannot be
 * written is lost; writing goes on as soon as the file can be opened again.
 */
export function openLogFile(path: string, sizeBytes = maxBytes): { write(line: string): void } {
  let stream: ReturnType<typeof open> | undefined;
  let failedAtMs = Number.NEGATIVE_INFINITY;

  function open() {
    const opened = createStream((index) => basename(path) + (index ? `.${index}` : ''), {
      path: dirname(path),
      size: `${sizeBytes}B`,
      rotate: olderFiles,
      mode: 0o600,
    });
    // it can do nothing more after an error
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
  };
}

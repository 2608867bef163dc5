// A file descriptor as the destination of a log: written asynchronously, and a full disk costs lines, not the process.
// Not pino's own destination: sonic-boom 4.2.1 repeats a synchronous write to a full disk for ever (`flushSync`).
import * as fs from 'node:fs';

/** Text that waits for a slow reader or a full disk at most; later lines are lost. */
const maxChars = 16 * 2 ** 20;
/** A full pipe, and any other failure such as a full disk. */
const retryMs = { full: 100, failed: 1_000 };
/** How long the end of the process waits for the reader of a full pipe. */
const flushMs = 2_000;

export interface Output {
  /** Text that may end the same moment as the process: `flush` writes it. */
  write(text: string): void;
  /** Writes what waits now, before the process exits. What cannot be written is lost. */
  flush(): void;
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;
const isBusy = (error: unknown) => ['EAGAIN', 'EBUSY'].includes(codeOf(error) ?? '');

/** Opens a descriptor that stays open. `files` does the writing. */
export function openOutput(fd: number, files: Pick<typeof fs, 'write' | 'writeSync'> = fs): Output {
  let waiting = '';
  /** The rest of a line that was written in part comes first. */
  let rest: Buffer = Buffer.alloc(0);
  let isWriting = false;
  let hasReader = true;
  let timer: NodeJS.Timeout | undefined;

  const take = () => {
    if (rest.length > 0) return;
    rest = Buffer.from(waiting);
    waiting = '';
  };

  function pump(): void {
    if (isWriting || timer) return;
    take();
    if (rest.length === 0) return;
    isWriting = true;
    files.write(fd, rest, 0, rest.length, null, (error, written) => {
      isWriting = false;
      if (error) return failed(error);
      rest = rest.subarray(written);
      pump();
    });
  }

  function failed(error: unknown): void {
    if (codeOf(error) === 'EPIPE') {
      hasReader = false;
      waiting = '';
      rest = Buffer.alloc(0);
      return;
    }
    timer = setTimeout(
      () => {
        timer = undefined;
        pump();
      },
      isBusy(error) ? retryMs.full : retryMs.failed,
    ).unref();
  }

  return {
    write(text) {
      if (!hasReader || waiting.length + text.length > maxChars) return;
      waiting += text;
      pump();
    },
    flush() {
      // the thread that writes `rest` finishes it
      if (isWriting) rest = Buffer.alloc(0);
      const endMs = performance.now() + flushMs;
      for (take(); rest.length > 0; take()) {
        try {
          rest = rest.subarray(files.writeSync(fd, rest));
        } catch (error) {
          if (!isBusy(error) || performance.now() > endMs) return;
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
        }
      }
    },
  };
}

// The meter of an upload: counts, checks and hashes its bytes as they arrive, within a time limit.
import { createHash } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import { createTextCheck, type FileKind, unsupported } from './file-kind.ts';

const renewEveryMs = 30_000;
/** How long the bytes of one file may take to arrive. */
export const receiveMaxMs = 15 * 60_000;

export interface Metered {
  kind: FileKind;
  whole: AsyncIterable<Buffer>;
}

export interface Meter {
  bytes(): AsyncGenerator<Buffer>;
  /** Why the meter rejected the file, if it did. */
  rejection(): AppError | undefined;
  digest(): { size: number; sha256: Buffer };
}

/** Opens a meter that also renews the lease of the upload. */
export function openMeter(clock: Clock, file: Metered, renew: () => Promise<boolean>): Meter {
  const hash = createHash('sha256');
  const text = file.kind.family === 'text' ? createTextCheck() : undefined;
  const startedMs = clock.steady();
  let [size, renewedMs] = [0, startedMs];
  let rejection: AppError | undefined;

  async function pass(chunk: Buffer): Promise<void> {
    size += chunk.length;
    if (size > file.kind.maxBytes) throw tooLarge(file.kind);
    if (text && !text.isTextSoFar(chunk)) throw notText();
    hash.update(chunk);
    const nowMs = clock.steady();
    if (nowMs - startedMs > receiveMaxMs) throw tooSlow();
    if (nowMs - renewedMs > renewEveryMs) {
      if (!(await renew())) throw uploadLost();
      renewedMs = nowMs;
    }
  }

  return {
    async *bytes() {
      try {
        for await (const chunk of file.whole) {
          await pass(chunk);
          yield chunk;
        }
        if (text && !text.isTextAtEnd()) throw notText();
      } catch (error) {
        rejection = error instanceof AppError ? error : uploadInterrupted(error);
        throw rejection;
      }
    },
    rejection: () => rejection,
    digest: () => ({ size, sha256: hash.digest() }),
  };
}

const notText = () => unsupported('it is declared as text/plain, but its content is not UTF-8 text');

/** 413 with the limit of that kind. */
export function tooLarge({ kind, maxBytes }: Pick<FileKind, 'kind' | 'maxBytes'>): AppError {
  const article = kind === 'image' ? 'An' : 'A';
  return new AppError(
    'media_too_large',
    `${article} ${kind} may have at most ${maxBytes / 1_048_576} MB (${maxBytes} bytes).`,
  );
}

/** 408 for a file that takes too long to arrive. */
export function tooSlow(): AppError {
  return new AppError('upload_timeout', 'The file did not arrive within 15 minutes. Upload it again.');
}

/** 400 for an upload that ended before its file did. */
export function uploadInterrupted(cause: unknown): AppError {
  return new AppError('invalid_request', 'file: the upload ended before the file was complete', {
    errors: [{ path: 'file', message: 'the upload ended before the file was complete' }],
    cause,
  });
}

/** 503 for an upload whose lease expired because its process was suspended for minutes. */
export function uploadLost(): AppError {
  return new AppError('storage_unavailable', 'The upload took too long and was abandoned. Upload it again.', {
    retryAfterSeconds: 1,
  });
}

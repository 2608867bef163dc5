// Bodies of callers without an API key, who are authenticated by a signature over the body: limits of number, size and time.
import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../base/errors.ts';
import { bodyTooLarge } from './reply.ts';

export interface UnauthenticatedBodyLimits {
  /** Larger bodies get 413. */
  maxBytes: number;
  /** A body that is incomplete after this time gets 408. */
  timeoutMs: number;
  /** Bodies up to this size, nearly all, share `smallSlots`; larger ones share `largeSlots`. */
  smallMaxBytes: number;
  smallSlots: number;
  largeSlots: number;
}

/** Limits for the messaging platform: thousands of callbacks of a few KB a second, and sometimes one of up to 3 MB. */
export const callbackBodyLimits: UnauthenticatedBodyLimits = {
  maxBytes: 4 * 1024 * 1024,
  timeoutMs: 10_000,
  smallMaxBytes: 64 * 1024,
  smallSlots: 1_024,
  largeSlots: 16,
};

/**
 * Reads a body and passes it to `verify`, which throws unless its signature is valid. The body occupies a slot until `verify`
 * returns. Bodies in memory use at most `smallSlots` × `smallMaxBytes` + `largeSlots` × `maxBytes` (128 MB with the limits
 * above). Slow large bodies cannot block small ones. Throws 413, 408, or 503 with Retry-After if no slot is free; the
 * framework then closes the connection.
 */
export type ReadUnauthenticatedBody = <T>(
  request: FastifyRequest,
  payload: Readable,
  verify: (body: Buffer) => Promise<T>,
) => Promise<T>;

/** The slot that a body occupies. */
interface Slot {
  isLarge: boolean;
}

/** Opens the slots of one process; returns the function that reads bodies. */
export function openUnauthenticatedBodies(limits: UnauthenticatedBodyLimits): ReadUnauthenticatedBody {
  const free = { small: limits.smallSlots, large: limits.largeSlots };

  function acquireSlot(kind: keyof typeof free): void {
    if (free[kind] === 0) {
      throw new AppError(
        'too_many_callbacks',
        'Too many callbacks are in progress. Retry this one in a moment.',
        {
          retryAfterSeconds: 5,
        },
      );
    }
    free[kind] -= 1;
  }

  const release = ({ isLarge }: Slot): void => {
    free[isLarge ? 'large' : 'small'] += 1;
  };

  function acquire(declaredBytes: number): Slot {
    const isLarge = declaredBytes > limits.smallMaxBytes;
    acquireSlot(isLarge ? 'large' : 'small');
    return { isLarge };
  }

  /** Moves a body of undeclared length to a large slot when it outgrows a small one. */
  function grow(slot: Slot, bytes: number): void {
    if (bytes > limits.maxBytes) throw bodyTooLarge(limits.maxBytes);
    if (slot.isLarge || bytes <= limits.smallMaxBytes) return;
    acquireSlot('large');
    release(slot);
    slot.isLarge = true;
  }

  return async (request, payload, verify) => {
    const declaredBytes = Number(request.headers['content-length'] ?? 0);
    if (declaredBytes > limits.maxBytes) throw bodyTooLarge(limits.maxBytes);
    const slot = acquire(declaredBytes);
    try {
      return await verify(
        await collect(payload, { declaredBytes, timeoutMs: limits.timeoutMs }, (bytes) => grow(slot, bytes)),
      );
    } finally {
      release(slot);
    }
  };
}

/** A buffer that grows by doubling. Chunks are copied: a list of one-byte chunks would take 100 times the body's size. */
function openCollector(declaredBytes: number) {
  let buffer: Buffer | undefined;
  let bytes = 0;
  return {
    add(chunk: Buffer, total: number): void {
      if (bytes === 0 && chunk.length === declaredBytes) buffer = chunk;
      else {
        if (!buffer || buffer.length < total) {
          const grown = Buffer.allocUnsafe(Math.max(declaredBytes, 2 * total));
          buffer?.copy(grown, 0, 0, bytes);
          buffer = grown;
        }
        chunk.copy(buffer, bytes);
      }
      bytes = total;
    },
    body: () => buffer?.subarray(0, bytes) ?? Buffer.alloc(0),
  };
}

/** Reads the whole body. Calls `onBytes` with the number of bytes so far, which may throw to stop. */
function collect(
  payload: Readable,
  { declaredBytes, timeoutMs }: { declaredBytes: number; timeoutMs: number },
  onBytes: (bytes: number) => void,
): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const collector = openCollector(declaredBytes);
  let bytes = 0;
  // synchronous: the stream closes before promise callbacks run, and creating errors is expensive
  const stop = () => {
    clearTimeout(timer);
    payload.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
  };
  const fail = (error: unknown) => {
    stop();
    reject(error);
  };
  const onData = (chunk: Buffer) => {
    bytes += chunk.length;
    try {
      onBytes(bytes);
      collector.add(chunk, bytes);
    } catch (error) {
      fail(error);
    }
  };
  const onEnd = () => {
    stop();
    resolve(collector.body());
  };
  const onClose = () =>
    fail(new AppError('invalid_request', 'The connection closed before the body was complete.'));
  const onTimeout = () =>
    fail(
      new AppError(
        'request_timeout',
        `The body was incomplete after ${timeoutMs / 1000} s. Send the request again.`,
      ),
    );
  const timer = setTimeout(onTimeout, timeoutMs);
  payload.on('data', onData).once('end', onEnd).once('close', onClose).once('error', onClose);
  return promise;
}

// Bodies of callers who have no API key and are known by a signature over the body: how many, how large, how long.
import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../base/errors.ts';

export interface StrangerBodyLimits {
  /** Larger bodies are 413. */
  maxBytes: number;
  /** A body that is not complete by then is 408. */
  timeoutMs: number;
  /** Bodies up to this size, which nearly all are, share `smallPlaces`; others share `largePlaces`. */
  smallMaxBytes: number;
  smallPlaces: number;
  largePlaces: number;
}

/** What the messaging platform needs: callbacks of a few KB, thousands a second; now and then one of up to 3 MB. */
export const callbackBodyLimits: StrangerBodyLimits = {
  maxBytes: 4 * 1024 * 1024,
  timeoutMs: 10_000,
  smallMaxBytes: 64 * 1024,
  smallPlaces: 1_024,
  largePlaces: 16,
};

/**
 * Reads a body and passes it to `verify`, which throws unless it is signed. Until `verify` has returned, the body occupies
 * a place; bodies in memory take `smallPlaces` × `smallMaxBytes` + `largePlaces` × `maxBytes` at most (128 MB with the
 * limits above). Slow large bodies cannot keep small ones out. Throws 413, 408, or 503 with Retry-After where no place
 * is free; the framework closes the connection of whoever is answered so.
 */
export type ReadStrangerBody = <T>(
  request: FastifyRequest,
  payload: Readable,
  verify: (body: Buffer) => Promise<T>,
) => Promise<T>;

/** A place that a body occupies, and whether it is one of the large ones. */
interface Place {
  isLarge: boolean;
}

/** The places of one process, and the reader that obeys them. */
export function openStrangerBodies(limits: StrangerBodyLimits): ReadStrangerBody {
  const free = { small: limits.smallPlaces, large: limits.largePlaces };

  function enter(kind: keyof typeof free): void {
    if (free[kind] === 0) {
      throw new AppError(
        'too_many_callbacks',
        'Too many callbacks are arriving. Repeat this one in a moment.',
        {
          retryAfterSeconds: 5,
        },
      );
    }
    free[kind] -= 1;
  }

  const leave = ({ isLarge }: Place): void => {
    free[isLarge ? 'large' : 'small'] += 1;
  };

  function take(declaredBytes: number): Place {
    const isLarge = declaredBytes > limits.smallMaxBytes;
    enter(isLarge ? 'large' : 'small');
    return { isLarge };
  }

  /** A body that outgrows a small place, since it did not declare its length, needs a large one. */
  function grow(place: Place, bytes: number): void {
    if (bytes > limits.maxBytes) throw tooLarge();
    if (place.isLarge || bytes <= limits.smallMaxBytes) return;
    enter('large');
    leave(place);
    place.isLarge = true;
  }

  return async (request, payload, verify) => {
    const declaredBytes = Number(request.headers['content-length'] ?? 0);
    if (declaredBytes > limits.maxBytes) throw tooLarge();
    const place = take(declaredBytes);
    try {
      return await verify(
        await collect(payload, { declaredBytes, timeoutMs: limits.timeoutMs }, (bytes) => grow(place, bytes)),
      );
    } finally {
      leave(place);
    }
  };
}

const tooLarge = () => new AppError('body_too_large', 'The body is larger than this operation allows.');

/** A buffer that grows by doubling. Chunks are copied: kept as they came, a body of one-byte chunks would take 100 times its size. */
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

/** The whole body; `onBytes` is called with what has arrived so far and may throw. Stops reading when it fails. */
function collect(
  payload: Readable,
  { declaredBytes, timeoutMs }: { declaredBytes: number; timeoutMs: number },
  onBytes: (bytes: number) => void,
): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const collector = openCollector(declaredBytes);
  let bytes = 0;
  // synchronously: the stream closes before a promise's reactions run, and errors are expensive to make
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
    fail(new AppError('invalid_request', 'The connection closed before the whole body had arrived.'));
  const onTimeout = () =>
    fail(new AppError('request_timeout', `The body was not complete after ${timeoutMs / 1000} s.`));
  const timer = setTimeout(onTimeout, timeoutMs);
  payload.on('data', onData).once('end', onEnd).once('close', onClose).once('error', onClose);
  return promise;
}

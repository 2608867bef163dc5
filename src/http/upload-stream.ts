// The text of an uploaded file, as it arrives: bounded in size and in silence.
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { AppError, invalidRequest } from '../base/errors.ts';
import type { Server } from './request.ts';

/** Bytes of an upload, and of one of its rows. */
const uploadMaxBytes = 512 * 1024 * 1024;
export const rowMaxBytes = 64 * 1024;
const silenceMaxMs = 60_000;

/** The limits of an upload; tests set less. */
export interface UploadLimits {
  maxBytes?: number;
  silenceMs?: number;
}

const paused = Symbol('paused');

/**
 * Yields the text of `stream`. Throws 413 `body_too_large` past `maxBytes`, 408 `upload_timeout` after `silenceMs` without a
 * byte, 400 for bytes that are not UTF-8 and for a connection that the client closed. Leaves the stream open, so that the caller can still get a response.
 */
export async function* textOf(stream: Readable, limits: UploadLimits = {}): AsyncGenerator<string> {
  const { maxBytes = uploadMaxBytes, silenceMs = silenceMaxMs } = limits;
  const chunks = stream.iterator({ destroyOnReturn: false });
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let bytes = 0;
  for (;;) {
    const next = await within(chunks.next(), silenceMs).catch((error: unknown) => {
      throw isAborted(error) ? connectionClosed() : error;
    });
    if (next === paused)
      throw new AppError(
        'upload_timeout',
        'The upload paused for too long. Upload the file again; rows that were added stay.',
      );
    if (next.done) break;
    const chunk = next.value as Buffer;
    bytes += chunk.length;
    if (bytes > maxBytes)
      throw new AppError('body_too_large', `The file is larger than ${maxBytes} bytes. Upload it in parts.`);
    yield decoded(() => decoder.decode(chunk, { stream: true }));
  }
  yield decoded(() => decoder.decode());
}

/** True for the error of a request whose client closed the connection. */
const isAborted = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === 'ECONNRESET';

/** No client gets it, but the log must not call it an internal error. */
const connectionClosed = () =>
  invalidRequest([{ path: '', message: 'the connection was closed before the end of the file' }]);

/** The 413 for a row that is too large. */
export function rowTooLarge(row: number): AppError {
  return new AppError(
    'body_too_large',
    `Row ${row} is larger than ${rowMaxBytes} bytes. The rows before it were added up to the last complete batch.`,
  );
}

function decoded(decode: () => string): string {
  try {
    return decode();
  } catch {
    throw invalidRequest([{ path: '', message: 'the file is not UTF-8; save it as UTF-8' }]);
  }
}

async function within<T>(work: Promise<T>, ms: number): Promise<T | typeof paused> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<typeof paused>((resolve) => {
    timer = setTimeout(resolve, ms, paused);
  });
  try {
    return await Promise.race([work, silence]);
  } finally {
    clearTimeout(timer);
  }
}

/** Accepts files of these types on the routes that are added to `server`: their bodies are streams, for `textOf`. */
export function acceptFiles(server: Server, types: string[]): void {
  server.addContentTypeParser(
    types,
    (_request: FastifyRequest, payload: Readable, done: (error: null, body: Readable) => void) =>
      done(null, payload),
  );
}

/** The media type of a body in lower case, without its parameters; empty if it is not given. */
export const mediaTypeOf = ({ headers }: Pick<FastifyRequest, 'headers'>): string =>
  (headers['content-type']?.split(';')[0] ?? '').trim().toLowerCase();

/** Handles an upload. If that fails before the file has arrived, reads the rest of it, so that the client gets the response. */
export async function handleUpload<T>(
  { raw }: Pick<FastifyRequest, 'raw'>,
  reply: { header(name: string, value: string): unknown },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!raw.complete) {
      reply.header('Connection', 'close');
      drain(raw);
    }
    throw error;
  }
}

/** How long the rest of a rejected upload is read, so that the client gets the response. */
const drainMs = 30_000;

function drain(raw: IncomingMessage): void {
  const timer = setTimeout(() => raw.socket.destroy(), drainMs);
  raw.once('close', () => clearTimeout(timer)).once('end', () => clearTimeout(timer));
  raw.on('error', () => undefined);
  raw.resume();
}

// The upload route: streams one part of a multipart form.
import multipart, { type Multipart, type MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { AppError, invalidRequest } from '../../base/errors.ts';
import type { KeyedHash } from '../../base/keyed-hash.ts';
import { success } from '../../contract/envelope.ts';
import { MediaItem, UploadForm, UploadQuery } from '../../contract/media.ts';
import { sendReplay } from '../../http/idempotency.ts';
import { sendBody } from '../../http/reply.ts';
import type { Server } from '../../http/request.ts';
import { requestValidator } from '../../http/validation.ts';
import { findUploadKey, uploadBody } from './duplicates.ts';
import { maxBytesOf, supportedTypes } from './file-kind.ts';
import { tooLarge } from './meter.ts';
import type { RegisterDeps } from './register.ts';
import { upload } from './upload.ts';

export type UploadRoutesDeps = RegisterDeps & { keyedHash: KeyedHash };

/** Bytes allowed for the form around the file. */
const formBytes = 64 * 1024;
/** Close a connection that sends nothing for this long. */
const silenceMs = 30_000;
/** Bytes of a rejected file that are still read, so that the client gets the response. */
const drainBytes = 128 * 1024 * 1024;
const drainMs = 30_000;

const limits = {
  // the meter limits the size, by the kind of the file
  fileSize: Number.POSITIVE_INFINITY,
  files: 2,
  fields: 1,
  parts: 3,
  fieldNameSize: 256,
  fieldSize: 1024,
  headerPairs: 32,
};

/** POST /v1/templates/media. The form parser is registered for this route only; all others reject forms. */
export function uploadRoutes(server: Server, deps: UploadRoutesDeps): void {
  server.register(async (plain) => {
    await plain.register(multipart, { limits, throwFileSizeLimit: false });
    // the route rejects other bodies, and says what to send
    plain.addContentTypeParser('*', (_request: FastifyRequest, _body: unknown, done: (error: null) => void) =>
      done(null),
    );
    uploadRoute(plain as unknown as Server, deps);
  });
}

function uploadRoute(server: Server, deps: UploadRoutesDeps): void {
  const validator = requestValidator();
  server.post(
    '/v1/templates/media',
    {
      schema: {
        consumes: ['multipart/form-data'],
        querystring: UploadQuery,
        body: UploadForm,
        response: { 200: success(MediaItem) },
      },
      // the schema only documents the form, which is never parsed into a value
      validatorCompiler: (part) => (part.httpPart === 'body' ? () => true : validator(part)),
      config: { scope: 'media:write', idempotency: 'optional' },
    },
    async (request, reply) => {
      const { accountId } = request.caller;
      const socket = request.raw.socket;
      // Node's server destroys a socket on a time-out
      socket.setTimeout(silenceMs);
      try {
        const key = request.idempotencyKey && {
          ...{ accountId, operation: 'upload', key: request.idempotencyKey },
          keyedHash: deps.keyedHash,
        };
        const known = key ? await findUploadKey(deps.db, key) : undefined;
        const form = await openForm(request, request.query.senderId);
        const { file, filename, mimetype } = form.part;
        const afterContent = async () => {
          await form.nothingElse();
          // the rest is our own work: do not expect more bytes
          socket.setTimeout(0);
        };
        const uploaded = await upload(deps, {
          ...{ accountId, fileName: sentName(filename), declaredType: mimetype, content: file },
          senderId: form.senderId,
          key: known,
          afterContent,
        });
        if (uploaded.kind === 'replay') return sendReplay(reply, uploaded);
        const { row } = uploaded;
        const { size, kind } = row;
        request.log.info(
          { reqId: request.id, accountId, mediaId: row.public_id, kind, size },
          'media.uploaded',
        );
        return sendBody(reply, uploadBody(row));
      } catch (error) {
        await drain(request);
        throw error;
      } finally {
        socket.setTimeout(0);
      }
    },
  );
}

/** The client's file name, without the escapes of forms (WHATWG HTML, "multipart/form-data"). */
function sentName(name: string): string {
  return name.replaceAll('%22', '"').replace(/%0[AD]/g, '');
}

interface Form {
  part: MultipartFile;
  senderId: string | undefined;
  /** Rejects with 400 if the form continues after the file or does not end properly. */
  nothingElse(): Promise<void>;
}

async function openForm(request: FastifyRequest, queried: string | undefined): Promise<Form> {
  if (!request.isMultipart()) {
    throw new AppError(
      'unsupported_media_type',
      `Send the file as multipart/form-data with one part named "file". ${supportedTypes}`,
    );
  }
  // too large for any kind: reject it before reading
  if (Number(request.headers['content-length']) > maxBytesOf.document + formBytes) {
    throw tooLarge({ kind: 'document', maxBytes: maxBytesOf.document });
  }
  const parts = request.parts();
  const next = () => parts.next().catch((cause: unknown) => malformed(cause));
  let part = await next();
  const named = part.done ? undefined : senderField(part.value);
  if (named !== undefined) {
    if (queried !== undefined && named !== queried)
      throw invalidRequest([
        { path: 'senderId', message: 'must be the same as the query parameter senderId' },
      ]);
    part = await next();
  }
  if (part.done) throw invalidRequest([{ path: 'file', message: 'this part is required' }]);
  return {
    part: filePart(part.value),
    senderId: named ?? queried,
    async nothingElse() {
      const another = await next();
      if (another.done) return;
      if (another.value.type === 'file') another.value.file.destroy();
      throw invalidRequest([otherPart(another.value.fieldname)]);
    },
  };
}

function malformed(cause: unknown): never {
  const message = 'is not a complete multipart form with the one part "file"';
  throw new AppError('invalid_request', `The body ${message}.`, { errors: [{ path: '', message }], cause });
}

function otherPart(name: string): { path: string; message: string } {
  const message = parts[name] ?? 'is not a part of this form; check its spelling';
  return { path: name, message };
}

/** Why a known part is not allowed at its position. */
const parts: Record<string, string | undefined> = {
  file: 'only one file is allowed',
  senderId: 'must be one text field before the file',
};

/** The text of the form's field `senderId`; undefined for any other part. */
function senderField(part: Multipart): string | undefined {
  const isText = part.type === 'field' && part.fieldname === 'senderId';
  return isText && typeof part.value === 'string' && !part.valueTruncated ? part.value : undefined;
}

function filePart(part: Multipart): MultipartFile {
  if (part.type === 'file' && part.fieldname === 'file' && part.filename) return part;
  if (part.type === 'file') part.file.destroy();
  const problem =
    part.fieldname === 'file'
      ? { path: 'file', message: 'must be a file: give the part a file name' }
      : otherPart(part.fieldname);
  throw invalidRequest([problem]);
}

/**
 * Reads the rest of a rejected request, within limits: closing a connection with unread bytes resets it, and the client
 * would not see the response. Waits for clients that close the connection after the response.
 */
async function drain(request: FastifyRequest): Promise<void> {
  const { raw } = request;
  if (raw.readableEnded || raw.destroyed) return;
  // stop the form parser (measured: 2 s of CPU for 40 MB of tiny parts, 0.3 s without it)
  raw.unpipe();
  let left = drainBytes;
  const timer = setTimeout(() => raw.socket.destroy(), drainMs);
  const over = new Promise<void>((resolve) => raw.once('close', resolve).once('end', resolve));
  void over.then(() => clearTimeout(timer));
  raw.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) raw.socket.destroy();
  });
  raw.resume();
  if (request.headers.connection?.toLowerCase() === 'close') await over;
}

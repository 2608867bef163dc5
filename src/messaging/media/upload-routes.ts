// The route that takes files in: one part of a multipart form, handed on as it comes.
import multipart, { type Multipart, type MultipartFile } from '@fastify/multipart';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError, invalidRequest } from '../../base/errors.ts';
import type { KeyedHash } from '../../base/keyed-hash.ts';
import { success } from '../../contract/envelope.ts';
import { MediaItem, UploadForm, UploadQuery } from '../../contract/media.ts';
import { sendReplay } from '../../http/idempotency.ts';
import type { Server } from '../../http/request.ts';
import { requestValidator } from '../../http/validation.ts';
import { findUploadKey, uploadBody } from './duplicates.ts';
import { maxBytesOf } from './file-kind.ts';
import { tooLarge } from './meter.ts';
import type { RegisterDeps } from './register.ts';
import { upload } from './upload.ts';

export type UploadRoutesDeps = RegisterDeps & { keyedHash: KeyedHash };

/** Room for the form around the file. */
const formBytes = 64 * 1024;
/** A connection without a byte for this long is cut. */
const silenceMs = 30_000;
/** How much of a refused file is still read, so that its sender gets to read the answer. */
const drainBytes = 128 * 1024 * 1024;
const drainMs = 30_000;

const limits = {
  // counted while it streams, by the kind that the bytes are of
  fileSize: Number.POSITIVE_INFINITY,
  files: 2,
  fields: 1,
  parts: 3,
  fieldNameSize: 256,
  fieldSize: 1024,
  headerPairs: 32,
};

/** POST /v1/templates/media. The form's parser is registered for this route alone; others go on refusing forms. */
export function uploadRoutes(server: Server, deps: UploadRoutesDeps): void {
  server.register(async (plain) => {
    await plain.register(multipart, { limits, throwFileSizeLimit: false });
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
      // The form's schema is for readers of the document: the form itself is never held as a value.
      validatorCompiler: (part) => (part.httpPart === 'body' ? () => true : validator(part)),
      config: { scope: 'media:write', idempotency: 'optional' },
    },
    async (request, reply) => {
      const { accountId } = request.caller;
      const socket = request.raw.socket;
      // Node's server destroys a socket that times out.
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
          // The rest is our own work; a silent client has nothing to say meanwhile.
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
        return answer(reply, uploadBody(row));
      } catch (error) {
        await drain(request);
        throw error;
      } finally {
        socket.setTimeout(0);
      }
    },
  );
}

/** Sends the bytes that are stored under the request's key. */
function answer(reply: FastifyReply, body: string): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(body);
}

/** A file name as the client meant it: forms escape three characters so (WHATWG HTML, "multipart/form-data"). */
function sentName(name: string): string {
  return name.replaceAll('%22', '"').replace(/%0[AD]/g, '');
}

interface Form {
  part: MultipartFile;
  senderId: string | undefined;
  /** Rejects with 400 if the form goes on after the file, or does not end as a form does. */
  nothingElse(): Promise<void>;
}

async function openForm(request: FastifyRequest, queried: string | undefined): Promise<Form> {
  if (!request.isMultipart()) {
    throw new AppError(
      'unsupported_media_type',
      'Send the file as multipart/form-data with one part named "file".',
    );
  }
  // Too large for any kind: said before the first byte is read.
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
        { path: 'senderId', message: 'is not the same as the query parameter senderId' },
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
  const message = parts[name] ?? 'there is no such part; check its spelling';
  return { path: name, message };
}

/** Why a part of the form is not taken where it is. */
const parts: Record<string, string | undefined> = {
  file: 'only one file is taken',
  senderId: 'must be a text, once, before the file',
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
 * Reads what is left of a refused request in the background, within bounds: a connection closed with unread bytes is
 * reset, and its client would see that instead of the answer. A client that closes after the answer is waited for.
 */
async function drain(request: FastifyRequest): Promise<void> {
  const { raw } = request;
  if (raw.readableEnded || raw.destroyed) return;
  // or the parser goes on with the form (measured: 2 s of CPU for 40 MB of tiny parts, against 0.3 s without it)
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

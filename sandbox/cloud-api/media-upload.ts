// The streaming reader of media uploads: counts and hashes the file, and keeps at most a limited number of its bytes.
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { badParam } from './errors.ts';
import { multipartReader } from './multipart.ts';

/** A media type of the platform: its size limit, and a check of a file's first bytes. */
export interface KnownType {
  maxBytes: number;
  begins: (head: Buffer) => boolean;
}

const MB = 1024 * 1024;
const starts = (maxBytes: number, hex: string): KnownType => {
  const bytes = Buffer.from(hex, 'hex');
  return { maxBytes, begins: (head) => head.subarray(0, bytes.length).equals(bytes) };
};
const any = (maxBytes: number): KnownType => ({ maxBytes, begins: () => true });
const isoMedia: KnownType = { maxBytes: 16 * MB, begins: (head) => head.toString('latin1', 4, 8) === 'ftyp' };
const ooxml = 'application/vnd.openxmlformats-officedocument';
const ole = 'd0cf11e0a1b11ae1';

export const mediaTypes: Record<string, KnownType> = {
  'audio/aac': any(16 * MB),
  'audio/mp4': any(16 * MB),
  'audio/mpeg': any(16 * MB),
  'audio/amr': any(16 * MB),
  'audio/ogg': any(16 * MB),
  'audio/opus': any(16 * MB),
  'application/vnd.ms-powerpoint': starts(100 * MB, ole),
  'application/msword': starts(100 * MB, ole),
  [`${ooxml}.wordprocessingml.document`]: starts(100 * MB, '504b'),
  [`${ooxml}.presentationml.presentation`]: starts(100 * MB, '504b'),
  [`${ooxml}.spreadsheetml.sheet`]: starts(100 * MB, '504b'),
  'application/pdf': starts(100 * MB, '25504446'),
  'text/plain': any(100 * MB),
  'application/vnd.ms-excel': starts(100 * MB, ole),
  'image/jpeg': starts(5 * MB, 'ffd8ff'),
  'image/png': starts(5 * MB, '89504e470d0a1a0a'),
  'image/webp': starts(500 * 1024, '52494646'),
  'video/mp4': isoMedia,
  'video/3gpp': isoMedia,
};

export interface UploadedFile {
  mimeType: string;
  fileName: string;
  sizeBytes: number;
  sha256: string;
  /** The first 16 bytes. */
  head: Buffer;
  /** The whole file, if it has at most `keepBytes`. */
  bytes: Buffer | null;
}

export interface Upload {
  fields: Map<string, string>;
  file: UploadedFile | null;
}

/** Reads the whole body; throws the platform's rejection if it is not a complete multipart form. */
export async function readUpload(req: IncomingMessage, keepBytes: number): Promise<Upload> {
  const boundary = /boundary="?([^";]+)"?/i.exec(req.headers['content-type'] ?? '')?.[1];
  if (!boundary || !/^multipart\/form-data/i.test(req.headers['content-type'] ?? ''))
    throw badParam('The request must be multipart/form-data.');
  const upload: Upload = { fields: new Map(), file: null };
  const reader = multipartReader(boundary, (part) => {
    if (part.fileName === undefined) return fieldSink(upload, part.name);
    return fileSink(upload, part.name, part.fileName, part.mimeType, keepBytes);
  });
  for await (const chunk of req as AsyncIterable<Buffer>) reader.write(chunk);
  if (!reader.finished()) throw badParam('The multipart body is malformed.');
  if (upload.file && upload.file.mimeType === 'application/octet-stream')
    upload.file.mimeType = upload.fields.get('type') ?? upload.file.mimeType;
  return upload;
}

function fieldSink(upload: Upload, name: string) {
  let text = '';
  return {
    data: (bytes: Buffer) => {
      if (text.length < 10_000) text += bytes.toString('utf8');
    },
    end: () => {
      upload.fields.set(name, text);
    },
  };
}

function fileSink(upload: Upload, name: string, fileName: string, mimeType: string, keepBytes: number) {
  const hash = createHash('sha256');
  const kept: Buffer[] = [];
  let head = Buffer.alloc(0);
  let sizeBytes = 0;
  return {
    data: (bytes: Buffer) => {
      hash.update(bytes);
      sizeBytes += bytes.length;
      if (head.length < 16) head = Buffer.concat([head, bytes.subarray(0, 16)]).subarray(0, 16);
      if (sizeBytes <= keepBytes) kept.push(Buffer.from(bytes));
      else kept.length = 0;
    },
    end: () => {
      if (name !== 'file') return;
      const bytes = sizeBytes <= keepBytes ? Buffer.concat(kept) : null;
      upload.file = { mimeType, fileName, sizeBytes, sha256: hash.digest('hex'), head, bytes };
    },
  };
}

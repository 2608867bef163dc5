// The object store in S3, or in a server with its protocol.
import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type MultipartUpload,
  paginateListObjectsV2,
  type S3Client,
} from '@aws-sdk/client-s3';
import type { Clock } from '../../base/clock.ts';
import { VendorError } from '../../base/errors.ts';
import type { Outgoing } from '../../base/outgoing/outgoing.ts';
import type { ObjectInfo, ObjectStore } from '../../ports/object-store.ts';
import { asVendorError, openS3Client, type S3Credentials, withVendorErrors } from './client.ts';
import type { S3Location } from './location.ts';
import { putParts } from './put.ts';

export interface S3StoreOptions {
  location: S3Location;
  outgoing: Outgoing;
  clock: Clock;
  credentials?: S3Credentials;
}

const leftoverAgeMs = 3_600_000;
const keyPart = /^(?!\.+$)[A-Za-z0-9._-]{1,128}$/;

/**
 * Opens a bucket, or the part of it below a prefix. S3 shows an object only when it is complete and durable. A failed put
 * is aborted; `sweep` aborts those whose process died.
 */
export function openS3Store({ location, outgoing, clock, credentials }: S3StoreOptions): ObjectStore {
  const { bucket: Bucket, prefix } = location;
  const client = openS3Client(location, outgoing, credentials);
  const named = (key: string) => ({ Bucket, Key: `${prefix}${checkedKey(key)}` });

  return {
    async put(key, content) {
      const at = named(key);
      const counted = countBytes(content);
      try {
        await putParts(client, at, counted.chunks);
        return { size: counted.size() };
      } catch (error) {
        // The caller handles an error of its content. Every other error is the store's.
        throw counted.isFailure(error) ? error : asVendorError(error);
      }
    },

    async get(key) {
      const { Body } = (await withVendorErrors(client.send(new GetObjectCommand(named(key))))) ?? {};
      return Body ? asReadable(Body) : null;
    },

    async head(key) {
      const found = await withVendorErrors(client.send(new HeadObjectCommand(named(key))));
      return found ? { key, size: found.ContentLength ?? 0 } : null;
    },

    async delete(key) {
      await withVendorErrors(client.send(new DeleteObjectCommand(named(key))));
    },

    list: (start) => list(client, Bucket, prefix, start),

    async check() {
      const found = await withVendorErrors(client.send(new HeadBucketCommand({ Bucket })));
      if (!found)
        throw new VendorError('rejected', `The bucket "${Bucket}" for stored files does not exist.`, {
          code: 'NoSuchBucket',
        });
    },

    async abandon(key) {
      const at = named(key);
      await abortUploads(client, { Bucket, Prefix: at.Key }, (upload) => upload.Key === at.Key);
    },

    sweep() {
      const olderThanMs = clock.now() - leftoverAgeMs;
      return abortUploads(
        client,
        { Bucket, Prefix: prefix },
        ({ Initiated }) => Initiated !== undefined && Initiated.getTime() < olderThanMs,
      );
    },
  };
}

function checkedKey(key: string): string {
  if (key.length > 512 || !key.split('/').every((part) => keyPart.test(part))) {
    throw new Error(`"${key}" is not a valid key of the object store.`);
  }
  return key;
}

/** Counts the bytes of the content and remembers its failure. */
function countBytes(content: AsyncIterable<Buffer>) {
  let size = 0;
  let failure: { error: unknown } | undefined;
  async function* pass(): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of content) {
        size += chunk.length;
        yield chunk;
      }
    } catch (error) {
      failure = { error };
      throw error;
    }
  }
  return {
    chunks: pass(),
    size: () => size,
    isFailure: (error: unknown) => failure !== undefined && failure.error === error,
  };
}

async function* list(
  client: S3Client,
  Bucket: string,
  prefix: string,
  start: string,
): AsyncGenerator<ObjectInfo> {
  const pages = paginateListObjectsV2({ client }, { Bucket, Prefix: `${prefix}${start}` });
  try {
    for await (const { Contents } of pages) {
      for (const { Key, Size } of Contents ?? []) {
        if (Key !== undefined) yield { key: Key.slice(prefix.length), size: Size ?? 0 };
      }
    }
  } catch (error) {
    throw asVendorError(error);
  }
}

/** Aborts the multipart uploads below a prefix that `isSelected` selects; returns their number. */
async function abortUploads(
  client: S3Client,
  location: { Bucket: string; Prefix: string },
  isSelected: (upload: MultipartUpload) => boolean,
): Promise<number> {
  const { Bucket } = location;
  const listing = withVendorErrors(client.send(new ListMultipartUploadsCommand(location)));
  // some servers cannot list them; a lifecycle rule of the bucket must abort them
  const found = await listing.catch((error: unknown) => {
    if (error instanceof VendorError && error.status === 501) return null;
    throw error;
  });
  let aborted = 0;
  for (const upload of found?.Uploads ?? []) {
    if (!isSelected(upload)) continue;
    const { Key, UploadId } = upload;
    await withVendorErrors(client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId })));
    aborted += 1;
  }
  return aborted;
}

/** The object's stream; its failure is a VendorError. */
function asReadable(body: unknown): Readable {
  async function* bytes() {
    try {
      yield* body as AsyncIterable<Buffer>;
    } catch (error) {
      throw asVendorError(error);
    }
  }
  return Readable.from(bytes(), { objectMode: false, highWaterMark: 65_536 });
}

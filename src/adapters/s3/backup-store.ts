// Backups in a bucket: large parts going in, ranges coming out, so that no request lasts long.
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3';
import { AppError } from '../../base/errors.ts';
import type { Outgoing } from '../../base/outgoing/outgoing.ts';
import type { BackupStore, StoredBackup } from '../../ports/backup-store.ts';
import { asVendorError, openS3Client, type S3Credentials, withVendorErrors } from './client.ts';
import type { S3Location } from './location.ts';
import { putParts } from './put.ts';

const MiB = 1024 * 1024;
/** S3 allows 10,000 parts: backups of up to 312 GiB. */
const partBytes = 32 * MiB;
const rangeBytes = 16 * MiB;

/** Opens the part of a bucket below a prefix as a place of backups. */
export function openBackupBucket(options: {
  location: S3Location;
  outgoing: Outgoing;
  credentials?: S3Credentials;
}): BackupStore {
  const { location, outgoing, credentials } = options;
  const { bucket: Bucket, prefix } = location;
  const client = openS3Client(location, outgoing, credentials);
  const named = (name: string) => ({ Bucket, Key: `${prefix}${name}` });
  const sizeOf = async (name: string) =>
    (await withVendorErrors(client.send(new HeadObjectCommand(named(name)))))?.ContentLength;

  async function readRange(name: string, start: number, end: number): Promise<Buffer> {
    const Range = `bytes=${start}-${end - 1}`;
    const found = await withVendorErrors(client.send(new GetObjectCommand({ ...named(name), Range })));
    const bytes = await found?.Body?.transformToByteArray().catch((error: unknown) => {
      throw asVendorError(error);
    });
    if (bytes?.length !== end - start) throw new Error(`${name} changed while it was read.`);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  return {
    async put(name, content) {
      if ((await sizeOf(name)) !== undefined)
        throw new Error(`${name} exists already in the bucket ${Bucket}. Choose another name.`);
      await putParts(client, named(name), content, partBytes);
    },

    async *get(name) {
      const size = await sizeOf(name);
      if (size === undefined)
        throw new AppError('not_found', `There is no backup ${prefix}${name} in the bucket ${Bucket}.`);
      for (let at = 0; at < size; at += rangeBytes)
        yield await readRange(name, at, Math.min(size, at + rangeBytes));
    },

    async list() {
      const found: StoredBackup[] = [];
      try {
        for await (const { Contents } of paginateListObjectsV2({ client }, { Bucket, Prefix: prefix })) {
          for (const { Key = '', Size = 0 } of Contents ?? [])
            found.push({ name: Key.slice(prefix.length), size: Size });
        }
      } catch (error) {
        throw asVendorError(error);
      }
      return found.filter(({ name }) => !name.includes('/'));
    },

    async remove(name) {
      await withVendorErrors(client.send(new DeleteObjectCommand(named(name))));
    },
  };
}

// The S3 client on our HTTP client, and its errors as VendorError.
import { S3Client } from '@aws-sdk/client-s3';
import { textOfError, VendorError } from '../../base/errors.ts';
import { OutgoingError } from '../../base/outgoing/error.ts';
import type { Outgoing } from '../../base/outgoing/outgoing.ts';
import { outgoingHandler } from './http-handler.ts';
import type { S3Location } from './location.ts';

/** Default of the client: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or the machine's role. */
export type S3Credentials = { accessKeyId: string; secretAccessKey: string } | undefined;

/** Opens a client for the server of `location`. */
export function openS3Client(location: S3Location, outgoing: Outgoing, credentials: S3Credentials): S3Client {
  return new S3Client({
    ...(location.region === undefined ? {} : { region: location.region }),
    // other servers have no host name for each bucket
    ...(location.endpoint === undefined ? {} : { endpoint: location.endpoint, forcePathStyle: true }),
    ...(credentials ? { credentials } : {}),
    // stored files are authenticated anyway, and not every server supports S3's newer checksums
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: outgoingHandler(outgoing),
  });
}

/** The response; null if the object does not exist. */
export async function withVendorErrors<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    const status = statusOf(error);
    if (status === 404) return null;
    throw asVendorError(error);
  }
}

function statusOf(error: unknown): number | undefined {
  const metadata = (error as { $metadata?: { httpStatusCode?: number } } | null)?.$metadata;
  return metadata?.httpStatusCode;
}

/**
 * The codes of full servers and exceeded quotas: MinIO (507 for its disks, 400 for a bucket's quota), Ceph (403), Garage
 * and SeaweedFS. AWS has no such limit.
 */
const fullCodes = new Set([
  'QuotaExceeded',
  'XMinioStorageFull',
  'XMinioAdminBucketQuotaExceeded',
  'InsufficientStorage',
]);

/** The error of a call as a VendorError. */
export function asVendorError(error: unknown): VendorError {
  if (error instanceof VendorError) return error;
  const text = textOfError(error);
  const name = error instanceof Error ? error.name : 'Error';
  const status = statusOf(error);
  if (error instanceof OutgoingError) {
    return new VendorError(error.sent ? 'unknown' : 'not_sent', `The object store: ${text}`, {
      cause: error,
    });
  }
  if (name === 'CredentialsProviderError') {
    return new VendorError(
      'not_sent',
      'The object store has no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or a role.',
      {
        cause: error,
      },
    );
  }
  if (text === 'Region is missing')
    return new VendorError(
      'not_sent',
      'The object store has no region: add region=… to its address, as in s3://bucket?region=eu-central-1, or set AWS_REGION.',
      { cause: error },
    );
  if (status === 507 || fullCodes.has(name)) {
    const details = {
      code: 'storage_full',
      title: name,
      ...(status === undefined ? {} : { status }),
      cause: error,
    };
    return new VendorError('rejected', `The object store is full: ${name}: ${text}`, details);
  }
  const outcome = status !== undefined && status >= 400 && status < 500 ? 'rejected' : 'unknown';
  const details = { code: name, ...(status === undefined ? {} : { status }), cause: error };
  return new VendorError(outcome, `The object store returned ${name}: ${text}`, details);
}

// The upload of samples of media headers (Graph API, "Resumable Upload API").
import { VendorError } from '../../base/errors.ts';
import type { FileToUpload, SenderAccess } from '../../ports/platform.ts';
import { type MetaClient, string } from './client.ts';
import { isObject } from './json.ts';

const readTimeoutMs = 15_000;

/**
 * Returns the id of the token's app. `GET /app` returns it for most tokens; if that is rejected, the token inspects
 * itself, which the platform allows within one app.
 */
async function appIdOf(client: MetaClient, sender: SenderAccess): Promise<string> {
  const get = (path: string, query: Record<string, string>) =>
    client.call(sender, { method: 'GET', path, query, timeoutMs: readTimeoutMs });
  try {
    return string((await get('app', { fields: 'id' })).id, 'an app id');
  } catch (error) {
    if (!(error instanceof VendorError) || error.outcome !== 'rejected' || error.status === 401) throw error;
    const { data } = await get('debug_token', { input_token: sender.credential });
    return string(isObject(data) ? data.app_id : undefined, 'an app id');
  }
}

/** Opens an upload session of the app, sends the bytes in one request and returns their handle. */
export async function uploadSample(
  client: MetaClient,
  sender: SenderAccess,
  file: FileToUpload,
  timeoutMs: number,
): Promise<string> {
  const session = await client.call(sender, {
    method: 'POST',
    path: `${await appIdOf(client, sender)}/uploads`,
    query: { file_name: file.fileName, file_length: String(file.size), file_type: file.mimeType },
    timeoutMs: readTimeoutMs,
  });
  const uploaded = await client.call(sender, {
    method: 'POST',
    // `upload:…?sig=…`: the id contains a query
    path: string(session.id, 'an upload session'),
    body: {
      stream: file.stream,
      headers: {
        // this call needs OAuth instead of Bearer
        authorization: `OAuth ${sender.credential}`,
        file_offset: '0',
        'content-type': file.mimeType,
        'content-length': String(file.size),
      },
    },
    timeoutMs,
  });
  return string(uploaded.h, 'a handle');
}

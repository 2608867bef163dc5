// Download of inbound media: the platform's address of the file, then the file, both with the token.
import { VendorError } from '../../base/errors.ts';
import { OutgoingError } from '../../base/outgoing/error.ts';
import type { OutgoingStream } from '../../base/outgoing/outgoing.ts';
import type { SenderAccess } from '../../ports/platform.ts';
import type { OpenedMedia } from '../../ports/platform-received.ts';
import { type MetaClient, type MetaClientOptions, string, userAgent } from './client.ts';
import { classify } from './error-codes.ts';
import { textOf } from './json.ts';

const readTimeoutMs = 15_000;

/** The host of download addresses (Cloud API, "Media"). Only it gets the token, besides the API itself. */
const downloadHost = 'lookaside.fbsbx.com';

/** True for statuses that say what is wrong with the request: a repeat is refused too. */
const isRefusal = (status: number): boolean =>
  status >= 400 && status < 500 && status !== 408 && status !== 429;

/** The form of the platform's media ids, such as `1027` or `wacid.HBg=`. */
const idPattern = /^\w[\w.=-]*$/;

/** True for the rejections of an unknown or expired id: 100 (subcode 33), and 131052, media unavailable. */
const isGone = (error: unknown): boolean =>
  error instanceof VendorError &&
  error.outcome === 'rejected' &&
  ((error.code === 100 && classify(error) !== 'halt_token') || error.code === 131052);

interface Address {
  url: URL;
  mimeType: string | null;
  size: number | null;
}

/** Asks for the address, which is valid for five minutes; undefined if the platform no longer has the file. */
async function addressOf(client: MetaClient, sender: SenderAccess, id: string): Promise<Address | undefined> {
  const query = { phone_number_id: sender.phoneNumberId };
  try {
    const found = await client.call(sender, { method: 'GET', path: id, query, timeoutMs: readTimeoutMs });
    const url = URL.parse(string(found.url, 'a download address'));
    if (url === null || !isDocumented(url, sender)) {
      throw new VendorError(
        'rejected',
        `the platform named a download address on ${url?.host}, which it does not document`,
      );
    }
    const size = Number(textOf(found.file_size) || Number.NaN);
    return { url, mimeType: textOf(found.mime_type) ?? null, size: Number.isSafeInteger(size) ? size : null };
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

const isOnApi = (url: URL, sender: SenderAccess): boolean => url.origin === URL.parse(sender.apiUrl)?.origin;

const isDocumented = (url: URL, sender: SenderAccess): boolean =>
  isOnApi(url, sender) || (url.protocol === 'https:' && url.host === downloadHost);

/**
 * Opens inbound media as a stream of at most `maxBytes`; `timeoutMs` covers the whole download. An address that has just
 * expired (404) is asked for again, once.
 */
export async function openReceivedMedia(
  client: MetaClient,
  options: Pick<MetaClientOptions, 'outgoing' | 'guardedOutgoing'>,
  {
    sender,
    mediaRef,
    maxBytes,
    timeoutMs,
  }: { sender: SenderAccess; mediaRef: string; maxBytes: number; timeoutMs: number },
): Promise<OpenedMedia> {
  if (!idPattern.test(mediaRef)) return { outcome: 'gone' };
  for (let attempt = 0; attempt < 2; attempt++) {
    const address = await addressOf(client, sender, mediaRef);
    if (!address) return { outcome: 'gone' };
    if (address.size !== null && address.size > maxBytes) return { outcome: 'too_large' };
    const trusted = isOnApi(address.url, sender) && !sender.isOwnAddress;
    const outgoing = trusted ? options.outgoing : options.guardedOutgoing;
    const response = await outgoing
      .stream({
        method: 'GET',
        url: address.url,
        headers: {
          ...userAgent,
          ...{ authorization: `Bearer ${sender.credential}`, 'accept-encoding': 'identity' },
        },
        maxResponseBytes: maxBytes,
        timeoutMs,
      })
      .catch((error: unknown) => {
        if (!(error instanceof OutgoingError)) throw error;
        throw new VendorError(error.sent ? 'unknown' : 'not_sent', error.message, { cause: error });
      });
    if (response.status >= 200 && response.status < 300) return opened(response, address, maxBytes);
    response.body.destroy();
    if (response.status !== 404) {
      throw new VendorError(
        isRefusal(response.status) ? 'rejected' : 'unknown',
        `the download responded with HTTP ${response.status}`,
        {
          status: response.status,
        },
      );
    }
  }
  return { outcome: 'gone' };
}

function opened({ headers, body }: OutgoingStream, { mimeType }: Address, maxBytes: number): OpenedMedia {
  const length = Number(textOf(headers['content-length']) || Number.NaN);
  const size = Number.isSafeInteger(length) && headers['content-encoding'] === undefined ? length : null;
  if (size !== null && size > maxBytes) {
    body.destroy();
    return { outcome: 'too_large' };
  }
  return { outcome: 'opened', content: body, mimeType, size };
}

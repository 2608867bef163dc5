// Uploaded media: POST /{phone-number-id}/media, GET and DELETE /{media-id}, and the five-minute download link.
import { createHmac } from 'node:crypto';
import { type Call, type Platform, respond } from './call.ts';
import { badParam, rejection, unknownObject } from './errors.ts';
import { type KnownType, mediaTypes, readUpload } from './media-upload.ts';
import type { Media, PhoneNumber } from './model.ts';
import type { State } from './state.ts';
import { newNumericId } from './wamid.ts';

const dayMs = 24 * 3_600_000;
const keptMs = 30 * dayMs;
const receivedKeptMs = 7 * dayMs;
const linkMs = 5 * 60_000;

/** The bytes of the newest uploads, in memory: the sandbox never writes a user's file to disk. */
export interface MediaBytes {
  keep(id: string, bytes: Buffer): void;
  get(id: string): Buffer | undefined;
}

/** Keeps as many of the newest uploads as fit into `maxBytes()`. */
export function mediaBytes(maxBytes: () => number): MediaBytes {
  const kept = new Map<string, Buffer>();
  let size = 0;
  return {
    keep(id, bytes) {
      kept.set(id, bytes);
      size += bytes.length;
      for (const [oldest, old] of kept) {
        if (size <= maxBytes()) break;
        kept.delete(oldest);
        size -= old.length;
      }
    },
    get: (id) => kept.get(id),
  };
}

/** The unexpired upload with this id, if the number may send it. */
export function mediaOf(state: State, id: string, phoneNumberId?: string): Media | undefined {
  const media = state.media.get(id);
  if (!media) return undefined;
  const lifetimeMs = media.isReceived ? receivedKeptMs : keptMs;
  if (media.uploadedAt + lifetimeMs <= state.clock.now()) return undefined;
  return phoneNumberId === undefined || media.phoneNumberId === phoneNumberId ? media : undefined;
}

/** Reads a multipart upload as a stream; responds with its id. */
export async function postMedia(platform: Platform, call: Call, number: PhoneNumber): Promise<void> {
  const { state } = platform;
  const upload = await readUpload(call.req, state.settings.keepMediaBytes);
  if (upload.fields.get('messaging_product') !== 'whatsapp')
    throw badParam('The parameter messaging_product is required.');
  const { file } = upload;
  if (!file) throw badParam('The parameter file is required.');
  const type: KnownType | undefined = mediaTypes[file.mimeType];
  if (!type)
    throw badParam(
      `Param file must be a file with one of the following types: ${Object.keys(mediaTypes).join(', ')}. ` +
        `Received file of type '${file.mimeType}'.`,
    );
  if (file.sizeBytes === 0) throw rejection(131053, 'The file is empty');
  if (file.sizeBytes > type.maxBytes)
    throw rejection(131053, `Media of type ${file.mimeType} is larger than ${type.maxBytes} bytes`);
  if (!type.begins(file.head)) throw rejection(131053, `The file's content is not of type ${file.mimeType}`);

  const media: Media = {
    id: newNumericId(),
    phoneNumberId: number.id,
    mimeType: file.mimeType,
    sizeBytes: file.sizeBytes,
    sha256: file.sha256,
    uploadedAt: state.clock.now(),
  };
  if (file.bytes) platform.mediaBytes.keep(media.id, file.bytes);
  state.record(['media', media], () => respond(call, 200, { id: media.id }));
}

/** GET or DELETE of one upload; `phone_number_id`, if given, must be the number that uploaded it. */
export function mediaNode(platform: Platform, call: Call, media: Media): void {
  const method = call.req.method ?? 'GET';
  const senderId = call.query.get('phone_number_id') ?? undefined;
  if (!mediaOf(platform.state, media.id, senderId)) throw unknownObject(method, media.id);
  if (method === 'DELETE') {
    platform.state.record(['media-gone', media.id], () => respond(call, 200, { success: true }));
    return;
  }
  if (method !== 'GET') throw unknownObject(method, media.id);
  respond(call, 200, {
    messaging_product: 'whatsapp',
    url: downloadLink(platform, call, media),
    mime_type: media.mimeType,
    sha256: media.sha256,
    file_size: media.sizeBytes,
    id: media.id,
  });
}

function downloadLink({ state, url }: Platform, call: Call, media: Media): string {
  const until = Math.floor((state.clock.now() + linkMs) / 1000);
  return `${url()}/whatsapp_business/attachments/?mid=${media.id}&ext=${until}&hash=${linkHash(call, media.id, until)}`;
}

function linkHash(call: Call, id: string, until: number): string {
  return createHmac('sha256', call.app.secret).update(`${id} ${until}`).digest('base64url').slice(0, 40);
}

/**
 * Serves a download link until it expires (404); requires the same token, and a user agent: without one the platform was
 * observed to respond with a page (gabrieldwight/Whatsapp-Business-Cloud-Api-Net 45, great-detail/WhatsApp-JS-SDK 81).
 */
export function download(platform: Platform, call: Call): void {
  if (!call.req.headers['user-agent']) {
    const page = '<!DOCTYPE html><title>Error</title><p>Sorry, something went wrong.</p>';
    call.res.writeHead(400, { 'content-type': 'text/html; charset=utf-8' }).end(page);
    return;
  }
  const id = call.query.get('mid') ?? '';
  const until = Number(call.query.get('ext'));
  const media = mediaOf(platform.state, id);
  const valid =
    call.query.get('hash') === linkHash(call, id, until) && until * 1000 > platform.state.clock.now();
  if (!media || !valid) {
    call.res.writeHead(404, { 'content-length': 0 }).end();
    return;
  }
  const bytes = platform.mediaBytes.get(id);
  if (!bytes)
    throw rejection(
      131052,
      'The sandbox keeps only the bytes of the newest uploads, and none after a restart',
    );
  call.res.writeHead(200, { 'content-type': media.mimeType, 'content-length': bytes.length });
  call.res.end(bytes);
}

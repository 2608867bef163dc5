// The resumable upload of template header samples: POST /{app-id}/uploads, then POST and GET of the session.
import { randomBytes } from 'node:crypto';
import { readBody } from '../server.ts';
import { type Call, type Platform, respond } from './call.ts';
import { badParam, unknownObject } from './errors.ts';

const fileTypes = ['application/pdf', 'image/jpeg', 'image/jpg', 'image/png', 'video/mp4'];
const mostBytes = 100 * 1024 * 1024;

interface Session {
  appId: string;
  lengthBytes: number;
  type: string;
  offset: number;
}

/** Open sessions, in memory only. */
export type Uploads = Map<string, Session>;

/** Opens a session for a file of the given length and type. */
export function startUpload(platform: Platform, call: Call): void {
  const lengthBytes = Number(call.query.get('file_length'));
  const type = call.query.get('file_type') ?? '';
  if (!Number.isInteger(lengthBytes) || lengthBytes < 1 || lengthBytes > mostBytes)
    throw badParam('Param file_length must be a positive integer of at most 100 MB.');
  if (!fileTypes.includes(type)) throw badParam(`Param file_type must be one of {${fileTypes.join(', ')}}`);
  const id = `upload:${randomBytes(24).toString('base64url')}`;
  platform.uploads.set(id, { appId: call.app.id, lengthBytes, type, offset: 0 });
  respond(call, 200, { id: `${id}?sig=${randomBytes(12).toString('base64url')}` });
}

/** Accepts bytes from `file_offset` on; the last ones end the session and create a handle. */
export async function uploadNode(platform: Platform, call: Call, id: string): Promise<void> {
  const method = call.req.method ?? 'GET';
  const session = platform.uploads.get(id);
  if (!session || session.appId !== call.app.id) throw unknownObject(method, id);
  if (method === 'GET') return respond(call, 200, { id, file_offset: session.offset });
  if (method !== 'POST') throw unknownObject(method, id);
  if (Number(call.req.headers.file_offset) !== session.offset)
    throw badParam(`The header file_offset must be ${session.offset}.`);
  const bytes = await readBody(call.req, mostBytes);
  if (bytes) session.offset += bytes.length;
  if (!bytes || session.offset > session.lengthBytes) {
    platform.uploads.delete(id);
    throw badParam('More bytes were sent than file_length says.');
  }
  if (session.offset < session.lengthBytes) return respond(call, 200, { id, file_offset: session.offset });
  platform.uploads.delete(id);
  const handle = `4::${Buffer.from(session.type).toString('base64')}:${randomBytes(48).toString('base64url')}`;
  platform.state.record(['handle', handle], () => respond(call, 200, { h: handle }));
}

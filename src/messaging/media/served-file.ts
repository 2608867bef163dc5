// How files of strangers are served: which ones a browser may show, and the headers of every one. Pure.
import { attachmentHeader, dispositionHeader } from './presenter.ts';

/** How many first bytes `servedHeaders` needs; a shorter file is passed whole. */
export const servedHeadBytes = 16;

const latin = (head: Uint8Array, from: number, to: number) =>
  String.fromCharCode(...head.subarray(Math.min(from, head.length), Math.min(to, head.length)));

const begins =
  (...bytes: number[]) =>
  (head: Uint8Array) =>
    bytes.every((byte, index) => head[index] === byte);
const isIsoMedia = (head: Uint8Array) => latin(head, 4, 8) === 'ftyp';

/** The types that a browser may show, each with a check of the first bytes: none of them can contain a script. */
const shownTypes: Readonly<Record<string, (head: Uint8Array) => boolean>> = {
  'image/jpeg': begins(0xff, 0xd8, 0xff),
  'image/png': begins(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
  'image/webp': (head) => latin(head, 0, 4) === 'RIFF' && latin(head, 8, 12) === 'WEBP',
  'video/mp4': isIsoMedia,
  'audio/mp4': isIsoMedia,
  'video/3gpp': isIsoMedia,
  'audio/3gpp': isIsoMedia,
  'audio/ogg': (head) => latin(head, 0, 4) === 'OggS',
  // ADTS: 12 bits of synchronization, then the layer, which is always 0
  'audio/aac': (head) => head[0] === 0xff && ((head[1] ?? 0) & 0xf6) === 0xf0,
};

const typePattern = /^[\w!#$&^.+-]{1,64}\/[\w!#$&^.+-]{1,64}$/;

/** The headers of a file: shown only if its type is harmless and its first bytes fit, and never executed. */
export function servedHeaders(file: {
  mimeType: string | null;
  fileName: string;
  head: Uint8Array;
}): Record<string, string> {
  const bare = (file.mimeType?.split(';')[0] ?? '').trim().toLowerCase();
  const isShown = Object.hasOwn(shownTypes, bare) && shownTypes[bare]?.(file.head) === true;
  return {
    'Content-Type': typePattern.test(bare) ? bare : 'application/octet-stream',
    'Content-Disposition': isShown
      ? dispositionHeader('inline', file.fileName)
      : attachmentHeader(file.fileName),
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "sandbox; default-src 'none'",
  };
}

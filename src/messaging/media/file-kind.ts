// The kind of a file, detected from its first bytes and declared type, and its size limit. Pure.
import { AppError } from '../../base/errors.ts';

export type MediaKind = 'image' | 'video' | 'document';

/** What the bytes alone determine; Office and text files also need the declared type. */
export type Family = 'jpeg' | 'png' | 'mp4' | '3gpp' | 'pdf' | 'ole' | 'ooxml' | 'text';

interface TypeRule {
  kind: MediaKind;
  family: Family;
  /** File name extensions of this type, for clients that declare none. */
  endings: readonly string[];
}

const ooxml = 'application/vnd.openxmlformats-officedocument';

/** The types that WhatsApp accepts in a header (Cloud API, "Media"). */
const types: ReadonlyMap<string, TypeRule> = new Map<string, TypeRule>([
  ['image/jpeg', { kind: 'image', family: 'jpeg', endings: ['jpg', 'jpeg'] }],
  ['image/png', { kind: 'image', family: 'png', endings: ['png'] }],
  ['video/mp4', { kind: 'video', family: 'mp4', endings: ['mp4'] }],
  ['video/3gpp', { kind: 'video', family: '3gpp', endings: ['3gp', '3gpp'] }],
  ['application/pdf', { kind: 'document', family: 'pdf', endings: ['pdf'] }],
  ['application/msword', { kind: 'document', family: 'ole', endings: ['doc'] }],
  ['application/vnd.ms-excel', { kind: 'document', family: 'ole', endings: ['xls'] }],
  ['application/vnd.ms-powerpoint', { kind: 'document', family: 'ole', endings: ['ppt'] }],
  [`${ooxml}.wordprocessingml.document`, { kind: 'document', family: 'ooxml', endings: ['docx'] }],
  [`${ooxml}.spreadsheetml.sheet`, { kind: 'document', family: 'ooxml', endings: ['xlsx'] }],
  [`${ooxml}.presentationml.presentation`, { kind: 'document', family: 'ooxml', endings: ['pptx'] }],
  ['text/plain', { kind: 'document', family: 'text', endings: ['txt'] }],
]);

/** Other names that clients send for a listed type. */
const aliases: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'application/x-pdf': 'application/pdf',
};

/** What clients declare when they do not know the type. */
const undeclared = new Set(['', 'application/octet-stream', 'binary/octet-stream']);
/** What a part without a Content-Type is declared as (RFC 7578 section 4.4). */
const formDefault = 'text/plain';

const typesOf = (kind: MediaKind) => [...types].flatMap(([type, rule]) => (rule.kind === kind ? type : []));

/** A sentence that names every media type that can be stored, and its use. */
export const supportedTypes = `Supported are images (${typesOf('image').join(', ')}), videos (${typesOf('video').join(', ')}) and documents (${typesOf('document').join(', ')} in UTF-8). The document header of a template takes only application/pdf.`;

/** WhatsApp's limits in bytes (Cloud API, "Media": 5, 16 and 100 MB, meaning mebibytes). */
export const maxBytesOf: Readonly<Record<MediaKind, number>> = {
  image: 5 * 1024 * 1024,
  video: 16 * 1024 * 1024,
  document: 100 * 1024 * 1024,
};

/** How many first bytes `decideKind` needs; a shorter file is passed whole. */
export const headBytes = 4096;

export interface FileKind {
  kind: MediaKind;
  family: Family;
  mimeType: string;
  maxBytes: number;
}

/**
 * Decides what the file is. The first bytes decide the family; within a family, the declared type decides, or the file
 * name's extension if none was declared, as in a part without a Content-Type. Throws AppError `unsupported_media_type` for
 * an unknown family, an unsupported type, or a type that the bytes contradict.
 */
export function decideKind(head: Uint8Array, declaredType: string, fileName: string): FileKind {
  const declared = plainType(declaredType);
  const found = familiesOf(head);
  if (found.length === 0) throw unsupported('its content is not one of the supported types');
  const named = namedType(found, fileName);
  const isDeclared = !undeclared.has(declared) && (declared !== formDefault || named === undefined);
  const mimeType = isDeclared ? declared : (named ?? onlyTypeOf(found));
  if (mimeType === undefined) {
    throw unsupported('its content does not identify its type; declare it in the Content-Type of the part');
  }
  const rule = types.get(mimeType);
  if (!rule) throw unsupported(`${shown(mimeType)} is not supported`);
  if (!found.includes(rule.family)) {
    throw unsupported(`it is declared as ${mimeType}, but its content is ${familyNames[found[0] ?? 'text']}`);
  }
  return { kind: rule.kind, family: rule.family, mimeType, maxBytes: maxBytesOf[rule.kind] };
}

/** `Image/JPG; charset=x` → `image/jpeg`. */
function plainType(declared: string): string {
  const bare = (declared.split(';')[0] ?? '').trim().toLowerCase();
  return aliases[bare] ?? bare;
}

const typesIn = (found: readonly Family[]) => [...types].filter(([, rule]) => found.includes(rule.family));

/** The type in these families that the file name's extension names. */
function namedType(found: readonly Family[], fileName: string): string | undefined {
  const ending = /\.([A-Za-z0-9]+)$/.exec(fileName)?.[1]?.toLowerCase();
  return typesIn(found).find(([, rule]) => ending !== undefined && rule.endings.includes(ending))?.[0];
}

/** The type of the likeliest family, if it has one only. */
function onlyTypeOf(found: readonly Family[]): string | undefined {
  const ofFirst = typesIn(found).filter(([, rule]) => rule.family === found[0] && rule.family !== 'text');
  return ofFirst.length === 1 ? ofFirst[0]?.[0] : undefined;
}

const familyNames: Readonly<Record<Family, string>> = {
  jpeg: 'a JPEG image',
  png: 'a PNG image',
  mp4: 'an MP4 video',
  '3gpp': 'a 3GPP video',
  pdf: 'a PDF document',
  ole: 'an older Office document (or another OLE file)',
  ooxml: 'an Office document',
  text: 'text',
};

/** A declared type, shortened and without unusual characters, for an error message. */
const shown = (type: string) => type.replace(/[^a-z0-9!#$&^_.+/-]/g, '?').slice(0, 127);

/** 415 with the reason and the supported types. */
export function unsupported(why: string): AppError {
  return new AppError('unsupported_media_type', `The file is not supported: ${why}. ${supportedTypes}`);
}

const ascii = (head: Uint8Array, from: number, to: number) =>
  String.fromCharCode(...head.subarray(Math.min(from, head.length), Math.min(to, head.length)));

const startsWith = (head: Uint8Array, signature: readonly number[], at = 0) =>
  head.length >= at + signature.length && signature.every((byte, index) => head[at + index] === byte);

const signatures = {
  jpeg: [0xff, 0xd8, 0xff],
  png: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
  ole: [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1],
  zipEntry: [0x50, 0x4b, 0x03, 0x04],
};

/** Every family that the first bytes match, likeliest first. Only videos with several brands have more than one. */
function familiesOf(head: Uint8Array): Family[] {
  if (startsWith(head, signatures.jpeg)) return ['jpeg'];
  if (startsWith(head, signatures.png) && ascii(head, 12, 16) === 'IHDR') return ['png'];
  if (ascii(head, 4, 8) === 'ftyp') return videoFamilies(head);
  if (/^%PDF-\d/.test(ascii(head, 0, 6))) return ['pdf'];
  if (startsWith(head, signatures.ole)) return ['ole'];
  if (startsWith(head, signatures.zipEntry)) return isOfficeZip(head) ? ['ooxml'] : [];
  return looksLikeText(head) ? ['text'] : [];
}

const mp4Brand = /^(isom|iso[2-9a-c]|mp4[12v]|avc1|M4V[ HP]?|MSNV|dash|mmp4|f4v |XAVC|NDS[CHMPSX])/;
const threeGppBrand = /^3g[efghprst]\d/;

/** The brands of an ISO media file (ISO/IEC 14496-12 section 4.3). The major brand must be a video's. */
function videoFamilies(head: Uint8Array): Family[] {
  const familyOf = (brand: string): Family | undefined =>
    threeGppBrand.test(brand) || brand.startsWith('3gp') ? '3gpp' : mp4Brand.test(brand) ? 'mp4' : undefined;
  const major = familyOf(ascii(head, 8, 12));
  if (!major) return [];
  const boxBytes = new DataView(head.buffer, head.byteOffset, head.byteLength).getUint32(0);
  const families = new Set([major]);
  for (let at = 16; at + 4 <= Math.min(boxBytes, head.length); at += 4) {
    const family = familyOf(ascii(head, at, at + 4));
    if (family) families.add(family);
  }
  return [...families];
}

/** Names of the first entry in an Office package (ECMA-376 part 2); other ZIP files have others. */
const officeParts = ['[Content_Types].xml', '_rels/', 'docProps/', 'word/', 'xl/', 'ppt/', 'customXml/'];

function isOfficeZip(head: Uint8Array): boolean {
  if (head.length < 30) return false;
  const nameBytes = new DataView(head.buffer, head.byteOffset, head.byteLength).getUint16(26, true);
  const name = ascii(head, 30, 30 + nameBytes);
  return officeParts.some((part) => name.startsWith(part));
}

/** Bytes that do not occur in text (WHATWG MIME Sniffing, "binary data byte"). */
function isBinaryByte(byte: number): boolean {
  return byte <= 0x08 || byte === 0x0b || (byte >= 0x0e && byte <= 0x1a) || (byte >= 0x1c && byte <= 0x1f);
}

function looksLikeText(head: Uint8Array): boolean {
  const check = createTextCheck();
  return check.isTextSoFar(head);
}

export interface TextCheck {
  /** Returns false once the bytes cannot be UTF-8 text. */
  isTextSoFar(chunk: Uint8Array): boolean;
  /** Returns false if the last character is incomplete. Call it once, at the end. */
  isTextAtEnd(): boolean;
}

/** Checks chunk by chunk that a file is UTF-8 text without binary bytes. */
export function createTextCheck(): TextCheck {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decodes = (chunk: Uint8Array | undefined) => {
    try {
      decoder.decode(chunk, { stream: chunk !== undefined });
      return true;
    } catch {
      return false;
    }
  };
  return {
    isTextSoFar: (chunk) => !chunk.some(isBinaryByte) && decodes(chunk),
    isTextAtEnd: () => decodes(undefined),
  };
}

/**
 * The name under which a file is stored: the last part of a path, without control and formatting characters, at most 240
 * characters including its extension. Empty if no usable name remains.
 */
export function cleanFileName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  // Cc: controls, Cf: invisible formatting, Cs: lone surrogates, Zl and Zp: line and paragraph separators
  const visible = last.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '').trim();
  const characters = [...visible];
  if (/^\.*$/.test(visible)) return '';
  if (characters.length <= 240) return visible;
  const ending = /\.[A-Za-z0-9]{1,10}$/.exec(visible)?.[0] ?? '';
  return characters.slice(0, 240 - ending.length).join('') + ending;
}

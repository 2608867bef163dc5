// Reads a backup and compares everything with its manifest.
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Entry, extract } from 'tar-stream';
import type { KeyRing } from '../base/cipher.ts';
import {
  type BackupHeader,
  formatName,
  formatVersion,
  headerName,
  type Manifest,
  manifestEntry,
  manifestName,
  partBytes,
  partName,
  type SectionSummary,
} from './format.ts';
import { decodePart, type PartEncryption, sha256Of } from './parts.ts';
import { countLines } from './write-archive.ts';

export interface ReadOptions {
  /** The backup keys; null: there are none. */
  keys: KeyRing | null;
  /** Called with the clear bytes of each part, in order. The next part is read when it resolves. */
  onPart?: (section: string, clear: Buffer) => Promise<void>;
  /** Called with the stored bytes of each part. */
  onProgress?: (bytes: number) => void;
}

/** More than a stored part can have: encryption and compression add little. */
const storedMax = 2 * partBytes;
const headerMax = 64 * 1024;
const manifestMax = 256 * 1024 * 1024;

/**
 * Reads the whole backup. Returns its manifest if every part, count and digest is as the manifest says. Throws if it is cut
 * off, altered, encrypted with an unknown key, or not a backup that this program can read.
 */
export async function readArchive(source: AsyncIterable<Buffer>, options: ReadOptions): Promise<Manifest> {
  const entries = extract();
  const feeding = pipeline(
    Readable.from(source, { objectMode: false }),
    entries as unknown as NodeJS.WritableStream,
  );
  // its error ends the entries too
  feeding.catch(() => undefined);
  let lastEntry: string | undefined;
  try {
    const manifest = await readEntries(entries, options, (name) => {
      lastEntry = name;
    });
    await feeding;
    return manifest;
  } catch (error) {
    entries.destroy();
    throw error instanceof Error ? describeTarError(error, lastEntry) : error;
  }
}

/** Says what an error of the tar format, after the whole entry `last`, means for a backup; returns others unchanged. */
function describeTarError(error: Error, last: string | undefined): Error {
  const isCutOff = /unexpected end of data/i.test(error.message);
  if (!isCutOff && !/invalid tar header/i.test(error.message)) return error;
  if (isCutOff && !last?.startsWith(manifestName)) return incomplete();
  if (last === undefined) return notABackup();
  return new Error(
    `The backup is altered, or was not copied to its end: what follows ${last} is no part of it. Use another backup, or copy this one again.`,
  );
}

async function readEntries(
  entries: AsyncIterable<Entry>,
  options: ReadOptions,
  onEntry: (name: string) => void,
): Promise<Manifest> {
  let reading: ReturnType<typeof openReading> | undefined;
  let manifest: Manifest | undefined;
  for await (const entry of entries) {
    const { name, size = 0 } = entry.header;
    if (manifest) throw altered(`${name} follows its manifest`);
    if (!reading) {
      if (name !== headerName || size > headerMax) throw notABackup();
      reading = openReading(parseHeader(await bytesOf(entry)), options);
    } else if (name === reading.manifestEntry) {
      if (size > manifestMax) throw altered('its manifest is too large');
      manifest = await reading.end(await bytesOf(entry));
    } else {
      if (size > storedMax) throw altered(`its part ${name} is too large`);
      await reading.part(name, await bytesOf(entry));
    }
    onEntry(name);
  }
  if (!reading) throw notABackup();
  if (!manifest) throw incomplete();
  return manifest;
}

const altered = (what: string) => new Error(`The backup is altered: ${what}. Use another backup.`);

const notABackup = () =>
  new Error(
    'The file is not a backup of this program. Name the file that "backup" wrote, as it was written: not compressed, for example.',
  );
const incomplete = () =>
  new Error(
    'The backup is incomplete: its manifest is missing, so it was cut off. Use another backup, or copy this one again.',
  );

async function bytesOf(entry: Entry): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of entry) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function parseHeader(bytes: Buffer): BackupHeader {
  let header: BackupHeader;
  try {
    header = JSON.parse(bytes.toString()) as BackupHeader;
  } catch (error) {
    throw new Error(notABackup().message, { cause: error });
  }
  if (header.format !== formatName) throw notABackup();
  if (header.formatVersion > formatVersion)
    throw new Error(
      `The backup was written by version ${header.version}, in a form that this program does not know. Use that version or a newer one.`,
    );
  return header;
}

function encryptionOf({ id, keyId }: BackupHeader, keys: KeyRing | null): PartEncryption {
  if (keyId === null) return { id, key: null };
  const found = keys?.keys.find((key) => key.id === keyId);
  if (!found)
    throw new Error(`The backup is encrypted with the backup key "${keyId}". Add that key to BACKUP_KEYS.`);
  return { id, key: found.key };
}

/** Reads the parts of one backup, in the order in which they were written. */
function openReading(header: BackupHeader, options: ReadOptions) {
  const encryption = encryptionOf(header, options.keys);
  const isEncrypted = encryption.key !== null;
  const sections: SectionSummary[] = [];
  let open: { summary: SectionSummary; hash: ReturnType<typeof createHash> } | undefined;

  function endSection(): void {
    if (!open) return;
    open.summary.sha256 = open.hash.digest('hex');
    sections.push(open.summary);
    open = undefined;
  }

  function sectionOf(name: string) {
    const section = name.slice(0, name.lastIndexOf('/'));
    if (open?.summary.name !== section) {
      endSection();
      open = {
        summary: { name: section, bytes: 0, sha256: '', lines: 0, parts: [] },
        hash: createHash('sha256'),
      };
    }
    return open as NonNullable<typeof open>;
  }

  return {
    manifestEntry: manifestEntry(isEncrypted),

    async part(name: string, stored: Buffer): Promise<void> {
      const { summary, hash } = sectionOf(name);
      if (name !== partName(summary.name, summary.parts.length + 1, isEncrypted))
        throw altered(`${name} is not the part that belongs here`);
      const clear = await decodePart(encryption, name, stored, partBytes);
      hash.update(clear);
      summary.bytes += clear.length;
      summary.lines += countLines(clear);
      summary.parts.push({ bytes: stored.length, sha256: sha256Of(stored) });
      await options.onPart?.(summary.name, clear);
      options.onProgress?.(stored.length);
    },

    async end(stored: Buffer): Promise<Manifest> {
      endSection();
      const text = await decodePart(encryption, manifestEntry(isEncrypted), stored, manifestMax);
      const manifest = JSON.parse(text.toString()) as Manifest;
      if (manifest.id !== header.id) throw altered('its manifest is of another one');
      compare(manifest, sections);
      return manifest;
    },
  };
}

/** Throws unless the sections that were read are those of the manifest, with their tables' rows. */
function compare(manifest: Manifest, read: readonly SectionSummary[]): void {
  // a section without bytes has no parts, so it was not read
  const expected = manifest.sections.filter(({ bytes }) => bytes > 0);
  const found = new Map(read.map((section) => [section.name, JSON.stringify(section)]));
  for (const section of expected)
    if (found.get(section.name) !== JSON.stringify(section))
      throw altered(`${section.name} is not what its manifest says`);
  if (read.length !== expected.length) throw altered('it has a section that its manifest does not name');
  const lines = new Map(manifest.sections.map((section) => [section.name, section.lines]));
  for (const { name, rows } of manifest.tables)
    if (lines.get(`tables/${name}`) !== rows) throw altered(`the table ${name} does not have ${rows} rows`);
}

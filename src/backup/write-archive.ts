// Writes a backup as a stream: its header, sections cut into parts, and the manifest.
import { createHash } from 'node:crypto';
import { pack } from 'tar-stream';
import {
  type BackupHeader,
  headerName,
  type Manifest,
  type ManifestContent,
  manifestEntry,
  partBytes,
  partName,
  type SectionSummary,
} from './format.ts';
import { encodePart, type PartEncryption, sha256Of } from './parts.ts';

export interface ArchiveWriter {
  /** Writes everything that `content` yields as a section. */
  section(name: string, content: AsyncIterable<Buffer>): Promise<SectionSummary>;
}

export interface ArchiveOptions {
  header: BackupHeader;
  key: PartEncryption['key'];
  /** Called with the clear bytes of each part before it is written. Waits to limit the rate; throws to stop. */
  onPart: (bytes: number) => Promise<void>;
}

/**
 * Yields the archive that `produce` writes: its sections, then the manifest that it returns, with their summaries. Fails
 * with the error of `produce`, without a manifest.
 */
export async function* writeArchive(
  options: ArchiveOptions,
  produce: (writer: ArchiveWriter) => Promise<ManifestContent>,
): AsyncGenerator<Buffer> {
  const archive = pack();
  const writing = write(archive, options, produce).catch((error: Error) => archive.destroy(error));
  try {
    yield* archive as AsyncIterable<Buffer>;
    await writing;
  } finally {
    archive.destroy();
  }
}

async function write(
  archive: ReturnType<typeof pack>,
  { header, key, onPart }: ArchiveOptions,
  produce: (writer: ArchiveWriter) => Promise<ManifestContent>,
): Promise<void> {
  const encryption: PartEncryption = { id: header.id, key };
  const mtime = new Date(header.createdAt);
  const entry = (name: string, bytes: Buffer) =>
    new Promise<void>((resolve, reject) => {
      archive.entry({ name, mtime, mode: 0o600 }, bytes, (error) => (error ? reject(error) : resolve()));
    });
  const sections: SectionSummary[] = [];

  async function section(name: string, content: AsyncIterable<Buffer>): Promise<SectionSummary> {
    const hash = createHash('sha256');
    const summary: SectionSummary = { name, bytes: 0, sha256: '', lines: 0, parts: [] };
    for await (const clear of cut(content)) {
      await onPart(clear.length);
      hash.update(clear);
      summary.bytes += clear.length;
      summary.lines += countLines(clear);
      const at = partName(name, summary.parts.length + 1, key !== null);
      const stored = await encodePart(encryption, at, clear);
      summary.parts.push({ bytes: stored.length, sha256: sha256Of(stored) });
      await entry(at, stored);
    }
    summary.sha256 = hash.digest('hex');
    sections.push(summary);
    return summary;
  }

  await entry(headerName, Buffer.from(`${JSON.stringify(header)}\n`));
  const manifest: Manifest = { ...(await produce({ section })), sections };
  const name = manifestEntry(key !== null);
  await entry(name, await encodePart(encryption, name, Buffer.from(JSON.stringify(manifest))));
  archive.finalize();
}

/** Cuts a stream into pieces of `partBytes`; the last one may be shorter. A piece is valid until the next is requested. */
async function* cut(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const piece = Buffer.allocUnsafeSlow(partBytes);
  let filled = 0;
  for await (const chunk of content) {
    for (let at = 0; at < chunk.length; ) {
      const copied = chunk.copy(piece, filled, at);
      [at, filled] = [at + copied, filled + copied];
      if (filled < partBytes) continue;
      yield piece;
      filled = 0;
    }
  }
  if (filled > 0) yield piece.subarray(0, filled);
}

/** Line ends in the bytes. */
export function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) lines += 1;
  return lines;
}

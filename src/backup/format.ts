// The form of a backup: a tar archive of compressed parts, with the manifest as its last entry. Pure.

export const formatName = 'chatbot-gateway-backup';
/** Readers reject a higher version. */
export const formatVersion = 1;
/** Clear bytes of a part at most: what reading and writing keep in memory. */
export const partBytes = 4 * 1024 * 1024;
export const headerName = 'backup.json';
export const manifestName = 'manifest.json';

/** The first entry, always in the clear. */
export interface BackupHeader {
  format: typeof formatName;
  formatVersion: number;
  /** Authenticated with every encrypted part, so that no part fits another backup. */
  id: string;
  createdAt: string;
  /** The program that wrote it. */
  version: string;
  /** The id of the backup key; null: not encrypted. */
  keyId: string | null;
}

/** A stored part: the entry `<section>/<number>`, digests as hex digits. */
export interface PartSummary {
  bytes: number;
  sha256: string;
}

/** A stream of bytes, cut into parts. */
export interface SectionSummary {
  name: string;
  /** Of the clear, uncompressed bytes. */
  bytes: number;
  sha256: string;
  /** Line ends: the rows of a table. */
  lines: number;
  parts: PartSummary[];
}

export interface TableSummary {
  name: string;
  columns: string[];
  rows: number;
}

export interface SequenceSummary {
  name: string;
  /** Null: never used. */
  lastValue: string | null;
}

/** A partition and the range of its key. */
export interface PartitionSummary {
  table: string;
  name: string;
  from: string;
  to: string;
}

/** A key of the encryption key ring, recognizable without its bytes. */
export interface KeyCheck {
  id: string;
  check: string;
}

/** The last entry: without it, the backup is incomplete. */
export interface Manifest {
  id: string;
  version: string;
  createdAt: string;
  /** When the snapshot of the database began: its content is of this moment. */
  snapshotAt: string;
  postgresVersion: string;
  /** Migrations of the database, with the digests of their files. */
  migrations: { name: string; digest: string | null }[];
  tables: TableSummary[];
  sequences: SequenceSummary[];
  partitions: PartitionSummary[];
  /** Stored files; `missing` are those that the object store did not have (the first 100). */
  files: { count: number; bytes: number; missingCount: number; missing: string[] };
  /** The keys that stored secrets and files need. */
  encryptionKeys: KeyCheck[];
  /** True if the backup has the encryption keys. */
  hasKeys: boolean;
  sections: SectionSummary[];
}

/** The manifest without what the archive adds. */
export type ManifestContent = Omit<Manifest, 'sections'>;

export const tableSection = (table: string) => `tables/${table}`;
export const filesSection = 'files';
export const keysSection = 'keys';

/** The entry of a part; `no` counts from 1. */
export function partName(section: string, no: number, isEncrypted: boolean): string {
  return `${section}/${String(no).padStart(8, '0')}.zst${isEncrypted ? '.enc' : ''}`;
}

/** The entry of the manifest. */
export const manifestEntry = (isEncrypted: boolean) => `${manifestName}.zst${isEncrypted ? '.enc' : ''}`;

const fileName = /^gateway-backup-\d{8}T\d{6}(?:\.\d{3})?Z-[0-9a-f]{8}\.tar$/;

/** The name of a backup in a directory or bucket: sorted by name, they are sorted by time. */
export function backupFileName(header: BackupHeader): string {
  const time = header.createdAt.replaceAll(/[-:]/g, '');
  return `gateway-backup-${time}-${header.id.slice(-8)}.tar`;
}

/**
 * The backups that are deleted to keep `keep` of these files: the one just written, and the newest others, even if a clock that was
 * wrong dated them later. Never names a file of another kind.
 */
export function obsoleteBackups(names: readonly string[], keep: number, written: string): string[] {
  const others = names.filter((name) => fileName.test(name) && name !== written).sort();
  return others.slice(0, Math.max(0, others.length - (keep - 1)));
}

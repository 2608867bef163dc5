// The place of backups as the gateway needs it: named files, written once, read as streams. Interfaces only.

export interface StoredBackup {
  name: string;
  /** Bytes. */
  size: number;
}

/** A directory or a bucket with backups. Every call throws if the place fails. */
export interface BackupStore {
  /**
   * Stores everything that `content` yields under a new name, durably; nobody sees a part of it. Throws if the name exists.
   * A chunk is valid until the next is requested. If `content` fails, nothing is stored and its own error is thrown.
   */
  put(name: string, content: AsyncIterable<Buffer>): Promise<void>;
  /** The bytes of the file. Throws AppError `not_found` if there is none. */
  get(name: string): AsyncIterable<Buffer>;
  /** The files of the place, in any order. */
  list(): Promise<StoredBackup[]>;
  /** Removes the file; no error if there is none. */
  remove(name: string): Promise<void>;
}

// The object store as the gateway needs it: whole objects as streams, with keys that we choose. Interfaces only.
import type { Readable } from 'node:stream';

export interface ObjectInfo {
  key: string;
  /** Bytes. */
  size: number;
}

/**
 * Where encrypted files are stored. A key is one or more parts joined by `/`, each of letters, digits, `.`, `_` and `-`
 * (not only dots), with at most 512 characters. Every call throws VendorError if the store fails: `not_sent` if it could
 * not be reached, `rejected` if it rejected the call (`code` is `storage_full` if it is full), `unknown` otherwise.
 */
export interface ObjectStore {
  /**
   * Stores everything that `content` yields and returns its size in bytes once it is durable. Readers see the old object or
   * the new one, never a part. If `content` fails, nothing is stored and its own error is thrown. A chunk is valid until the
   * next is requested. The caller ends `content` if the store fails: it may fail without reading it.
   */
  put(key: string, content: AsyncIterable<Buffer>): Promise<{ size: number }>;
  /** The object as a stream, or null if there is none. The stream fails if the store fails. */
  get(key: string): Promise<Readable | null>;
  head(key: string): Promise<ObjectInfo | null>;
  /** Removes the object; no error if there is none. */
  delete(key: string): Promise<void>;
  /** Every object whose key starts with `prefix`, in any order. */
  list(prefix: string): AsyncIterable<ObjectInfo>;
  /** Resolves if objects can be stored and removed now. */
  check(): Promise<void>;
  /**
   * Removes unfinished puts of the key; the object itself stays. A running put of the key fails, so call it only when the
   * writer is known to have ended. No error if there is nothing.
   */
  abandon(key: string): Promise<void>;
  /** Removes unfinished puts older than an hour and returns their number. Safe while others put. */
  sweep(): Promise<number>;
}

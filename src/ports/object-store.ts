// The object store, as we need it: whole objects in and out as streams, under keys that we choose. Interfaces only.
import type { Readable } from 'node:stream';

export interface ObjectInfo {
  key: string;
  /** Bytes. */
  size: number;
}

/**
 * Where encrypted files lie. A key is one or more parts joined by `/`, each of letters, digits, `.`, `_` and `-` (never
 * only dots), 512 characters at most. Every call throws VendorError when the store itself fails: `not_sent` if it could
 * not be reached, `refused` if it said no (forbidden, or full: then its `code` is `storage_full`), `unknown` otherwise.
 */
export interface ObjectStore {
  /**
   * Stores everything that `content` yields, and answers its bytes once they are durable. Until then the key reads as
   * before; a reader sees the old object or the new one, never a part. If `content` fails, its own error is thrown and
   * nothing is stored. `content` is the caller's to destroy: a store may fail without reading it.
   */
  put(key: string, content: Readable): Promise<{ size: number }>;
  /** The object as a stream, or null if there is none. The stream fails if the store does while it is read. */
  get(key: string): Promise<Readable | null>;
  head(key: string): Promise<ObjectInfo | null>;
  /** Removes the object; no error if there is none. */
  delete(key: string): Promise<void>;
  /** Every object whose key begins with `prefix`, in no certain order. */
  list(prefix: string): AsyncIterable<ObjectInfo>;
  /** Resolves if objects can be stored and removed now. */
  check(): Promise<void>;
  /**
   * Removes what unfinished puts of that key left behind; the object itself stays. A put of the key that is still running
   * fails. For keys whose writer is known to be gone. No error if there is nothing.
   */
  abandon(key: string): Promise<void>;
  /** Removes what puts that never ended left behind more than an hour ago; answers how many. Safe while others put. */
  sweep(): Promise<number>;
}

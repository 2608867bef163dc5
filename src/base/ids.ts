// Ids: UUIDv7 (RFC 9562), which sort by creation time.
import { randomFillSync } from 'node:crypto';

const pool = Buffer.alloc(16 * 256);
let poolAt = pool.length;
let lastMs = 0;
let sequence = 0;

/**
 * Returns a UUIDv7 in lower case, strictly increasing within this process (RFC 9562 section 6.2, method 1: a 12-bit counter
 * in `rand_a`). `nowMs` is its time; a time before that of the last id uses the last id's millisecond.
 */
export function uuidv7(nowMs: number = Date.now()): string {
  if (poolAt === pool.length) {
    randomFillSync(pool);
    poolAt = 0;
  }
  const bytes = pool.subarray(poolAt, poolAt + 16);
  poolAt += 16;
  if (nowMs > lastMs) {
    lastMs = nowMs;
    sequence = bytes.readUInt16BE(6) & 0x7ff;
  } else {
    sequence += 1;
    if (sequence > 0xfff) {
      lastMs += 1;
      sequence = 0;
    }
  }
  bytes.writeUIntBE(lastMs, 0, 6);
  bytes.writeUInt16BE(0x7000 | sequence, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The lowest and the highest UUID (RFC 9562 sections 5.9 and 5.10). */
export const nilUuid = '00000000-0000-0000-0000-000000000000';
export const maxUuid = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** True if `text` has the form of a UUID; a malformed id gets 404 like an unknown one, without a query. */
export function isUuid(text: string): boolean {
  return uuidPattern.test(text);
}

/** The id with the latest time; null if there is none. */
export const newestId = (ids: readonly (string | null | undefined)[]): string | null => {
  let newest: string | null = null;
  for (const id of ids) if (id && (newest === null || id > newest)) newest = id;
  return newest;
};

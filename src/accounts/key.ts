// API keys: their format, their hash, and a check that rejects malformed keys without a query.
import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const prefix = 'cgw_';
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomLength = 43;
const checksumLength = 6;
/** The name of a cell in a key: what a router reads. */
const cellPattern = '[a-z0-9]{1,16}';
const pattern = new RegExp(`^${prefix}(?:${cellPattern}_)?[0-9A-Za-z]{${randomLength + checksumLength}}$`);

function base62(value: bigint, length: number): string {
  let rest = value;
  let text = '';
  for (let i = 0; i < length; i++) {
    text = `${alphabet[Number(rest % 62n)]}${text}`;
    rest /= 62n;
  }
  return text;
}

function checksum(body: string): string {
  return base62(BigInt(crc32(body)), checksumLength);
}

/**
 * Creates a key: `cgw_`, the name of the cell and `_` if there is one, 256 random bits in base62, and a CRC-32 of all of it. Mistyped
 * and invented keys are rejected without a query, and secret scanners recognize the format.
 */
export function makeKey(cell: string | null = null): string {
  const body = `${prefix}${cell === null ? '' : `${cell}_`}${base62(BigInt(`0x${randomBytes(32).toString('hex')}`), randomLength)}`;
  return `${body}${checksum(body)}`;
}

/** True if `text` has the format and checksum of a key, of any cell or none: keys from before there were cells stay valid. */
export function isWellFormedKey(text: string): boolean {
  return pattern.test(text) && checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength);
}

/** The stored hash of a key. A fast hash is enough: 256 random bits cannot be guessed. */
export function hashKey(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

/** The last four characters, shown to distinguish keys. */
export function hintOf(key: string): string {
  return key.slice(-4);
}

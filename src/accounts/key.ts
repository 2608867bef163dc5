// API keys: their form, their hash, and the check that rejects malformed keys without a query. Pure but for randomness.
import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const prefix = 'cgw_';
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomLength = 43;
const checksumLength = 6;
const pattern = new RegExp(`^${prefix}[0-9A-Za-z]{${randomLength + checksumLength}}$`);

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
 * A fresh key: `cgw_`, 256 random bits in base62, and a CRC-32 of both, so that a mistyped or invented key is rejected
 * without asking the database and scanners of leaked secrets know one when they see it.
 */
export function makeKey(): string {
  const body = `${prefix}${base62(BigInt(`0x${randomBytes(32).toString('hex')}`), randomLength)}`;
  return `${body}${checksum(body)}`;
}

/** True if `text` could be a key of ours. */
export function looksLikeKey(text: string): boolean {
  return pattern.test(text) && checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength);
}

/** What is stored instead of the key. 256 random bits need no slow hash: they cannot be guessed. */
export function hashKey(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

/** The last four characters, to distinguish keys. */
export function hintOf(key: string): string {
  return key.slice(-4);
}

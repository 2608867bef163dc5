// Message ids in the platform's format: base64 of the recipient and 72 random bits.
import { randomBytes } from 'node:crypto';

let pool = Buffer.alloc(0);
let used = 0;

/** A new message id, such as `wamid.HBgLMTY1MDU1NTEyMzQVAgARGBI5QTNDQTVCM0Q0Q0Q2RTY3RTcA`. */
export function newWamid(waId: string): string {
  if (used + 9 > pool.length) {
    pool = randomBytes(9 * 1024);
    used = 0;
  }
  const hex = pool.toString('hex', used, used + 9).toUpperCase();
  used += 9;
  const text = `\x1c\x18${String.fromCharCode(waId.length)}${waId}\x15\x02\x00\x11\x18\x12${hex}\x00`;
  return `wamid.${Buffer.from(text, 'latin1').toString('base64')}`;
}

/** A numeric object id in the platform's format: 18 digits, more than a double can hold. */
export function newNumericId(): string {
  let id = String(1 + Math.floor(Math.random() * 9));
  while (id.length < 18) id += Math.floor(Math.random() * 10);
  return id;
}

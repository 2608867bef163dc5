// Message ids as the platform makes them: base64 of the recipient and 72 random bits (pure but for randomness).
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

/** A numeric id with `digits` digits, as the platform gives its objects. */
export function newNumericId(digits = 16): string {
  let id = String(1 + Math.floor(Math.random() * 9));
  while (id.length < digits) id += Math.floor(Math.random() * 10);
  return id;
}

// Tokens of sessions and dashboard links: 256 random bits, of which the database has only the hash.
import { hash, randomBytes } from 'node:crypto';

const pattern = /^[A-Za-z0-9_-]{43}$/;

/** A token as it is in a cookie or a link. */
export const makeToken = (): string => randomBytes(32).toString('base64url');

/** True if `text` has the form of a token; others are rejected without a query. */
export const isToken = (text: string): boolean => pattern.test(text);

/** The stored hash of a token. A fast hash is enough: 256 random bits cannot be guessed. */
export const hashToken = (token: string): Buffer => hash('sha256', token, 'buffer');

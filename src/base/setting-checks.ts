// Checks of single settings: addresses, networks and origins.
import { isIP } from 'node:net';
import { parseKeyRing } from './cipher.ts';
import { parseRedisAddress } from './redis-address.ts';

/** Detects libpq's form for several servers, which the driver does not support: it would treat the list as one host name. */
export function severalHostsProblem(text: string | null): string | undefined {
  const [, authority = '', query = ''] =
    /^postgres(?:ql)?:\/\/([^/?#]*)[^?#]*\??([^#]*)/i.exec(text ?? '') ?? [];
  const parameters = new URLSearchParams(query);
  const isList =
    authority.slice(authority.lastIndexOf('@') + 1).includes(',') || parameters.get('host')?.includes(',');
  if (!isList && !parameters.has('target_session_attrs')) return undefined;
  return (
    'DATABASE_URL must name one server: a list of hosts and target_session_attrs are not supported. ' +
    'Use an address that always points to the primary, such as HAProxy, a virtual IP or the writer endpoint of the provider.'
  );
}

/** The problem of an address of Redis; its text is not repeated, because it may contain a password. */
export function redisProblems(address: string | null): string[] {
  if (address === null) return [];
  try {
    parseRedisAddress(address);
    return [];
  } catch (error) {
    return [`REDIS_URL: ${(error as Error).message}`];
  }
}

/** True for a network in CIDR notation. */
export function isNetwork(text: string): boolean {
  const [address = '', bits = '', ...more] = text.split('/');
  const longest = { 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return more.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= longest;
}

/** True for an origin of the web, without a path. */
export const isOrigin = (text: string) =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text;

/** The problems of a list of keys in the setting `name`. */
export function keyProblems(name: string, keys: string | null): string[] {
  if (keys === null) return [];
  try {
    parseKeyRing(keys);
    return [];
  } catch (error) {
    // the message contains the entry's position, never its text
    return [`${name}: ${(error as Error).message}`];
  }
}

/**
 * The problem of a place of files: a directory, a file, or a bucket. An address of another kind would be the name of a directory. The
 * text is not repeated, because it may contain a password.
 */
export function placeProblem(text: string): string | undefined {
  const isBucket = text.startsWith('s3:');
  const scheme = isBucket ? 's3' : /^([a-z][\w+.-]*):\/\//i.exec(text)?.[1];
  if (
    isBucket ? URL.canParse(text) && new URL(text).hostname !== '' : scheme === undefined || scheme === 'file'
  )
    return undefined;
  return 'must be a path or a bucket, as in s3://bucket/prefix?region=…&endpoint=…';
}

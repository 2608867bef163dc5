// What a delivery must know of its endpoint: the address, opened keys and state, remembered until the row's version rises.
import { openCache } from '../../base/cache.ts';
import type { Cipher } from '../../base/cipher.ts';
import type { Clock } from '../../base/clock.ts';
import type { Db } from '../../db/db.ts';
import { validSecrets } from './secrets.ts';
import { type SigningKey, signingKey } from './sign.ts';
import { type EndpointRow, findTarget } from './store.ts';

export interface Target {
  id: string;
  url: URL;
  given: SigningKey;
  standard: SigningKey[];
  /** The secrets as receivers know them, to be cut out of what they answer. */
  secrets: readonly string[];
}

export interface Targets {
  /**
   * The endpoint in `version` or a later one; undefined if it was deleted. Publishing and claiming read the version
   * with the delivery, so no other process has to be told of a change.
   */
  get(id: string, version: number): Promise<Target | undefined>;
}

interface Known {
  version: number;
  /** Milliseconds since the epoch at which a rotation's overlap ends and the keys change by themselves. */
  until: number;
  target: Target | undefined;
}

const cachedMax = 10_000;

export function openTargets(deps: { db: Db; cipher: Cipher; clock: Clock }): Targets {
  const known = openCache<Known>({ max: cachedMax });
  const loading = new Map<string, Promise<Known>>();

  function opened(row: EndpointRow | undefined, nowMs: number): Known {
    if (!row || row.status === 'deleted') {
      return { version: Number.POSITIVE_INFINITY, until: Number.POSITIVE_INFINITY, target: undefined };
    }
    const secrets = validSecrets(deps.cipher, row, nowMs);
    const keys = new Map(secrets.standard.map((secret) => [secret, signingKey(secret)]));
    const overlapEnd = row.overlap_until?.getTime() ?? 0;
    return {
      version: row.version,
      until: overlapEnd > nowMs ? overlapEnd : Number.POSITIVE_INFINITY,
      target: {
        id: row.id,
        url: new URL(row.url),
        given: keys.get(secrets.given) as SigningKey,
        standard: [...keys.values()],
        secrets: [...keys.keys()].flatMap((secret) => [secret, secret.replace(/^whsec_/, '')]),
      },
    };
  }

  async function load(id: string): Promise<Known> {
    try {
      const entry = opened(await findTarget(deps.db, id), deps.clock.now());
      known.set(id, entry);
      return entry;
    } finally {
      loading.delete(id);
    }
  }

  return {
    async get(id, version) {
      const entry = known.get(id);
      if (entry && entry.version >= version && deps.clock.now() < entry.until) return entry.target;
      // A load begun before the change may bring the older version: then it is asked once more.
      const joined = loading.get(id);
      if (joined && (await joined).version >= version) return (await joined).target;
      const own = loading.get(id) ?? load(id);
      loading.set(id, own);
      return (await own).target;
    },
  };
}

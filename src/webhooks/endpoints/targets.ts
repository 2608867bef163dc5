// What a delivery needs of its endpoint: URL and signing keys, cached until the endpoint's version rises.
import { openCache } from '../../base/cache.ts';
import type { Cipher } from '../../base/cipher.ts';
import type { Clock } from '../../base/clock.ts';
import type { Db } from '../../db/db.ts';
import type { SigningKeys } from './headers.ts';
import { signingKeysOf, validSecrets } from './secrets.ts';
import { endpointStatus } from './status.ts';
import { type EndpointRow, findTarget } from './store.ts';

export interface Target extends SigningKeys {
  id: string;
  url: URL;
  /** The secrets as receivers know them, to remove from responses. */
  secrets: readonly string[];
}

export interface Targets {
  /**
   * The endpoint in `version` or a later one; undefined if it was deleted. Publishing and claiming read the version with the delivery, so changes
   * need no broadcast to other processes.
   */
  get(id: string, version: number): Promise<Target | undefined>;
}

interface Known {
  version: number;
  /** The end of a rotation's overlap, in milliseconds since the epoch: the keys change then. */
  validUntilMs: number;
  target: Target | undefined;
}

const cachedMax = 10_000;

/** Opens the cache of targets of one process. */
export function openTargets(deps: { db: Db; cipher: Cipher; clock: Clock }): Targets {
  const known = openCache<Known>({ max: cachedMax });
  const loading = new Map<string, Promise<Known>>();

  function opened(row: EndpointRow | undefined, nowMs: number): Known {
    if (!row || row.status === endpointStatus.deleted) {
      return { version: Number.POSITIVE_INFINITY, validUntilMs: Number.POSITIVE_INFINITY, target: undefined };
    }
    const secrets = validSecrets(deps.cipher, row, nowMs);
    const overlapEnd = row.overlap_until?.getTime() ?? 0;
    return {
      version: row.version,
      validUntilMs: overlapEnd > nowMs ? overlapEnd : Number.POSITIVE_INFINITY,
      target: {
        id: row.id,
        url: new URL(row.url),
        ...signingKeysOf(secrets),
        secrets: secrets.forStandard.flatMap((secret) => [secret, secret.replace(/^whsec_/, '')]),
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
      if (entry && entry.version >= version && deps.clock.now() < entry.validUntilMs) return entry.target;
      // a load that began before the change may return the older version: load again
      const joined = loading.get(id);
      if (joined && (await joined).version >= version) return (await joined).target;
      const own = loading.get(id) ?? load(id);
      loading.set(id, own);
      return (await own).target;
    },
  };
}

// The platform app behind a callback address: its secrets and its numbers, cached for seconds.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { openCache } from '../../base/cache.ts';
import type { Cipher } from '../../base/cipher.ts';
import type { Clock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import type { KeyedHash } from '../../base/keyed-hash.ts';
import type { Db } from '../../db/db.ts';
import { appSecretHashes, openSecret } from './access.ts';
import { findSenderById, findSendersOfApp, type SenderRow } from './store.ts';

export interface CallbackAppsDeps {
  db: Db;
  clock: Clock;
  cipher: Cipher;
  keyedHash: KeyedHash;
}

/** One app of a platform. It posts the callbacks of all its numbers to one address. */
export interface CallbackApp {
  /** The number whose address was called. */
  sender: SenderRow;
  /** Verifies callbacks. */
  secret: string;
  /** Verifies the handshake. */
  verifyToken: string;
  /** All numbers with the same app secret. */
  numbers: SenderRow[];
}

export interface CallbackApps {
  /** The app behind a sender's callback address, at most 5 seconds old. Throws AppError `not_found`. */
  of(senderId: string): Promise<CallbackApp>;
  /** The same, read now. */
  fresh(senderId: string): Promise<CallbackApp>;
  /** Forgets everything: a number was added, perhaps one that another account has too. */
  clear(): void;
}

const cachedMs = 5_000;
const cachedMax = 10_000;

/** Opens the cache of one process. */
export function openCallbackApps(deps: CallbackAppsDeps): CallbackApps {
  const lifetime = { ms: cachedMs, clock: deps.clock };
  const cache = openCache<Promise<CallbackApp>>({ max: cachedMax, lifetime });

  /** Reads that have not started yet. Callers share one, so none gets a result older than its call. */
  const starting = new Map<string, Promise<CallbackApp>>();

  function fresh(senderId: string): Promise<CallbackApp> {
    const shared = starting.get(senderId);
    if (shared) return shared;
    const app = nextTurn().then(() => {
      starting.delete(senderId);
      return read(deps, senderId);
    });
    starting.set(senderId, app);
    cache.set(senderId, app);
    app.catch(() => cache.delete(senderId));
    return app;
  }

  return {
    fresh,
    of: (senderId) => cache.get(senderId) ?? fresh(senderId),
    clear() {
      starting.clear();
      cache.clear();
    },
  };
}

async function read(deps: CallbackAppsDeps, senderId: string): Promise<CallbackApp> {
  const sender = isUuid(senderId) ? await findSenderById(deps.db, senderId) : undefined;
  if (!sender) throw new AppError('not_found', 'No sender has this callback address.');
  const secret = openSecret(deps.cipher, sender, 'app_secret');
  return {
    sender,
    secret,
    verifyToken: openSecret(deps.cipher, sender, 'verify_token'),
    numbers: await findSendersOfApp(deps.db, appSecretHashes(deps.keyedHash, secret)),
  };
}

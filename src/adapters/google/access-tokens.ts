// Access tokens, cached until shortly before they expire; concurrent callers share one refresh.
import { openCache } from '../../base/cache.ts';
import type { Clock } from '../../base/clock.ts';
import { VendorError } from '../../base/errors.ts';
import { type AttemptLimits, attemptLimits, noTimeLeft } from '../../base/retry.ts';
import type { AccessToken } from './oauth.ts';

export interface AccessTokens {
  /** A valid access token. Throws what `refreshAccess` throws, or `not_sent` when the time is up. */
  get(refreshToken: string, limits: AttemptLimits): Promise<string>;
  /** Removes a rejected token from the cache, unless a newer one has replaced it. */
  drop(refreshToken: string, token: string): void;
}

const refreshTimeoutMs = 10_000;
/** A token is not used in its last minute, because it could expire in transit. */
const expiryMarginMs = 60_000;
const maxCached = 10_000;

/** Opens the token cache of one OAuth client. */
export function openAccessTokens(
  clock: Clock,
  refresh: (refreshToken: string, limits: AttemptLimits) => Promise<AccessToken>,
): AccessTokens {
  // Google reports the lifetime of each token
  const cached = openCache<string>({ max: maxCached, lifetime: { ms: 3_600_000, clock } });
  const inFlight = new Map<string, Promise<string>>();

  const startRefresh = async (refreshToken: string): Promise<string> => {
    const requestedAt = clock.steady();
    try {
      const { token, expiresInSeconds } = await refresh(refreshToken, attemptLimits(refreshTimeoutMs));
      cached.set(refreshToken, token, {
        sinceMs: requestedAt,
        lifetimeMs: expiresInSeconds * 1000 - expiryMarginMs,
      });
      return token;
    } finally {
      inFlight.delete(refreshToken);
    }
  };

  return {
    get(refreshToken, limits) {
      const known = cached.get(refreshToken);
      if (known !== undefined) return Promise.resolve(known);
      const waiting = inFlight.get(refreshToken) ?? startRefresh(refreshToken);
      inFlight.set(refreshToken, waiting);
      return waitFor(waiting, limits);
    },
    drop(refreshToken, token) {
      if (cached.get(refreshToken) === token) cached.delete(refreshToken);
    },
  };
}

/** Waits within one caller's limits; the refresh continues for the other callers. */
function waitFor(waiting: Promise<string>, { until, signal }: AttemptLimits): Promise<string> {
  return new Promise((resolve, reject) => {
    const giveUp = () =>
      done(() => reject(new VendorError('not_sent', 'No access token in time.', { code: noTimeLeft })));
    const timer = setTimeout(giveUp, Math.max(0, until - performance.now()));
    const done = (settle: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
      settle();
    };
    signal?.addEventListener('abort', giveUp, { once: true });
    if (signal?.aborted) giveUp();
    waiting.then(
      (token) => done(() => resolve(token)),
      (error) => done(() => reject(error)),
    );
  });
}

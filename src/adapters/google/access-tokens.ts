// Access tokens, kept until shortly before they lapse; those who wait for the same one share one refresh.
import { openCache } from '../../base/cache.ts';
import type { Clock } from '../../base/clock.ts';
import { VendorError } from '../../base/errors.ts';
import { type AttemptLimits, attemptOf, noTimeLeft } from '../../base/retry.ts';
import type { AccessToken } from './oauth.ts';

export interface AccessTokens {
  /** A token that should be accepted. Fails as `refreshAccess` does, or with `not_sent` when the time is up. */
  get(refreshToken: string, limits: AttemptLimits): Promise<string>;
  /** Forgets a token that was not accepted, unless a newer one has taken its place. */
  drop(refreshToken: string, token: string): void;
}

const refreshTimeoutMs = 10_000;
/** A token is not used in its last minute, so that none lapses on its way. */
const marginMs = 60_000;
const maxKept = 10_000;

export function accessTokens(
  clock: Clock,
  refresh: (refreshToken: string, limits: AttemptLimits) => Promise<AccessToken>,
): AccessTokens {
  // each token has its own lifetime, as Google reports it
  const kept = openCache<string>({ max: maxKept, lifetime: { ms: 3_600_000, clock } });
  const underWay = new Map<string, Promise<string>>();

  const renew = async (refreshToken: string): Promise<string> => {
    const askedAt = clock.steady();
    try {
      const { token, expiresInSeconds } = await refresh(refreshToken, attemptOf(refreshTimeoutMs));
      kept.set(refreshToken, token, { sinceMs: askedAt, lifetimeMs: expiresInSeconds * 1000 - marginMs });
      return token;
    } finally {
      underWay.delete(refreshToken);
    }
  };

  return {
    get(refreshToken, limits) {
      const known = kept.get(refreshToken);
      if (known !== undefined) return Promise.resolve(known);
      const waiting = underWay.get(refreshToken) ?? renew(refreshToken);
      underWay.set(refreshToken, waiting);
      return within(waiting, limits);
    },
    drop(refreshToken, token) {
      if (kept.get(refreshToken) === token) kept.delete(refreshToken);
    },
  };
}

/** One waiter's own patience: the refresh itself goes on for the others. */
function within(waiting: Promise<string>, { until, signal }: AttemptLimits): Promise<string> {
  return new Promise((resolve, reject) => {
    const giveUp = () =>
      done(() => reject(new VendorError('not_sent', 'No access token in time.', { code: noTimeLeft })));
    const timer = setTimeout(giveUp, until - performance.now());
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

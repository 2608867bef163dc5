// How the page asks: what is repeated, how long an answer is good, and what becomes of an expired session.
import { QueryCache, QueryClient } from '@tanstack/react-query';
import { GatewayConnectionError, isGatewayError } from '../../../client/src/errors.ts';

const retriesMax = 2;
/** First part of the key of the query that asks who is signed in. */
export const sessionKey = 'session';

/** True for what may pass by itself: no connection, 429 and 5xx. */
export const mayPass = (error: unknown): boolean =>
  error instanceof GatewayConnectionError ||
  (isGatewayError(error) && (error.status === 429 || error.status >= 500));

/** True if there was no response within the time limit: the viewer has waited long enough. */
const isTimeout = (error: unknown): boolean =>
  error instanceof GatewayConnectionError && (error.cause as Error | undefined)?.name === 'TimeoutError';

/** True if the session has ended: unknown, expired, revoked, or none. */
export const isSignedOut = (error: unknown): boolean => isGatewayError(error) && error.status === 401;

/** The queries of the page. `onSignedOut` is called when a request finds the session ended. */
export function openQueries(onSignedOut: () => void): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({
      // the query of the session itself says so already
      onError: (error, { queryKey }) => isSignedOut(error) && queryKey[0] !== sessionKey && onSignedOut(),
    }),
    defaultOptions: {
      queries: {
        // the gateway may be on this machine; and what is pressed must not happen when a connection is back later
        networkMode: 'always',
        staleTime: 5_000,
        retry: (count, error) => mayPass(error) && !isTimeout(error) && count < retriesMax,
        refetchOnWindowFocus: true,
      },
      mutations: { networkMode: 'always', onError: (error) => isSignedOut(error) && onSignedOut() },
    },
  });
}

// The proof of the app secret, which an app can require with each call (Graph API, "Secure requests": `appsecret_proof`). It also applies
// to messages, as a query parameter (restfb/restfb 1311, amazon-connect/amazon-connect-message-streaming-examples 29; read 2026-11-24).
import { createHmac } from 'node:crypto';
import { openCache } from '../../base/cache.ts';
import { VendorError } from '../../base/errors.ts';
import type { SenderAccess } from '../../ports/platform.ts';
import { lacksProof } from './error-codes.ts';

/** How many credentials of apps with that setting a process remembers. */
const rememberedMax = 10_000;

/** What the proof depends on, or is added to. */
interface ProvableCall {
  query?: Record<string, string>;
  body?: object;
}

/**
 * Repeats a call with the proof if the app requires it, and from then on adds it to each call with that credential. Other apps get
 * none: an app secret that does not fit would be rejected. A call whose body is a stream is not repeated: it throws `not_sent`.
 */
export function proving<C extends ProvableCall, T>(
  call: (sender: SenderAccess, call: C) => Promise<T>,
): (sender: SenderAccess, call: C) => Promise<T> {
  const required = openCache<true>({ max: rememberedMax });
  const withProof = (sender: SenderAccess, appSecret: string, one: C) => {
    const appsecret_proof = createHmac('sha256', appSecret).update(sender.credential).digest('hex');
    return call(sender, { ...one, query: { ...one.query, appsecret_proof } });
  };
  return async (sender, one) => {
    const { appSecret, credential } = sender;
    if (appSecret === undefined) return call(sender, one);
    if (required.get(credential)) return withProof(sender, appSecret, one);
    try {
      return await call(sender, one);
    } catch (error) {
      if (!(error instanceof VendorError) || !lacksProof(error)) throw error;
      required.set(credential, true);
      if (one.body === undefined) return withProof(sender, appSecret, one);
      throw new VendorError('not_sent', error.message, { cause: error });
    }
  };
}

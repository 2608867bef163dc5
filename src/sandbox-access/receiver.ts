// The events that the simulated receiver got.
import { listEndpoints } from '../webhooks/endpoints/store.ts';
import { callControl } from './control.ts';
import type { PhonesDeps } from './phones.ts';

interface Received {
  seq: number;
  hook: string;
  at: string;
  verified: boolean;
  answered: number | string;
  headers: Record<string, unknown>;
  body: string;
}

/** More endpoints than an account may have. */
const endpointsMax = 100;
const shownMax = 50;

/** The hooks of the receiver that are endpoints of the account. */
async function hooksOf(deps: PhonesDeps, accountId: string): Promise<string[]> {
  const { rows } = await listEndpoints(deps.db, accountId, { limit: endpointsMax, offset: 0 });
  const base = `${deps.sandbox.receiverUrl}/hooks/`;
  return rows.flatMap(({ url }) => (url.startsWith(base) ? url.slice(base.length) : []));
}

/** Makes the receiver forget what it got for the account's endpoints. */
export async function clearReceived(deps: PhonesDeps, accountId: string): Promise<void> {
  for (const hook of await hooksOf(deps, accountId))
    await callControl(deps, 'receiver', ['DELETE', `events?${new URLSearchParams({ hook })}`]);
}

/** Lists events that went to the account's endpoints: the newest, newest first; with `since` those after it, oldest first. */
export async function listReceived(
  deps: PhonesDeps,
  accountId: string,
  { since, limit = shownMax }: { since?: number | undefined; limit?: number | undefined },
): Promise<Received[]> {
  const hooks = await hooksOf(deps, accountId);
  const lists = await Promise.all(
    hooks.map((hook) => {
      const query = new URLSearchParams({
        hook,
        ...(since === undefined ? { newest: 'true' } : { since: `${since}` }),
      });
      query.set('limit', `${limit}`);
      return callControl<{ events: Received[] }>(deps, 'receiver', ['GET', `events?${query}`]);
    }),
  );
  const all = lists.flatMap(({ events }) => events);
  all.sort((a, b) => (since === undefined ? b.seq - a.seq : a.seq - b.seq));
  return all.slice(0, limit).map(({ seq, hook, at, verified, answered, headers, body }) => ({
    ...{ seq, hook, at, verified, answered, headers, body },
  }));
}

// Routes of the checks and the subscription of a sender.
import { Type } from 'typebox';
import { success } from '../../contract/envelope.ts';
import { SenderChecks } from '../../contract/senders.ts';
import { ok } from '../../http/reply.ts';
import type { Server } from '../../http/request.ts';
import { coalesced } from '../../work/coalesce.ts';
import { type ConnectDeps, subscribeNow } from './connect.ts';
import { requireSenderRow, senderNotFound } from './manage.ts';
import { checkItem } from './presenter.ts';
import { checkSender, type FailedSteps } from './run-checks.ts';
import { listStates } from './states-store.ts';
import type { StoredCheck } from './stored-checks.ts';

const config = { scope: 'manage' } as const;
const params = Type.Object({ id: Type.String() }, { additionalProperties: false });
const response = { 200: success(SenderChecks) };

/** GET and POST /v1/senders/:id/checks, POST /v1/senders/:id/subscribe. */
export function senderCheckRoutes(server: Server, deps: ConnectDeps): void {
  // concurrent requests share a run: each costs calls that the platform counts
  const running = coalesced<StoredCheck[]>();

  async function run(senderId: string, failedSteps?: FailedSteps): Promise<StoredCheck[]> {
    const checks = await checkSender(deps, senderId, failedSteps);
    if (!checks) throw senderNotFound();
    return checks;
  }

  server.get('/v1/senders/:id/checks', { schema: { params, response }, config }, async (request) => {
    const row = await requireSenderRow(deps.db, request.caller.accountId, request.params.id);
    const state = (await listStates(deps.db, [row.id])).get(row.id);
    return ok('Checks found.', { checks: (state?.checks ?? []).map(checkItem) });
  });

  server.post('/v1/senders/:id/checks', { schema: { params, response }, config }, async (request) => {
    const row = await requireSenderRow(deps.db, request.caller.accountId, request.params.id);
    const checks = await running(row.id, () => run(row.id));
    return ok('Sender checked.', { checks: checks.map(checkItem) });
  });

  server.post('/v1/senders/:id/subscribe', { schema: { params, response }, config }, async (request) => {
    const row = await requireSenderRow(deps.db, request.caller.accountId, request.params.id);
    const checks = await running(`${row.id} subscribe`, async () =>
      run(row.id, await subscribeNow(deps, row)),
    );
    const isSubscribed = checks.every(({ name, status }) => name !== 'subscription' || status === 'ok');
    const message = isSubscribed ? 'Subscribed.' : 'The subscription failed; see the checks.';
    return ok(message, { checks: checks.map(checkItem) });
  });
}

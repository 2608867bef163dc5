// Routes of replays: of one delivery, and of a time range with its progress.

import { DeliveryItem, ReplayBody, ReplayItem, ReplayListQuery } from '../../contract/deliveries.ts';
import { cursorPage, success } from '../../contract/envelope.ts';
import { IdParams } from '../../contract/webhooks.ts';
import { cursorPageOf, cursorPosition } from '../../http/paging.ts';
import { ok } from '../../http/reply.ts';
import type { Server } from '../../http/request.ts';
import { listEndpointReplays, type ReplayDeps, replayDelivery, replayItem, replayRange } from './replay.ts';

const config = { scope: 'webhooks:manage' } as const;
const endpointPath = '/v1/webhooks/endpoints/:id';
const deliveryPath = '/v1/webhooks/deliveries/:id';

/** `POST /v1/webhooks/endpoints/:id/replay`, `GET …/:id/replays` and `POST /v1/webhooks/deliveries/:id/replay`. */
export function replayRoutes(server: Server, deps: ReplayDeps): void {
  endpointReplays(server, deps);
  deliveryReplay(server, deps);
}

function endpointReplays(server: Server, deps: ReplayDeps): void {
  server.post(
    `${endpointPath}/replay`,
    {
      schema: {
        params: IdParams,
        body: ReplayBody,
        response: { 200: success(ReplayItem) },
      },
      config,
    },
    async ({ caller, params, body }) => {
      const { from, to, ...rest } = body;
      const row = await replayRange(deps, {
        ...rest,
        accountId: caller.accountId,
        endpointId: params.id,
        from: new Date(from),
        to: new Date(to),
      });
      return ok(row.finished_at ? 'Replayed.' : 'Replay started.', replayItem(row));
    },
  );

  server.get(
    `${endpointPath}/replays`,
    {
      schema: {
        params: IdParams,
        querystring: ReplayListQuery,
        response: { 200: success(cursorPage(ReplayItem)) },
      },
      config,
    },
    async ({ caller, params, query }) => {
      const { limit = 20 } = query;
      const before = cursorPosition('replays', query.cursor, 1)?.[0];
      const rows = await listEndpointReplays(deps.db, {
        accountId: caller.accountId,
        endpointId: params.id,
        limit: limit + 1,
        ...(before === undefined ? {} : { before }),
      });
      const { items, pagination } = cursorPageOf('replays', rows, limit, (row) => [row.id]);
      return ok('Replays listed.', { items: items.map(replayItem), pagination });
    },
  );
}

function deliveryReplay(server: Server, deps: ReplayDeps): void {
  server.post(
    `${deliveryPath}/replay`,
    {
      schema: {
        params: IdParams,
        response: { 200: success(DeliveryItem) },
      },
      config,
    },
    async ({ caller, params }) =>
      ok(
        'Webhook delivery is due again.',
        await replayDelivery(deps, { accountId: caller.accountId, id: params.id }),
      ),
  );
}

// Routes of replays of a stretch of time: asking for one, and seeing how far each has come.
import { cursorPage, success } from '../contract/envelope.ts';
import { IdParams, ReplayBody, ReplayItem, ReplayListQuery } from '../contract/webhooks.ts';
import { cursorPageOf, cursorPosition } from '../http/paging.ts';
import { ok } from '../http/reply.ts';
import type { Server } from '../http/request.ts';
import { listOfReplays, type ReplayDeps, replayItem, replayStretch } from './history/replay.ts';

const tags = ['Webhooks'];
const config = { scope: 'manage' } as const;
const path = '/v1/webhooks/endpoints/:id';

/** `POST /v1/webhooks/endpoints/:id/replay` and `GET …/:id/replays`. */
export function replayRoutes(server: Server, deps: ReplayDeps): void {
  server.post(
    `${path}/replay`,
    {
      schema: {
        summary: 'Replay a stretch of time',
        description:
          'Delivers again what was made for this endpoint in `[from, to)` until now, of one status or of all, under the same webhook-id, paced. `GET …/replays` shows how far it has come.',
        tags,
        params: IdParams,
        body: ReplayBody,
        response: { 200: success(ReplayItem) },
      },
      config,
    },
    async ({ caller, params, body }) => {
      const { from, to, ...rest } = body;
      const row = await replayStretch(deps, {
        ...rest,
        accountId: caller.accountId,
        endpointId: params.id,
        from: new Date(from),
        to: new Date(to),
      });
      return ok(row.finished_at ? 'Replayed.' : 'Replay begun.', replayItem(row));
    },
  );

  server.get(
    `${path}/replays`,
    {
      schema: {
        summary: 'List an endpoint’s replays',
        description: 'Newest first, each with how far it has come.',
        tags,
        params: IdParams,
        querystring: ReplayListQuery,
        response: { 200: success(cursorPage(ReplayItem)) },
      },
      config,
    },
    async ({ caller, params, query }) => {
      const { limit = 20 } = query;
      const before = cursorPosition(query.cursor, 1)?.[0];
      const rows = await listOfReplays(deps.db, {
        accountId: caller.accountId,
        endpointId: params.id,
        limit: limit + 1,
        ...(before === undefined ? {} : { before }),
      });
      const { items, pagination } = cursorPageOf(rows, limit, (row) => [row.id]);
      return ok('Replays listed.', { items: items.map(replayItem), pagination });
    },
  );
}

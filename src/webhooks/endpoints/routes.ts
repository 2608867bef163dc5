// Routes of webhook endpoints.

import { Type } from 'typebox';
import { Deleted, page, success } from '../../contract/envelope.ts';
import {
  ChangeEndpointBody,
  CreateEndpointBody,
  EndpointItem,
  EndpointItemWithSecret,
  EndpointListQuery,
  IdParams,
  RotateSecretBody,
} from '../../contract/webhooks.ts';
import { pageOf, pageWindow } from '../../http/paging.ts';
import { ok } from '../../http/reply.ts';
import type { Server } from '../../http/request.ts';
import {
  activateSecret,
  changeEndpoint,
  createEndpoint,
  type EndpointDeps,
  type EndpointWithSecret,
  getEndpoint,
  removeEndpoint,
  rotateSecret,
} from './endpoint.ts';
import { endpointItem } from './presenter.ts';
import { countWaiting, type EndpointRow, listEndpoints } from './store.ts';

export interface EndpointRoutesDeps extends EndpointDeps {
  /** Releases what is queued in memory for an endpoint that was changed or deleted. */
  deliveries: { drop(endpointId: string): void };
}

const config = { scope: 'manage' } as const;
const reading = { scope: 'webhooks:manage' } as const;
const path = '/v1/webhooks/endpoints';

/** `GET` and `POST /v1/webhooks/endpoints`, and the operations on one endpoint, except replays and test events. */
export function endpointRoutes(server: Server, deps: EndpointRoutesDeps): void {
  const items = async (rows: readonly EndpointRow[]): Promise<EndpointItem[]> => {
    const waiting = await countWaiting(
      deps.db,
      rows.map(({ id }) => id),
    );
    return rows.map((row) => endpointItem(row, waiting.get(row.id) ?? 0, deps.clock.now()));
  };
  const item = async (row: EndpointRow) => (await items([row]))[0] as EndpointItem;
  const shown = async (made: EndpointWithSecret) => ({ ...(await item(made)), secret: made.shownSecret });

  listAndCreate(server, deps, items, shown);
  oneEndpoint(server, deps, item);
  secretRoutes(server, deps, item, shown);
}

type Items = (rows: readonly EndpointRow[]) => Promise<EndpointItem[]>;
type Item = (row: EndpointRow) => Promise<EndpointItem>;
type Shown = (made: EndpointWithSecret) => Promise<EndpointItem & { secret: string }>;

function listAndCreate(server: Server, deps: EndpointRoutesDeps, items: Items, shown: Shown): void {
  server.get(
    path,
    {
      schema: {
        querystring: EndpointListQuery,
        response: { 200: success(page(EndpointItem)) },
      },
      config: reading,
    },
    async ({ caller, query }) => {
      const { rows, total } = await listEndpoints(deps.db, caller.accountId, pageWindow(query));
      return ok('Webhook endpoints listed.', pageOf(await items(rows), total, query));
    },
  );

  server.post(
    path,
    {
      schema: {
        body: CreateEndpointBody,
        response: { 200: success(EndpointItemWithSecret) },
      },
      config,
    },
    async ({ caller, body }) => {
      const made = await createEndpoint(deps, { ...body, accountId: caller.accountId });
      return ok('Webhook endpoint added. Its secret is shown only once.', await shown(made));
    },
  );
}

function oneEndpoint(server: Server, deps: EndpointRoutesDeps, item: Item): void {
  server.get(
    `${path}/:id`,
    {
      schema: {
        params: IdParams,
        response: { 200: success(EndpointItem) },
      },
      config: reading,
    },
    async ({ caller, params }) =>
      ok('Webhook endpoint found.', await item(await getEndpoint(deps.db, caller.accountId, params.id))),
  );

  server.patch(
    `${path}/:id`,
    {
      schema: {
        params: IdParams,
        body: ChangeEndpointBody,
        response: { 200: success(EndpointItem) },
      },
      config,
    },
    async ({ caller, params, body }) => {
      const row = await changeEndpoint(deps, { ...body, accountId: caller.accountId, id: params.id });
      deps.deliveries.drop(row.id);
      return ok('Webhook endpoint changed.', await item(row));
    },
  );

  server.delete(
    `${path}/:id`,
    {
      schema: {
        params: IdParams,
        response: { 200: success(Deleted) },
      },
      config,
    },
    async ({ caller, params }) => {
      await removeEndpoint(deps, { accountId: caller.accountId, id: params.id });
      deps.deliveries.drop(params.id);
      return ok('Webhook endpoint deleted.', { _id: params.id });
    },
  );
}

function secretRoutes(server: Server, deps: EndpointRoutesDeps, item: Item, shown: Shown): void {
  server.post(
    `${path}/:id/rotate-secret`,
    {
      schema: {
        params: IdParams,
        body: Type.Optional(RotateSecretBody),
        response: { 200: success(EndpointItemWithSecret) },
      },
      config,
    },
    async ({ caller, params, body }) => {
      const made = await rotateSecret(deps, {
        overlapSeconds: 86_400,
        ...body,
        accountId: caller.accountId,
        id: params.id,
      });
      return ok('Secret rotated. The new one is shown only once.', await shown(made));
    },
  );

  server.post(
    `${path}/:id/activate-secret`,
    {
      schema: {
        params: IdParams,
        response: { 200: success(EndpointItem) },
      },
      config,
    },
    async ({ caller, params }) =>
      ok(
        'The new secret is active.',
        await item(await activateSecret(deps, { accountId: caller.accountId, id: params.id })),
      ),
  );
}

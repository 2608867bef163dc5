// Routes of senders.
import { Type } from 'typebox';
import { Deleted, page, pageProperties, success } from '../../contract/envelope.ts';
import { ChangeSenderBody, CheckedSender, CreateSenderBody, SenderItem } from '../../contract/senders.ts';
import { pageOf, pageWindow } from '../../http/paging.ts';
import { ok } from '../../http/reply.ts';
import type { Server } from '../../http/request.ts';
import { senderCheckRoutes } from './check-routes.ts';
import { type ConnectDeps, connectSender } from './connect.ts';
import { changeSender, type ManageDeps, removeSender } from './manage.ts';
import { listPaces } from './paces-store.ts';
import { checkItem, senderItem } from './presenter.ts';
import { listStates } from './states-store.ts';
import { listSenders, type SenderRow } from './store.ts';
import { listReadings } from './template-readings-store.ts';

export type SenderRoutesDeps = ConnectDeps & ManageDeps;

const SenderParams = Type.Object({ id: Type.String() }, { additionalProperties: false });

/** Presents senders of one account with their states and the readings of their templates. */
async function itemsOf(deps: SenderRoutesDeps, accountId: string, rows: readonly SenderRow[]) {
  const readings = new Map(
    (await listReadings(deps.db, accountId)).map((one) => [one.business_account_id, one]),
  );
  const states = await listStates(
    deps.db,
    rows.map(({ id }) => id),
  );
  const paces = await listPaces(
    deps.db,
    rows.map(({ id }) => id),
  );
  return rows.map((row) =>
    senderItem(row, {
      pace: paces.get(row.id),
      state: states.get(row.id),
      reading: readings.get(row.business_account_id),
      publicUrl: deps.publicUrl(),
    }),
  );
}

async function itemOf(deps: SenderRoutesDeps, row: SenderRow): Promise<SenderItem> {
  const [item] = await itemsOf(deps, row.account_id, [row]);
  return item as SenderItem;
}

/** GET and POST /v1/senders, PATCH and DELETE /v1/senders/:id. */
export function senderRoutes(server: Server, deps: SenderRoutesDeps): void {
  collectionRoutes(server, deps);
  senderRoute(server, deps);
  senderCheckRoutes(server, deps);
}

const config = { scope: 'manage' } as const;

function collectionRoutes(server: Server, deps: SenderRoutesDeps): void {
  server.get(
    '/v1/senders',
    {
      schema: {
        querystring: Type.Object(pageProperties, { additionalProperties: false }),
        response: { 200: success(page(SenderItem)) },
      },
      config,
    },
    async (request) => {
      const { rows, total } = await listSenders(deps.db, request.caller.accountId, pageWindow(request.query));
      const items = await itemsOf(deps, request.caller.accountId, rows);
      return ok('Senders listed.', pageOf(items, total, request.query));
    },
  );

  server.post(
    '/v1/senders',
    {
      schema: {
        body: CreateSenderBody,
        response: { 200: success(CheckedSender) },
      },
      config,
    },
    async (request) => {
      const { row, checks } = await connectSender(deps, {
        accountId: request.caller.accountId,
        ...request.body,
      });
      const item = { ...(await itemOf(deps, row)), checks: checks.map(checkItem) };
      return ok('Sender added. Its templates are being read.', item);
    },
  );
}

function senderRoute(server: Server, deps: SenderRoutesDeps): void {
  server.patch(
    '/v1/senders/:id',
    {
      schema: {
        params: SenderParams,
        body: ChangeSenderBody,
        response: { 200: success(SenderItem) },
      },
      config,
    },
    async (request) => {
      const row = await changeSender(deps, {
        accountId: request.caller.accountId,
        senderId: request.params.id,
        ...request.body,
      });
      return ok('Sender changed.', await itemOf(deps, row));
    },
  );

  server.delete(
    '/v1/senders/:id',
    {
      schema: {
        params: SenderParams,
        response: { 200: success(Deleted) },
      },
      config,
    },
    async (request) => {
      await removeSender(deps, { accountId: request.caller.accountId, senderId: request.params.id });
      return ok('Sender removed.', { _id: request.params.id });
    },
  );
}

// Routes of senders.
import { Type } from 'typebox';
import { Deleted, page, pageProperties, success } from '../../contract/envelope.ts';
import { ChangeSenderBody, CreateSenderBody, SenderItem } from '../../contract/senders.ts';
import { pageOf, pageWindow } from '../../http/paging.ts';
import { ok } from '../../http/reply.ts';
import type { Server } from '../../http/request.ts';
import { addSender, changeSender, removeSender, type SendersDeps } from './manage.ts';
import { listSenders, type SenderRow } from './store.ts';
import { listReadings, type ReadingRow } from './template-readings-store.ts';

export interface SenderRoutesDeps extends SendersDeps {
  /** Our public URL without a trailing slash; known once the server listens. */
  publicUrl: () => string;
}

const SenderParams = Type.Object({ id: Type.String() }, { additionalProperties: false });

function senderItem(row: SenderRow, reading: ReadingRow | undefined, publicUrl: string) {
  return {
    _id: row.id,
    name: row.name,
    phoneNumberId: row.phone_number_id,
    businessAccountId: row.business_account_id,
    displayPhone: row.display_phone,
    apiUrl: row.api_url,
    messagesPerSecond: row.messages_per_second,
    isDefault: row.is_default,
    status: row.halted_at ? ('halted' as const) : ('active' as const),
    haltedReason: row.halted_reason,
    haltedAt: row.halted_at?.toISOString() ?? null,
    callbackUrl: `${publicUrl}/callbacks/messaging/${row.id}`,
    templatesSyncedAt: reading?.read_at?.toISOString() ?? null,
    templatesSyncFailure: reading?.failure ?? null,
    createdAt: row.created_at.toISOString(),
  };
}

/** Returns a function that presents senders of an account with the reading of their templates. */
async function itemsOf(deps: SenderRoutesDeps, accountId: string) {
  const readings = new Map(
    (await listReadings(deps.db, accountId)).map((one) => [one.business_account_id, one]),
  );
  return (row: SenderRow) => senderItem(row, readings.get(row.business_account_id), deps.publicUrl());
}

/** GET and POST /v1/senders, PATCH and DELETE /v1/senders/:id. */
export function senderRoutes(server: Server, deps: SenderRoutesDeps): void {
  collectionRoutes(server, deps);
  senderRoute(server, deps);
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
      const itemOf = await itemsOf(deps, request.caller.accountId);
      const items = rows.map(itemOf);
      return ok('Senders listed.', pageOf(items, total, request.query));
    },
  );

  server.post(
    '/v1/senders',
    {
      schema: {
        body: CreateSenderBody,
        response: { 200: success(SenderItem) },
      },
      config,
    },
    async (request) => {
      const row = await addSender(deps, { accountId: request.caller.accountId, ...request.body });
      return ok('Sender added. Its templates are being read.', (await itemsOf(deps, row.account_id))(row));
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
      return ok('Sender changed.', (await itemsOf(deps, row.account_id))(row));
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

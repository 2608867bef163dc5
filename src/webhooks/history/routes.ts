// Routes of webhook deliveries.
import type { Cipher } from '../../base/cipher.ts';
import { isUuid } from '../../base/ids.ts';
import { DeliveryDetail, DeliveryItem, DeliveryListQuery } from '../../contract/deliveries.ts';
import { cursorPage, success } from '../../contract/envelope.ts';
import { IdParams } from '../../contract/webhooks.ts';
import type { Db } from '../../db/db.ts';
import { cursorPageOf, cursorPosition } from '../../http/paging.ts';
import { ok } from '../../http/reply.ts';
import type { Server } from '../../http/request.ts';
import { deliveryItem, getDelivery, statesOf } from './history.ts';
import { listDeliveries } from './store.ts';

export interface DeliveryRoutesDeps {
  db: Db;
  /** Decrypts secrets, for the signatures that were sent. */
  cipher: Cipher;
}

const config = { scope: 'webhooks:manage' } as const;
const path = '/v1/webhooks/deliveries';

/** `GET /v1/webhooks/deliveries` and `GET …/:id`. */
export function deliveryRoutes(server: Server, deps: DeliveryRoutesDeps): void {
  server.get(
    path,
    {
      schema: {
        querystring: DeliveryListQuery,
        response: { 200: success(cursorPage(DeliveryItem)) },
      },
      config,
    },
    async ({ caller, query }) => {
      const { endpointId, messageId, event, status, from, to, limit = 20 } = query;
      // nothing was delivered to an unknown endpoint
      const isKnown = endpointId === undefined || isUuid(endpointId);
      const before = cursorPosition('deliveries', query.cursor, 1)?.[0];
      const filter = {
        ...(status === undefined ? {} : { states: statesOf(status) }),
        ...(endpointId === undefined ? {} : { endpointId }),
        ...(messageId === undefined ? {} : { messageId }),
        ...(event === undefined ? {} : { kind: event }),
        ...(from === undefined ? {} : { from: new Date(from) }),
        ...(to === undefined ? {} : { to: new Date(to) }),
        ...(before === undefined ? {} : { before }),
      };
      const { rows, scannedTo } = isKnown
        ? await listDeliveries(deps.db, caller.accountId, filter, limit + 1)
        : { rows: [], scannedTo: undefined };
      const searchedTo = scannedTo === undefined ? undefined : [scannedTo];
      const { items, pagination } = cursorPageOf('deliveries', rows, limit, (row) => [row.id], searchedTo);
      return ok('Webhook deliveries listed.', { items: items.map(deliveryItem), pagination });
    },
  );

  server.get(
    `${path}/:id`,
    {
      schema: {
        params: IdParams,
        response: { 200: success(DeliveryDetail) },
      },
      config,
    },
    async ({ caller, params }) =>
      ok('Webhook delivery found.', await getDelivery(deps, caller.accountId, params.id)),
  );
}

// Routes of API keys, with those of sessions and links.
import { Type } from 'typebox';
import type { Clock } from '../base/clock.ts';
import { CreateKeyBody, KeyItem, KeyWithSecret, RotateKeyBody } from '../contract/accounts.ts';
import { Deleted, page, pageProperties, success } from '../contract/envelope.ts';
import type { Db } from '../db/db.ts';
import { pageOf, pageWindow } from '../http/paging.ts';
import { ok } from '../http/reply.ts';
import type { Server } from '../http/request.ts';
import type { Admission } from './admit.ts';
import type { Authenticator } from './authenticate.ts';
import { type CreatedKey, createKey, revoke, rotateKey } from './keys.ts';
import { type LinkRoutesDeps, linkRoutes } from './link-routes.ts';
import { type SessionRoutesDeps, sessionRoutes } from './session-routes.ts';
import { type KeyRow, listKeys } from './store.ts';

export type AccountRoutesDeps = KeyRoutesDeps & SessionRoutesDeps & LinkRoutesDeps;

interface KeyRoutesDeps {
  db: Db;
  clock: Clock;
  authenticator: Authenticator;
}

function keyItem(row: KeyRow) {
  return {
    _id: row.id,
    name: row.name,
    scopes: row.scopes,
    hint: row.hint,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at?.toISOString() ?? null,
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
  };
}

const shownKey = (key: CreatedKey) => ({ ...keyItem(key), apiKey: key.apiKey });
const KeyParams = Type.Object({ id: Type.String() }, { additionalProperties: false });

/** The routes of keys, sessions and links. */
export function accountRoutes(server: Server, deps: AccountRoutesDeps, admission: Admission): void {
  listRoute(server, deps);
  createRoute(server, deps);
  rotateRoute(server, deps);
  revokeRoute(server, deps);
  sessionRoutes(server, deps, admission);
  linkRoutes(server, deps);
}

const config = { scope: 'manage' } as const;

function listRoute(server: Server, deps: KeyRoutesDeps): void {
  server.get(
    '/v1/keys',
    {
      schema: {
        querystring: Type.Object(pageProperties, { additionalProperties: false }),
        response: { 200: success(page(KeyItem)) },
      },
      config,
    },
    async (request) => {
      const now = new Date(deps.clock.now());
      const { rows, total } = await listKeys(
        deps.db,
        request.caller.accountId,
        pageWindow(request.query),
        now,
      );
      return ok('API keys listed.', pageOf(rows.map(keyItem), total, request.query));
    },
  );
}

function createRoute(server: Server, deps: KeyRoutesDeps): void {
  server.post(
    '/v1/keys',
    {
      schema: {
        body: CreateKeyBody,
        response: { 200: success(KeyWithSecret) },
      },
      config,
    },
    async (request) => {
      const { name, scopes, expiresAt } = request.body;
      const key = await createKey(deps, {
        accountId: request.caller.accountId,
        name,
        scopes,
        creator: request.caller,
        ...(expiresAt ? { expiresAt: new Date(expiresAt) } : {}),
      });
      return ok('API key created. It is shown only once.', shownKey(key));
    },
  );
}

function rotateRoute(server: Server, deps: KeyRoutesDeps): void {
  server.post(
    '/v1/keys/:id/rotate',
    {
      schema: {
        params: KeyParams,
        body: Type.Optional(RotateKeyBody),
        response: { 200: success(KeyWithSecret) },
      },
      config,
    },
    async (request) => {
      const key = await rotateKey(deps, {
        accountId: request.caller.accountId,
        keyId: request.params.id,
        creator: request.caller,
        overlapSeconds: request.body?.overlapSeconds ?? 86_400,
      });
      deps.authenticator.clearCache();
      return ok('API key rotated. The new one is shown only once.', shownKey(key));
    },
  );
}

function revokeRoute(server: Server, deps: KeyRoutesDeps): void {
  server.delete(
    '/v1/keys/:id',
    {
      schema: {
        params: KeyParams,
        response: { 200: success(Deleted) },
      },
      config,
    },
    async (request) => {
      await revoke(deps, { accountId: request.caller.accountId, keyId: request.params.id });
      deps.authenticator.clearCache();
      return ok('API key revoked.', { _id: request.params.id });
    },
  );
}

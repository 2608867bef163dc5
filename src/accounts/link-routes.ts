// Routes of dashboard links.
import { Type } from 'typebox';
import { Deleted, page, pageProperties, success } from '../contract/envelope.ts';
import { CreateLinkBody, DashboardLink, NewDashboardLink } from '../contract/sessions.ts';
import { pageOf, pageWindow } from '../http/paging.ts';
import { ok } from '../http/reply.ts';
import type { Server } from '../http/request.ts';
import { linkUrl } from './link-url.ts';
import { createLink, type LinksDeps, removeLink } from './links.ts';
import { type LinkRow, listLinks } from './links-store.ts';

export interface LinkRoutesDeps extends LinksDeps {
  /** The public URL of the gateway. */
  publicUrl: () => string;
}

const LinkParams = Type.Object({ id: Type.String() }, { additionalProperties: false });
const config = { scope: 'manage' } as const;

const linkItem = (row: LinkRow) => ({
  _id: row.id,
  name: row.name,
  scopes: row.scopes,
  createdAt: row.created_at.toISOString(),
  expiresAt: row.expires_at.toISOString(),
});

/** GET and POST /v1/dashboard-links, DELETE /v1/dashboard-links/:id. */
export function linkRoutes(server: Server, deps: LinkRoutesDeps): void {
  server.get(
    '/v1/dashboard-links',
    {
      schema: {
        querystring: Type.Object(pageProperties, { additionalProperties: false }),
        response: { 200: success(page(DashboardLink)) },
      },
      config,
    },
    async ({ caller, query }) => {
      const window = { ...pageWindow(query), now: new Date(deps.clock.now()) };
      const { rows, total } = await listLinks(deps.db, caller.accountId, window);
      return ok('Links listed.', pageOf(rows.map(linkItem), total, query));
    },
  );
  server.post(
    '/v1/dashboard-links',
    { schema: { body: CreateLinkBody, response: { 200: success(NewDashboardLink) } }, config },
    async ({ caller, body }) => {
      const { name = caller.name, ...wanted } = body;
      const link = await createLink(deps, { ...wanted, name, accountId: caller.accountId, maker: caller });
      return ok('Link created. It is shown only once.', {
        _id: link.id,
        name: link.name,
        scopes: [...link.scopes],
        createdAt: link.createdAt.toISOString(),
        expiresAt: link.expiresAt.toISOString(),
        url: linkUrl(deps.publicUrl(), link.token),
      });
    },
  );
  server.delete(
    '/v1/dashboard-links/:id',
    { schema: { params: LinkParams, response: { 200: success(Deleted) } }, config },
    async ({ caller, params }) => {
      await removeLink(deps, { accountId: caller.accountId, id: params.id });
      return ok('Link deleted.', { _id: params.id });
    },
  );
}

// Routes of media: upload, list, record, content and removal.
import { cursorPage, success } from '../../contract/envelope.ts';
import { anyFile } from '../../contract/files.ts';
import { DeletedMedia, ListMediaQuery, MediaItem, MediaParams, NoQuery } from '../../contract/media.ts';
import { cursorPageOf, cursorPosition } from '../../http/paging.ts';
import { ok } from '../../http/reply.ts';
import type { Server } from '../../http/request.ts';
import { mediaItem } from './presenter.ts';
import { readHead } from './read-head.ts';
import { deleteMedia } from './remove.ts';
import { servedHeadBytes, servedHeaders } from './served-file.ts';
import { findMedia, listMedia } from './store.ts';
import { downloadMedia, mediaNotFound } from './stored-file.ts';
import { type UploadRoutesDeps, uploadRoutes } from './upload-routes.ts';

export type MediaRoutesDeps = UploadRoutesDeps;

const config = { scope: 'media:write' } as const;

/** POST /v1/templates/media, GET /v1/media, GET and DELETE /v1/media/:mediaId, GET /v1/media/:mediaId/content. */
export function mediaRoutes(server: Server, deps: MediaRoutesDeps): void {
  uploadRoutes(server, deps);
  listRoute(server, deps);
  recordRoutes(server, deps);
  contentRoute(server, deps);
}

function listRoute(server: Server, deps: MediaRoutesDeps): void {
  server.get(
    '/v1/media',
    {
      schema: {
        querystring: ListMediaQuery,
        response: { 200: success(cursorPage(MediaItem)) },
      },
      config,
    },
    async (request) => {
      const limit = request.query.limit ?? 20;
      const [beforeId] = cursorPosition('media', request.query.cursor, 1) ?? [];
      const rows = await listMedia(deps.db, request.caller.accountId, { beforeId, limit: limit + 1 });
      const { items, pagination } = cursorPageOf('media', rows, limit, (row) => [row.id]);
      return ok('Media listed.', { items: items.map(mediaItem), pagination });
    },
  );
}

function recordRoutes(server: Server, deps: MediaRoutesDeps): void {
  server.get(
    '/v1/media/:mediaId',
    {
      schema: {
        params: MediaParams,
        querystring: NoQuery,
        response: { 200: success(MediaItem) },
      },
      config,
    },
    async (request) => {
      const row = await findMedia(deps.db, request.caller.accountId, request.params.mediaId);
      if (!row) throw mediaNotFound();
      return ok('Media found.', mediaItem(row));
    },
  );

  server.delete(
    '/v1/media/:mediaId',
    {
      schema: {
        params: MediaParams,
        querystring: NoQuery,
        response: { 200: success(DeletedMedia) },
      },
      config,
    },
    async (request) => {
      const { mediaId } = request.params;
      await deleteMedia(deps, { accountId: request.caller.accountId, mediaId });
      return ok('Media removed.', { mediaId });
    },
  );
}

function contentRoute(server: Server, deps: MediaRoutesDeps): void {
  server.get(
    '/v1/media/:mediaId/content',
    {
      schema: {
        params: MediaParams,
        querystring: NoQuery,
        response: { 200: anyFile('The file.') },
      },
      config,
    },
    async (request, reply) => {
      const { row, content } = await downloadMedia(deps, {
        accountId: request.caller.accountId,
        mediaId: request.params.mediaId,
      });
      const { head, whole } = await readHead(content, servedHeadBytes);
      // browsers must never execute a caller's file
      return reply
        .headers(servedHeaders({ mimeType: row.mime_type, fileName: row.file_name, head }))
        .header('Content-Length', row.size)
        .send(whole as never);
    },
  );
}

// Routes: import and export of opt-outs as CSV.
import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { counted } from '../../base/counted.ts';
import { success } from '../../contract/envelope.ts';
import { csvFile } from '../../contract/files.ts';
import { ImportedOptOuts, OptOutsFile } from '../../contract/opt-outs.ts';
import { type ExportDeps, sendExport } from '../../http/exports.ts';
import { ok } from '../../http/reply.ts';
import type { Server } from '../../http/request.ts';
import { acceptFiles, handleUpload, mediaTypeOf, textOf } from '../../http/upload-stream.ts';
import { requestValidator } from '../../http/validation.ts';
import { optOutLines } from './export.ts';
import { type ImportDeps, importOptOuts, notCsv } from './import.ts';

export type OptOutFileDeps = ImportDeps & ExportDeps;

/** POST /v1/opt-outs/import and GET /v1/opt-outs.csv. */
export function optOutFileRoutes(server: Server, deps: OptOutFileDeps): void {
  // only this route accepts files
  server.register(async (plain) => {
    const uploads = plain as unknown as Server;
    acceptFiles(uploads, ['text/csv']);
    importRoute(uploads, deps);
  });
  server.get(
    '/v1/opt-outs.csv',
    {
      schema: { response: { 200: csvFile('The opt-outs.') } },
      config: { scope: 'messages:read' },
    },
    async (request, reply) => {
      const lines = () => optOutLines(deps.db, request.caller.accountId);
      return sendExport(deps, request as FastifyRequest, reply as FastifyReply, {
        name: 'opt-outs.csv',
        lines,
      });
    },
  );
}

function importRoute(server: Server, deps: OptOutFileDeps): void {
  const validator = requestValidator();
  server.post(
    '/v1/opt-outs/import',
    {
      schema: { consumes: ['text/csv'], body: OptOutsFile, response: { 200: success(ImportedOptOuts) } },
      // rows are checked one by one
      validatorCompiler: (part) => (part.httpPart === 'body' ? () => true : validator(part)),
      config: { scope: 'messages:send' },
    },
    (request, reply) =>
      handleUpload(request, reply, async () => {
        if (mediaTypeOf(request) !== 'text/csv') throw notCsv();
        const file = request.body as unknown as Readable;
        const imported = await importOptOuts(deps, request.caller.accountId, textOf(file));
        return ok(`${counted(imported.changed, 'row')} changed what a person receives.`, imported);
      }),
  );
}

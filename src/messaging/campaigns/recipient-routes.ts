// Routes: the recipients of a send, with uploads as streams.
import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { counted } from '../../base/counted.ts';
import { AppError, invalidRequest } from '../../base/errors.ts';
import { cursorPage, success } from '../../contract/envelope.ts';
import {
  AddedRecipients,
  AddRecipientsBody,
  AddRecipientsQuery,
  ListRecipientsQuery,
  RecipientItem,
  RemovedRecipients,
} from '../../contract/send-recipients.ts';
import { SendParams } from '../../contract/sends.ts';
import { cursorPageOf, cursorPosition } from '../../http/paging.ts';
import { ok } from '../../http/reply.ts';
import type { Server } from '../../http/request.ts';
import {
  acceptFiles,
  handleUpload,
  mediaTypeOf,
  textOf,
  type UploadLimits,
} from '../../http/upload-stream.ts';
import { requestValidator } from '../../http/validation.ts';
import { requireSend } from '../messages/find.ts';
import { stateName, stateNumber } from '../messages/message.ts';
import type { TemplatePlan } from '../template-content/placeholders.ts';
import { type AddDeps, addUploaded } from './add-recipients.ts';
import { csvRows, type UploadedRow } from './csv-rows.ts';
import { sendKeyOf } from './draft-routes.ts';
import { type DraftDeps, emptyDraft } from './drafts.ts';
import { ndjsonRows } from './ndjson-rows.ts';
import { type ListedRecipient, listRecipients } from './recipients-list-store.ts';

export type RecipientRoutesDeps = AddDeps & DraftDeps & { uploadLimits?: UploadLimits };

const jsonMaxBytes = 8 * 1024 * 1024;
const jsonMaxRows = 1_000;

/** POST, GET and DELETE /v1/sends/:sendId/recipients. */
export function recipientRoutes(server: Server, deps: RecipientRoutesDeps): void {
  // only this route accepts files
  server.register(async (plain) => {
    const uploads = plain as unknown as Server;
    acceptFiles(uploads, ['text/csv', 'application/x-ndjson']);
    uploadRoute(uploads, deps);
  });
  listRoute(server, deps);
  server.delete(
    '/v1/sends/:sendId/recipients',
    {
      schema: { params: SendParams, response: { 200: success(RemovedRecipients) } },
      config: { scope: 'messages:send' },
    },
    async (request) => {
      const removed = await emptyDraft(deps, sendKeyOf(request));
      return ok(`${counted(removed, 'recipient')} removed.`, { removed });
    },
  );
}

function uploadRoute(server: Server, deps: RecipientRoutesDeps): void {
  const validator = requestValidator();
  server.post(
    '/v1/sends/:sendId/recipients',
    {
      schema: {
        consumes: ['application/json', 'application/x-ndjson', 'text/csv'],
        params: SendParams,
        querystring: AddRecipientsQuery,
        body: AddRecipientsBody,
        response: { 200: success(AddedRecipients) },
      },
      // rows are checked one by one
      validatorCompiler: (part) => (part.httpPart === 'body' ? () => true : validator(part)),
      config: { scope: 'messages:send' },
      bodyLimit: jsonMaxBytes,
    },
    (request, reply) =>
      handleUpload(request, reply, async () => {
        const of = sendKeyOf(request);
        const mapping = mappingOf(request.query.mapping);
        const result = await addUploaded(deps, of, (plan) => rowsOf(request, deps, { plan, mapping }));
        return ok(`${counted(result.added, 'recipient')} added.`, result);
      }),
  );
}

function mappingOf(text: string | undefined): Record<string, string> | undefined {
  if (text === undefined) return undefined;
  const message = 'must be a JSON object from column to field, such as {"Mobile": "phone"}';
  try {
    const mapping: unknown = JSON.parse(text);
    const isMapping =
      typeof mapping === 'object' &&
      mapping !== null &&
      !Array.isArray(mapping) &&
      Object.values(mapping).every((field) => typeof field === 'string');
    if (isMapping) return mapping as Record<string, string>;
  } catch {
    // the error below covers every malformed mapping
  }
  throw invalidRequest([{ path: 'mapping', message }]);
}

function rowsOf(
  request: FastifyRequest,
  deps: RecipientRoutesDeps,
  of: { plan: TemplatePlan; mapping: Record<string, string> | undefined },
): AsyncIterable<UploadedRow> {
  const type = mediaTypeOf(request);
  if (type === 'text/csv') return csvRows(textOf(request.body as Readable, deps.uploadLimits), of);
  if (of.mapping) throw invalidRequest([{ path: 'mapping', message: 'is only allowed with a CSV file' }]);
  if (type === 'application/x-ndjson') return ndjsonRows(textOf(request.body as Readable, deps.uploadLimits));
  if (type === 'application/json') return jsonRows(request.body);
  throw new AppError(
    'unsupported_media_type',
    'Send the recipients as application/json, application/x-ndjson or text/csv.',
  );
}

async function* jsonRows(body: unknown): AsyncGenerator<UploadedRow> {
  if (typeof body !== 'object' || Array.isArray(body))
    throw invalidRequest([{ path: 'body', message: 'must be an object with the field recipients' }]);
  const { recipients, ...others } = (body ?? {}) as { recipients?: unknown };
  const [other] = Object.keys(others);
  if (other !== undefined) throw invalidRequest([{ path: other, message: 'is not a field of this object' }]);
  if (!Array.isArray(recipients) || recipients.length === 0 || recipients.length > jsonMaxRows) {
    const message = `must be an array of 1 to ${jsonMaxRows.toLocaleString('en-US')} recipients`;
    throw invalidRequest([{ path: 'recipients', message }]);
  }
  for (const [index, value] of recipients.entries()) yield { row: index + 1, value };
}

function listRoute(server: Server, deps: RecipientRoutesDeps): void {
  server.get(
    '/v1/sends/:sendId/recipients',
    {
      schema: {
        params: SendParams,
        querystring: ListRecipientsQuery,
        response: { 200: success(cursorPage(RecipientItem)) },
      },
      config: { scope: 'messages:read' },
    },
    async (request) => {
      const { query } = request;
      const send = await requireSend(deps, request.caller.accountId, request.params.sendId);
      const limit = query.limit ?? 20;
      const [afterId] = cursorPosition('recipients', query.cursor, 1) ?? [];
      const state =
        query.status === undefined
          ? undefined
          : query.status === 'waiting'
            ? null
            : stateNumber(query.status);
      const { rows, scannedTo } = await listRecipients(deps.db, send, { afterId, state, limit: limit + 1 });
      return ok(
        'Recipients listed.',
        cursorPageOf(
          'recipients',
          rows.map(presentRecipient),
          limit,
          (item) => [item.id],
          scannedTo ? [scannedTo] : undefined,
        ),
      );
    },
  );
}

const presentRecipient = (row: ListedRecipient) => ({
  id: row.id,
  messageId: row.wamid,
  phone: row.phone,
  name: row.name,
  metadata: row.metadata,
  status: row.state === null ? ('waiting' as const) : stateName(row.state),
  error: row.state === null ? null : row.error,
});

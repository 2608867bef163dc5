// Exports as CSV: rows are read in steps by key, so that neither side holds more than a step.
import type { Clock } from '../../base/clock.ts';
import { lowestUuidAt, uuidTime } from '../../base/uuid-time.ts';
import { messageKinds } from '../../contract/messages.ts';
import type { Db } from '../../db/db.ts';
import { lineOf } from '../../http/csv-cells.ts';
import { stateName } from '../messages/message.ts';
import { categoryOf } from '../messages/presenter.ts';
import { findSendNames, type SendName, type SendRow } from '../messages/sends-store.ts';
import { type ExportedMessage, nextMessages } from './exports-store.ts';
import { exportedColumns } from './recipient-columns.ts';
import { listRecipients } from './recipients-list-store.ts';

const rowsPerStep = 1_000;

const iso = (at: Date | null) => at?.toISOString() ?? null;

/** The recipients of a send in the order in which they were added, as lines of CSV. */
export async function* recipientLines(db: Db, send: SendRow): AsyncGenerator<string> {
  yield lineOf(exportedColumns);
  let afterId: string | undefined;
  for (;;) {
    const { rows, scannedTo } = await listRecipients(db, send, { afterId, limit: rowsPerStep });
    if (rows.length > 0) yield rows.map(recipientLine).join('');
    afterId = rows.length === rowsPerStep ? rows.at(-1)?.id : scannedTo;
    if (afterId === undefined) return;
  }
}

const recipientLine = (row: Awaited<ReturnType<typeof listRecipients>>['rows'][number]) => {
  const isWaiting = row.state === null;
  const error = isWaiting ? null : row.error;
  return lineOf([
    row.id,
    row.phone,
    row.name,
    row.state === null ? 'waiting' : stateName(row.state),
    row.wamid,
    error?.code ?? null,
    error?.title ?? null,
    row.price_category,
    row.billable,
    row.metadata && JSON.stringify(row.metadata),
  ]);
};

/** The account's messages of a kind (undefined: all) that were created from `from` until `to`, oldest first, as lines of CSV. */
export async function* messageLines(
  deps: { db: Db; clock: Clock },
  accountId: string,
  { from, to, kind }: { from: Date | undefined; to: Date | undefined; kind: number | undefined },
): AsyncGenerator<string> {
  yield lineOf(messageColumns);
  let afterId = lowestUuidAt(from ?? new Date(0));
  // messages that are made during the export are not part of it
  const toId = lowestUuidAt(to ?? new Date(deps.clock.now()));
  for (;;) {
    const rows = await nextMessages(deps.db, accountId, { afterId, toId, limit: rowsPerStep });
    // other kinds are left out here, so that each step reads a bounded number of rows
    const wanted = kind === undefined ? rows : rows.filter((row) => row.kind === kind);
    const names = await findSendNames(
      deps.db,
      accountId,
      wanted.map((row) => row.send_id),
    );
    if (wanted.length > 0) yield wanted.map((row) => messageLine(row, names.get(row.send_id ?? ''))).join('');
    const last = rows.at(-1);
    if (rows.length < rowsPerStep || !last) return;
    afterId = last.id;
  }
}

const messageColumns = [
  'id',
  'sendId',
  'templateId',
  'templateName',
  'language',
  'category',
  'senderId',
  'phone',
  'name',
  'status',
  'messageId',
  'errorCode',
  'errorTitle',
  'priceCategory',
  'billable',
  'createdAt',
  'acceptedAt',
  'sentAt',
  'deliveredAt',
  'readAt',
  'failedAt',
  'metadata',
  'kind',
  'userId',
];

const messageLine = (row: ExportedMessage, send: SendName | undefined) =>
  lineOf([
    row.id,
    row.send_id,
    row.template_id,
    send?.template_name ?? null,
    send?.language ?? null,
    row.send_id === null ? null : categoryOf(row.priority),
    row.sender_id,
    row.phone,
    row.name,
    stateName(row.state),
    row.wamid,
    row.error?.code ?? null,
    row.error?.title ?? null,
    row.price_category,
    row.billable,
    uuidTime(row.id).toISOString(),
    iso(row.accepted_at),
    iso(row.sent_at),
    iso(row.delivered_at),
    iso(row.read_at),
    iso(row.failed_at),
    row.metadata && JSON.stringify(row.metadata),
    messageKinds[row.kind] ?? null,
    row.user_id,
  ]);

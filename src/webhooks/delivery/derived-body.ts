// Bodies that deliveries do not store: made from the delivery and its message, byte for byte as they were sent. Pure.
import { stageNameOf } from './delivery.ts';
import { messageStatusBody } from './event.ts';

/**
 * The forms of such bodies, the column `body_form`. Each is frozen: rows of that form are read for as long as they exist. A changed
 * event needs a new form, and the old one its own copy of the old function.
 */
export const bodyForm = {
  /** `messageStatusBody` of `sent`, `delivered` or `read` of a template message whose platform id was known. */
  messageStatus: 1,
} as const;
export type BodyForm = (typeof bodyForm)[keyof typeof bodyForm];

/** How to make a body again. */
export interface Derivation {
  form: BodyForm;
  /** The event's creation time, in epoch milliseconds. */
  madeAtMs: number;
}

/** The kind of every event whose body has a form. */
export const derivedKind = 'messages.status';

/** A delivery's body as read from the database: stored, or with what it is made of. */
export interface BodyRow {
  body: string | null;
  madeMs: number | null;
  stage: number;
  subjectId: string;
  /** Of the message; null if the body is stored. None of these ever changes once the stage was reached. */
  wamid: string | null;
  phone: string | null;
  sendId: string | null;
  metadata: Record<string, string> | null;
  /** When the message reached the stage, in epoch seconds. */
  reachedAt: number | null;
}

/** The exact bytes of a delivery; undefined if its message was removed from the database. */
export function bodyOf(row: BodyRow): string | undefined {
  if (row.body !== null) return row.body;
  const { madeMs, subjectId: id, wamid, phone, sendId, metadata, reachedAt } = row;
  const status = stageNameOf(row.stage);
  if (madeMs === null || wamid === null || phone === null || sendId === null) return undefined;
  if (reachedAt === null || status === undefined) return undefined;
  return messageStatusBody(
    {
      messageId: wamid,
      id,
      sendId,
      status,
      recipientPhone: phone,
      timestamp: reachedAt,
      error: null,
      metadata,
    },
    madeMs,
  );
}

/** The rows with their bodies, without those whose message was removed from the database: they cannot be sent. */
export function withBodies<Row extends BodyRow>(
  rows: readonly Row[],
): (Omit<Row, 'body'> & { body: string })[] {
  return rows.flatMap((row) => {
    const body = bodyOf(row);
    return body === undefined ? [] : [{ ...row, body }];
  });
}

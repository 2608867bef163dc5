// The webhook events of messages that moved: one for each stage published for the first time.
import {
  type EventToPublish,
  messageStatusBody,
  messageStatusForm,
  replyStatusBody,
} from '../../webhooks/publish.ts';
import { messageKind, newStages, type Stage } from './message.ts';
import type { MovedMessage } from './moves-store.ts';

/** The events of these moves, in the order of each message's stages. `madeAtMs`: their creation time. */
export function statusEvents(moved: MovedMessage[], madeAtMs: number): EventToPublish[] {
  return moved.flatMap((row) => {
    const stages = newStages({
      was: row.was,
      emitted: row.emitted,
      sentAt: row.sent_at,
      deliveredAt: row.delivered_at,
      readAt: row.read_at,
      failedAt: row.failed_at,
    });
    return stages.map((stage) => ({
      accountId: row.account_id,
      subjectId: row.id,
      stage: stage.number,
      ...eventOf(row, stage, madeAtMs),
    }));
  });
}

function eventOf(row: MovedMessage, stage: Stage, madeAtMs: number) {
  const messageId = row.wamid ?? row.id;
  const status = {
    messageId,
    id: row.id,
    status: stage.name,
    timestamp: stage.at,
    error: row.error,
    metadata: row.metadata,
  };
  if (row.kind === messageKind.reply) {
    const recipient = { recipientPhone: row.phone, recipientUserId: row.user_id };
    const body = replyStatusBody({ ...status, ...recipient }, madeAtMs);
    return { kind: 'replies.status' as const, messageId, body };
  }
  // the database has both for every message of this kind
  const sent = { sendId: row.send_id as string, recipientPhone: row.phone as string };
  // the message keeps all of these but its error, and its platform id once it has one
  const isKept = stage.name !== 'failed' && row.wamid !== null;
  return {
    kind: 'messages.status' as const,
    messageId,
    body: messageStatusBody({ ...status, ...sent }, madeAtMs),
    derivation: isKept ? { form: messageStatusForm, madeAtMs } : undefined,
  };
}

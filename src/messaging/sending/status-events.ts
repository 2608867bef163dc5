// The webhook events of messages that moved: one for each stage published for the first time.
import { type EventToPublish, messageStatusBody } from '../../webhooks/publish.ts';
import { newStages } from './message.ts';
import type { MovedMessage } from './messages-moves-store.ts';

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
    const messageId = row.wamid ?? row.id;
    return stages.map((stage) => ({
      accountId: row.account_id,
      subjectId: row.id,
      stage: stage.number,
      kind: 'messages.status' as const,
      messageId,
      body: messageStatusBody(
        {
          messageId,
          id: row.id,
          sendId: row.send_id,
          status: stage.name,
          recipientPhone: row.phone,
          timestamp: stage.at,
          error: row.error,
          metadata: row.metadata,
        },
        madeAtMs,
      ),
    }));
  });
}

// Presenter: the result of a reply as the API returns it. Pure.
import type { MessageError } from '../messages/message.ts';
import { resultName } from '../messages/presenter.ts';

/** A reply as the response reports it. */
export interface ReplyResultRow {
  id: string;
  wamid: string | null;
  phone: string | null;
  user_id: string | null;
  state: number;
  error: MessageError | null;
}

/** An element of `messages` in the response to a send, for a reply. */
export function presentReply(row: ReplyResultRow) {
  const status = resultName(row);
  return {
    id: row.id,
    messageId: status === 'queued' ? null : row.wamid,
    recipientPhone: row.phone,
    recipientUserId: row.user_id,
    name: null,
    status,
    error: status === 'failed' ? row.error : null,
  } as const;
}

/** The result in one sentence. */
export const describeReply = ({ status }: Pick<ReturnType<typeof presentReply>, 'status'>): string =>
  `Reply ${status}.`;

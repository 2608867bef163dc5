// The operations of sends as resources.
import type { Operation } from './operation.ts';

const sends = { tag: 'Messages' };
const startable = [
  'template_changed',
  'template_not_approved',
  'sender_mismatch',
  'sender_not_configured',
] as const;
const conflicts = ['send_not_found', 'send_state_conflict'] as const;

export const campaignOperations: Record<string, Operation> = {
  'POST /v1/sends': {
    ...sends,
    id: 'createSend',
    summary: 'Create a draft',
    description:
      'Creates a send without recipients. Add them, then start it. Nothing is sent before. The template, sender and media file that it names cannot be removed.',
    errors: [
      'template_not_found',
      'sender_not_found',
      'sender_mismatch',
      'sender_not_configured',
      'conflict',
    ],
    message: 'Draft created.',
  },
  'PATCH /v1/sends/{sendId}': {
    ...sends,
    id: 'changeSend',
    summary: 'Change a send',
    description:
      'A draft can be changed in everything but its template; `sendAt` until the send starts or while it is paused; `name` always.',
    errors: [...conflicts, 'sender_not_found', 'sender_mismatch', 'sender_not_configured'],
    message: 'Send changed.',
  },
  'DELETE /v1/sends/{sendId}': {
    ...sends,
    id: 'deleteSend',
    summary: 'Delete a draft',
    description: 'Deletes the draft with its recipients.',
    errors: [...conflicts, 'upload_in_progress', 'conflict'],
    message: 'Draft deleted.',
  },
  'POST /v1/sends/{sendId}/recipients': {
    ...sends,
    id: 'addRecipients',
    summary: 'Add recipients to a draft',
    description:
      'JSON with up to 1,000 recipients, or a file as `text/csv` or `application/x-ndjson` of up to 512 MB, with rows of up to 64 KB. A send has up to 1,000,000 recipients. Rows are added in order, 1,000 at a time; after a broken connection the same file can be posted again.',
    errors: [
      ...conflicts,
      'upload_in_progress',
      'template_changed',
      'media_not_found',
      'upload_timeout',
      'body_too_large',
      'unsupported_media_type',
    ],
    message: '998 recipients added.',
  },
  'GET /v1/sends/{sendId}/recipients': {
    ...sends,
    id: 'listRecipients',
    summary: 'List the recipients of a send',
    description:
      'In the order in which they were added. A page of a filtered list can hold fewer than `limit` items: continue until `nextCursor` is null.',
    errors: ['send_not_found'],
    message: 'Recipients listed.',
  },
  'DELETE /v1/sends/{sendId}/recipients': {
    ...sends,
    id: 'emptySend',
    summary: 'Remove the recipients of a draft',
    description: 'Removes all of them.',
    errors: [...conflicts, 'upload_in_progress'],
    message: '998 recipients removed.',
  },
  'POST /v1/sends/{sendId}/check': {
    ...sends,
    id: 'checkSend',
    summary: 'Check the recipients of a send again',
    description:
      'Fills the template, as it is now, for every recipient of a send that has not started. If all fit, the send accepts the new text; else it cannot start until they are removed.',
    errors: [...conflicts, 'upload_in_progress'],
    message: '998 recipients checked.',
  },
  'GET /v1/sends/{sendId}/recipients.csv': {
    ...sends,
    id: 'exportRecipients',
    summary: 'Export the recipients of a send as CSV',
    description:
      'Streams every recipient in the order of adding. One export a key at a time (429). If it fails in the middle, the connection is aborted.',
    errors: ['send_not_found', 'rate_limited'],
    message: 'Recipients exported.',
  },
  'GET /v1/messages.csv': {
    ...sends,
    id: 'exportMessages',
    summary: 'Export messages as CSV',
    description:
      'Streams the messages of the account, oldest first. One export a key at a time (429). If it fails in the middle, the connection is aborted.',
    errors: ['rate_limited'],
    message: 'Messages exported.',
  },
  'GET /v1/sends': {
    ...sends,
    id: 'listSends',
    summary: 'List sends',
    description:
      'Newest first. Lists sends that were made as drafts, or with `name` or `sendAt`; `kind=all` lists every send. A page of a filtered list can hold fewer than `limit` items: continue until `nextCursor` is null.',
    message: 'Sends listed.',
  },
  'GET /v1/sends/{sendId}': {
    ...sends,
    id: 'getSend',
    summary: 'Get a send',
    description: 'Returns the state of the send, its rate, and its recipients by status.',
    errors: ['send_not_found'],
    message: 'Send found.',
  },
  'POST /v1/sends/{sendId}/start': {
    ...sends,
    id: 'startSend',
    summary: 'Start a send',
    description:
      'Starts a draft, or schedules it if its `sendAt` is in the future. Starts a scheduled send now. No effect on a send that is already `sending`.',
    errors: ['held', ...conflicts, ...startable, 'upload_in_progress'],
    message: 'Send started.',
  },
  'POST /v1/sends/{sendId}/pause': {
    ...sends,
    id: 'pauseSend',
    summary: 'Pause a send',
    description:
      'No call begins for its messages after the response; calls in flight are finished. Queued messages leave the queue. A paused send keeps expiring.',
    errors: [...conflicts],
    message: 'Send paused.',
  },
  'POST /v1/sends/{sendId}/resume': {
    ...sends,
    id: 'resumeSend',
    summary: 'Resume a paused send',
    description: 'Continues the send, or schedules it if its `sendAt` is in the future.',
    errors: ['held', ...conflicts, ...startable],
    message: 'Send resumed.',
  },
  'POST /v1/sends/{sendId}/cancel': {
    ...sends,
    id: 'cancelSend',
    summary: 'Cancel a send',
    description:
      'Recipients that wait or are queued fail with code 900003. Others are not affected. A send that is done cannot be cancelled.',
    errors: [...conflicts],
    message: 'Send cancelled: 3 messages will not be sent.',
  },
};

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
    description: 'Starts a scheduled send now. No effect on a send that is already `sending`.',
    errors: [...conflicts, ...startable, 'upload_in_progress'],
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
    errors: [...conflicts, ...startable],
    message: 'Send resumed.',
  },
  'POST /v1/sends/{sendId}/cancel': {
    ...sends,
    id: 'cancelSend',
    summary: 'Cancel a send',
    description:
      'Recipients that wait or are queued fail with code 900003. Others are not affected. A send that is done cannot be cancelled.',
    errors: [...conflicts],
    message: 'Send cancelled: 3 queued messages will not be sent.',
  },
};

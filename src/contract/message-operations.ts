// The operations of the send operation and of messages.
import type { Operation } from './operation.ts';

const messages = { tag: 'Messages' };
const content = [
  'template_not_found',
  'template_not_approved',
  'sender_not_found',
  'sender_mismatch',
  'sender_not_configured',
  'media_not_found',
  'queue_full',
] as const;

export const messageOperations: Record<string, Operation> = {
  'POST /v1/templates/send': {
    ...messages,
    id: 'sendTemplate',
    summary: 'Send a template',
    description:
      'Sends an approved template to 1 to 1,000 recipients. Nothing is sent unless the whole request is valid. The response reports the result for each recipient. With `Prefer: respond-async` it is 202, without waiting for the platform.',
    errors: ['held', ...content],
    message: '1 message accepted.',
  },
  'GET /v1/messages': {
    ...messages,
    id: 'listMessages',
    summary: 'List messages',
    description:
      'Newest first, each with its timeline; what it says (`variables`, `text`) only for keys with `conversations:read`. Replies are listed only with `kind=reply` or `kind=all`. Messages of drafts, scheduled and paused sends, which wait apart from the queue, are listed only with `sendId`. A page of a filtered list can hold fewer than `limit` items, even none, although more follow: continue until `nextCursor` is null.',
    errors: ['send_not_found'],
    message: 'Messages listed.',
  },
  'GET /v1/messages/{id}': {
    ...messages,
    id: 'getMessage',
    summary: 'Get a message',
    description:
      'Returns the message with the text of its parts (only for keys with `conversations:read`), its timeline and its webhook deliveries.',
    errors: ['message_not_found'],
    message: 'Message found.',
  },
  'POST /v1/messages/{id}/resend': {
    ...messages,
    id: 'resendMessage',
    summary: 'Resend a failed message',
    description:
      'Sends the content of a failed message or reply again as a new one, checked like any send or reply. The body is optional. A message is resent once: a repeated request returns the same new message.',
    errors: [
      'held',
      ...content,
      'message_not_found',
      'message_not_failed',
      'content_removed',
      'template_changed',
      'window_closed',
    ],
    message: 'Message resent.',
  },
};

// The operations of inbound messages, replies and contacts.
import type { Operation } from './operation.ts';

const conversations = { tag: 'Conversations' };

export const conversationOperations: Record<string, Operation> = {
  'POST /v1/messages/reply': {
    ...conversations,
    id: 'sendReply',
    summary: 'Reply to a person',
    description:
      'Sends a message without a template to a person who wrote to your number in the last 24 hours: text, a file, a place, contact cards, a reaction, or text with buttons, a list or a link. Outside this window the platform allows templates only: 409 `window_closed` with `closedAt`. A reply that is still queued when the window closes fails with 900002. Its stages are `replies.status` events.',
    errors: [
      'held',
      'message_not_found',
      'media_not_found',
      'sender_not_found',
      'window_closed',
      'queue_full',
    ],
    message: 'Reply accepted.',
  },
  'GET /v1/messages/received': {
    ...conversations,
    id: 'listReceivedMessages',
    summary: 'List received messages',
    description:
      "Newest first, by the platform's time. A page of a filtered list can hold fewer than `limit` items, even none, although more follow: continue until `nextCursor` is null.",
    message: 'Received messages listed.',
  },
  'GET /v1/messages/received/{id}': {
    ...conversations,
    id: 'getReceivedMessage',
    summary: 'Get a received message',
    errors: ['message_not_found'],
    message: 'Received message found.',
  },
  'POST /v1/messages/received/{id}/read': {
    ...conversations,
    id: 'markMessageRead',
    summary: 'Mark a received message as read',
    description:
      'The platform also marks the earlier messages of the person, and they no longer count in `unreadCount` of the contact. It accepts messages of the last 30 days. The body is optional.',
    errors: [
      'held',
      'message_not_found',
      'sender_not_found',
      'conflict',
      'provider_rejected',
      'provider_unavailable',
    ],
    message: 'Message marked as read.',
  },
  'GET /v1/messages/received/{id}/media': {
    ...conversations,
    id: 'downloadReceivedMedia',
    summary: 'Download the file of a received message',
    description:
      'Fetched from the messaging platform for each download, up to 100 MB. The platform keeps received files for seven days; afterwards 410 `media_gone`. JPEG, PNG, WebP, MP4, 3GPP, OGG and AAC files are `inline`, all others attachments.',
    errors: [
      'message_not_found',
      'media_not_found',
      'media_gone',
      'media_too_large',
      'provider_rejected',
      'provider_unavailable',
    ],
    message: 'The file.',
  },
  'GET /v1/contacts': {
    ...conversations,
    id: 'listContacts',
    summary: 'List contacts',
    description:
      'Everybody who wrote to one of your numbers, and recipients whose number the platform writes differently. Newest contact first, or with `sort=-lastMessageAt` newest conversation first. That order, and what `search` finds, are seconds behind. A page can hold fewer than `limit` items although more follow: continue until `nextCursor` is null.',
    message: 'Contacts listed.',
  },
  'GET /v1/contacts/{id}': {
    ...conversations,
    id: 'getContact',
    summary: 'Get a contact',
    errors: ['contact_not_found'],
    message: 'Contact found.',
  },
  'POST /v1/contacts/erase': {
    ...conversations,
    id: 'erasePerson',
    summary: 'Erase a person',
    description:
      'Removes phone, name, variables, texts, metadata, answers and e-mail address of a person from messages, received messages, recipients, bookings, webhook deliveries and stored answers. Ids, states, times and counts stay. Queued messages are cancelled. An opt-out stays as a hash of the number. Open bookings: 409 `booking_open` unless `cancelBookings`. Safe to repeat.',
    errors: [
      'booking_open',
      'booking_not_changeable',
      'conflict',
      'held',
      'provider_rejected',
      'provider_unavailable',
    ],
    message: 'Person erased.',
  },
  'GET /v1/contacts/{id}/messages': {
    ...conversations,
    id: 'listContactMessages',
    summary: 'List the messages of a contact',
    description: 'Messages from and to the contact, newest first.',
    errors: ['contact_not_found'],
    message: 'Messages listed.',
  },
};

// Every operation of the API by method and path: its name, its texts, and its own errors.
import { accountOperations } from './account-operations.ts';
import { appointmentOperations } from './appointment-operations.ts';
import { bookingOperations } from './booking-operations.ts';
import { campaignOperations } from './campaign-operations.ts';
import { conversationOperations } from './conversation-operations.ts';
import { messageOperations } from './message-operations.ts';
import type { Operation } from './operation.ts';
import { operatorOperations } from './operator-operations.ts';
import { optOutOperations } from './opt-out-operations.ts';
import { retentionOperations } from './retention-operations.ts';
import { sessionOperations } from './session-operations.ts';
import { statisticsOperations } from './statistics-operations.ts';
import { templateOperations } from './template-operations.ts';
import { webhookOperations } from './webhook-operations.ts';

/** In the order of the reference. The key is the method and the path, such as `GET /v1/keys/{id}`. */
export const operations: Readonly<Record<string, Operation>> = {
  ...templateOperations,
  ...messageOperations,
  ...campaignOperations,
  ...conversationOperations,
  ...optOutOperations,
  ...appointmentOperations,
  ...bookingOperations,
  ...webhookOperations,
  ...statisticsOperations,
  ...accountOperations,
  ...sessionOperations,
  ...retentionOperations,
  ...operatorOperations,
};

/** The headings of the reference, in order. */
export const tags: { name: string; description: string }[] = [
  { name: 'Templates', description: 'Message templates and their review by the messaging platform.' },
  { name: 'Messages', description: 'Send templates, and follow each message to its recipient.' },
  {
    name: 'Conversations',
    description: 'Messages that people send to your numbers, your replies, and the people.',
  },
  { name: 'Opt-outs', description: 'People who do not want messages, and how they say so.' },
  { name: 'Media', description: 'Files for the headers of templates.' },
  { name: 'Appointments', description: 'Departments, staff, form questions and open slots.' },
  { name: 'Bookings', description: 'Book, cancel and reschedule appointments.' },
  { name: 'Calendars', description: 'Connect the calendars of staff.' },
  { name: 'Directory', description: 'Manage departments, staff, schedules and form questions.' },
  {
    name: 'Webhooks',
    description: 'Endpoints that receive events, their deliveries, and the events themselves.',
  },
  { name: 'Statistics', description: 'Counts of messages, webhook attempts and bookings.' },
  { name: 'Senders', description: 'The messaging numbers of the account.' },
  { name: 'Keys', description: 'API keys and their scopes.' },
  { name: 'Sessions', description: 'People who are signed in, and links with which they sign in.' },
  { name: 'Retention', description: 'How long data is kept, and its removal.' },
];

// The kinds of event that an endpoint can ask for, in the order of the page.
import type { CreateEndpoint } from '../../../client/src/generated.ts';

export type EventKind = NonNullable<CreateEndpoint['events']>[number];

export const eventKinds = [
  'messages.status',
  'replies.status',
  'messages.received',
  'templates.status',
  'appointments.booked',
  'appointments.rescheduled',
  'appointments.cancelled',
  'senders.status',
  'calendars.status',
  'contacts.opted_out',
  'contacts.opted_in',
  'endpoints.status',
  'deliveries.dead',
] as const satisfies readonly EventKind[];

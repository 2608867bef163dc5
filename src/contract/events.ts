// The bodies of webhook events, by kind.
import { type TSchema, Type } from 'typebox';
import { BookingItem, ChangedBookingItem } from './bookings.ts';
import { CalendarChange } from './calendars.ts';
import { Id, instant, nullable } from './envelope.ts';
import { OptOutChange } from './opt-outs.ts';
import { ReceivedMessageItem } from './received.ts';
import { SenderChange } from './senders.ts';
import { MessageError } from './sends.ts';
import { TemplateChange } from './templates.ts';
import { DeadDeliveries, EndpointChange, type EventKind } from './webhooks.ts';

const event = <T extends TSchema>(kind: EventKind, title: string, data: T) =>
  Type.Object(
    {
      event: Type.Literal(kind, { description: 'The kind of event.' }),
      timestamp: instant('When the event was created; the same on every attempt.'),
      data,
    },
    { title, description: `The body of \`${kind}\` events.` },
  );

const MessageStatus = Type.Object(
  {
    messageId: Type.String({
      description: "The platform's identifier, as the send returned it; `id` if the platform assigned none.",
    }),
    status: Type.Enum(['sent', 'delivered', 'read', 'failed'], {
      description: 'The stage that was reached.',
    }),
    recipientPhone: Type.String({ description: 'As the caller gave it.' }),
    timestamp: Type.Number({ description: "The platform's time, in epoch seconds." }),
    error: nullable(MessageError),
    id: Type.String({ ...Id, description: 'Id of the message (UUIDv7).' }),
    sendId: Type.String({ ...Id, description: 'Id of the send.' }),
    metadata: Type.Record(Type.String(), Type.String(), { description: 'As the send gave it.' }),
  },
  {
    title: 'MessageStatus',
    description: 'A message reached a stage.',
    examples: [
      {
        messageId: 'wamid.HBgLMTU1NTEyMzQ1NjcVAgARGBI5QTNDQTVCM0Q0Q0Q2RTY3RTcA',
        status: 'delivered',
        recipientPhone: '15551234567',
        timestamp: 1_773_151_200,
        error: null,
        id: '019a0b5e-7c00-7000-8000-000000000004',
        sendId: '019a0b5e-7c00-7000-8000-000000000005',
        metadata: { order: 'A-1001' },
      },
    ],
  },
);

const ReplyStatus = Type.Object(
  {
    messageId: Type.String({
      description: "The platform's identifier; `id` if the platform assigned none.",
    }),
    status: Type.Enum(['sent', 'delivered', 'read', 'failed'], {
      description: 'The stage that was reached.',
    }),
    recipientPhone: nullable(
      Type.String({ description: 'As the caller gave it; null for a reply to a `userId`.' }),
    ),
    recipientUserId: nullable(
      Type.String({ description: "The platform's id of the person; null for a reply to a phone number." }),
    ),
    timestamp: Type.Number({ description: "The platform's time, in epoch seconds." }),
    error: nullable(MessageError),
    id: Type.String({ ...Id, description: 'Id of the reply (UUIDv7).' }),
    sendId: Type.Null({ description: 'A reply belongs to no send.' }),
    metadata: Type.Record(Type.String(), Type.String(), { description: 'As the reply gave it.' }),
  },
  {
    title: 'ReplyStatus',
    description: 'A reply reached a stage.',
    examples: [
      {
        messageId: 'wamid.HBgLMTU1NTEyMzQ1NjcVAgARGBI5QTNDQTVCM0Q0Q0Q2RTY3RTcA',
        status: 'delivered',
        recipientPhone: '15551234567',
        recipientUserId: null,
        timestamp: 1_773_151_200,
        error: null,
        id: '019a0b5e-7c00-7000-8000-000000000032',
        sendId: null,
        metadata: { ticket: '4711' },
      },
    ],
  },
);

export interface DocumentedEvent {
  summary: string;
  body: TSchema;
}

/** The summary and the whole body of each kind. */
export const documentedEvents: Record<EventKind, DocumentedEvent> = {
  'messages.status': {
    summary: 'A message reached a stage',
    body: event('messages.status', 'MessageStatusEvent', MessageStatus),
  },
  'replies.status': {
    summary: 'A reply reached a stage',
    body: event('replies.status', 'ReplyStatusEvent', ReplyStatus),
  },
  'templates.status': {
    summary: "A template's status, category or quality changed",
    body: event('templates.status', 'TemplateStatusEvent', TemplateChange),
  },
  'appointments.booked': {
    summary: 'An appointment was booked',
    body: event('appointments.booked', 'AppointmentBookedEvent', BookingItem),
  },
  'appointments.cancelled': {
    summary: 'An appointment was cancelled',
    body: event('appointments.cancelled', 'AppointmentCancelledEvent', ChangedBookingItem),
  },
  'appointments.rescheduled': {
    summary: 'An appointment was rescheduled',
    body: event('appointments.rescheduled', 'AppointmentRescheduledEvent', ChangedBookingItem),
  },
  'calendars.status': {
    summary: 'A calendar was connected or disconnected, or lost many bookings together',
    body: event('calendars.status', 'CalendarStatusEvent', CalendarChange),
  },
  'senders.status': {
    summary: 'A number was halted or resumed, or a check of it has another result',
    body: event('senders.status', 'SenderStatusEvent', SenderChange),
  },
  'messages.received': {
    summary: 'A person wrote to one of your numbers',
    body: event('messages.received', 'MessageReceivedEvent', ReceivedMessageItem),
  },
  'contacts.opted_out': {
    summary: 'A person opted out of messages',
    body: event('contacts.opted_out', 'ContactOptedOutEvent', OptOutChange),
  },
  'contacts.opted_in': {
    summary: 'A person receives everything again',
    body: event('contacts.opted_in', 'ContactOptedInEvent', OptOutChange),
  },
  'endpoints.status': {
    summary: 'Another webhook endpoint was disabled, paused or activated',
    body: event('endpoints.status', 'EndpointStatusEvent', EndpointChange),
  },
  'deliveries.dead': {
    summary: 'Deliveries of another webhook endpoint became dead',
    body: event('deliveries.dead', 'DeadDeliveriesEvent', DeadDeliveries),
  },
  test: {
    summary: 'The test operation was called',
    body: event(
      'test',
      'TestEvent',
      Type.Object(
        {
          endpointId: Type.String({ ...Id, description: 'Id of the endpoint.' }),
          message: Type.String({
            description: 'A text that says that this is a test.',
            examples: ['This is a test event.'],
          }),
        },
        { description: 'The data of a test event.' },
      ),
    ),
  },
};

// The bodies that receivers of webhooks get, by kind.
import { type TSchema, Type } from 'typebox';
import { BookingItem, ChangedBookingItem } from './bookings.ts';
import { CalendarNews } from './calendars.ts';
import { Id, nullable } from './envelope.ts';
import { TemplateChange } from './templates.ts';
import type { EventKind } from './webhooks.ts';

const event = <T extends TSchema>(kind: EventKind, data: T) =>
  Type.Object({
    event: Type.Literal(kind),
    timestamp: Type.String({
      format: 'date-time',
      description: 'When the event was made; the same on every try.',
    }),
    data,
  });

const MessageStatus = Type.Object({
  messageId: Type.String({
    description: "The platform's identifier, as the send answered it; our `id` where the platform gave none.",
  }),
  status: Type.Enum(['sent', 'delivered', 'read', 'failed']),
  recipientPhone: Type.String({ description: 'As the caller gave it.' }),
  timestamp: Type.Number({ description: "The platform's time, in epoch seconds." }),
  error: nullable(
    Type.Object(
      { code: Type.Number(), title: Type.String(), message: Type.String() },
      { description: 'For `failed` only.' },
    ),
  ),
  id: Id,
  sendId: Id,
  metadata: Type.Record(Type.String(), Type.String()),
});

export interface DocumentedEvent {
  summary: string;
  body: TSchema;
}

/** What each kind says, and the whole body of it. */
export const documentedEvents: Record<EventKind, DocumentedEvent> = {
  'messages.status': {
    summary: 'A message reached a stage',
    body: event('messages.status', MessageStatus),
  },
  'templates.status': {
    summary: "A template's status, category or quality changed",
    body: event('templates.status', TemplateChange),
  },
  'appointments.booked': {
    summary: 'An appointment was booked',
    body: event('appointments.booked', BookingItem),
  },
  'appointments.cancelled': {
    summary: 'An appointment was cancelled',
    body: event('appointments.cancelled', ChangedBookingItem),
  },
  'appointments.rescheduled': {
    summary: 'An appointment was moved',
    body: event('appointments.rescheduled', ChangedBookingItem),
  },
  'calendars.status': {
    summary: 'A calendar was connected or disconnected, or lost many bookings at once',
    body: event('calendars.status', CalendarNews),
  },
  test: {
    summary: 'The test operation was called',
    body: event('test', Type.Object({ endpointId: Id, message: Type.String() })),
  },
};

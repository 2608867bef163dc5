// The audit log on the wire: the actions, and which fields each may record.
import { type Static, Type } from 'typebox';
import { cursorProperties, Id, instant, nullable } from './envelope.ts';

/** The fields whose new values are recorded, by action. Nothing else is: no secret, text, phone or email address. */
export const auditableFields = {
  'account.created': ['name'],
  'key.created': ['name', 'scopes', 'expiresAt'],
  'key.rotated': ['replacedBy', 'overlapSeconds'],
  'key.revoked': [],
  'session.created': ['name', 'scopes', 'endsAt'],
  'session.ended': [],
  'link.created': ['name', 'scopes', 'expiresAt'],
  'link.deleted': [],
  'sender.created': ['name', 'phoneNumberId', 'businessAccountId', 'messagesPerSecond', 'isDefault'],
  'sender.updated': ['name', 'messagesPerSecond', 'isDefault', 'changedSecrets'],
  'sender.deleted': [],
  'endpoint.created': ['url', 'events'],
  'endpoint.updated': ['url', 'events', 'status'],
  'endpoint.deleted': [],
  'endpoint.secret_rotated': ['overlapSeconds'],
  'endpoint.secret_activated': [],
  'template.created': ['providerTemplateName', 'language', 'category'],
  'template.edited': ['category'],
  'template.submitted': ['status'],
  'template.unpaused': [],
  'template.deleted': ['status'],
  'template.overwritten': ['providerTemplateName', 'language', 'status'],
  'department.created': ['name', 'active'],
  'department.updated': ['name', 'active'],
  'department.deleted': [],
  'staff.created': ['name', 'active', 'calendar'],
  'staff.updated': ['name', 'active', 'calendar'],
  'staff.deleted': [],
  'staff.schedule_set': ['timezone', 'slotMinutes', 'dailyLimit'],
  'staff.questions_set': ['count'],
  'calendar.connected': ['provider'],
  'calendar.disconnected': ['provider'],
  'calendar.busy_calendars_set': ['count'],
  'media.deleted': [],
  'opt_out_settings.updated': ['stopWords', 'startWords'],
  'contact.erased': ['cancelBookings'],
  'retention.updated': ['messages', 'received', 'deliveries', 'bookings', 'audit'],
  'send.started': ['state'],
  'send.scheduled': ['state'],
  'send.paused': ['state'],
  'send.resumed': ['state'],
  'send.cancelled': ['state'],
  'booking.cancelled': [],
  'booking.rescheduled': [],
} as const satisfies Record<string, readonly string[]>;
export type AuditAction = keyof typeof auditableFields;

export const AuditQuery = Type.Object(
  {
    action: Type.Optional(
      Type.Enum(Object.keys(auditableFields) as AuditAction[], {
        type: 'string',
        description: 'Only entries of this action.',
      }),
    ),
    subjectId: Type.Optional(Type.String({ maxLength: 64, description: 'Only entries about this object.' })),
    from: Type.Optional(
      Type.String({ format: 'date-time', description: 'Only entries at or after this instant.' }),
    ),
    to: Type.Optional(Type.String({ format: 'date-time', description: 'Only entries before this instant.' })),
    ...cursorProperties,
  },
  { additionalProperties: false },
);
export type AuditQuery = Static<typeof AuditQuery>;

const id = '019a0b5e-7c00-7000-8000-000000000000';
export const AuditEntry = Type.Object(
  {
    _id: Id,
    at: instant('When it was changed.'),
    actor: Type.Object(
      {
        kind: Type.String({
          description: '`key`, `session`, `operator` (the command line) or `system` (the gateway itself).',
        }),
        id: nullable(Type.String({ description: 'Of the key or session.' })),
        name: nullable(Type.String({ description: 'Its name at that time.' })),
      },
      { description: 'Who changed it.' },
    ),
    address: nullable(Type.String({ description: 'The address of the request.' })),
    action: Type.String({ description: 'What was done, such as `key.created`.' }),
    subject: Type.Object(
      {
        kind: Type.String({ description: 'The kind of object, such as `key`.' }),
        id: Type.String({ description: 'Its id.' }),
      },
      { description: 'What was changed.' },
    ),
    changes: Type.Record(Type.String(), Type.Unknown(), {
      description:
        'New values of the fields that the action may record. Secrets and texts are never among them.',
    }),
  },
  {
    title: 'AuditEntry',
    description: 'A change of the account.',
    examples: [
      {
        _id: id,
        at: '2026-03-10T14:00:00.000Z',
        actor: { kind: 'key', id, name: 'CRM' },
        address: '203.0.113.7',
        action: 'key.created',
        subject: { kind: 'key', id },
        changes: { name: 'reports', scopes: ['messages:read'], expiresAt: null },
      },
    ],
  },
);

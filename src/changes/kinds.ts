// The kinds of an account's objects in the event stream, and the scope that reads each. Pure.
import type { Scope } from '../contract/envelope.ts';

/** The scope of a kind's list. */
const kindScopes = {
  messages: 'messages:read',
  sends: 'messages:read',
  received: 'conversations:read',
  contacts: 'conversations:read',
  optOuts: 'messages:read',
  templates: 'templates:read',
  media: 'media:write',
  bookings: 'appointments:manage',
  staff: 'appointments:read',
  calendars: 'appointments:read',
  endpoints: 'webhooks:manage',
  deliveries: 'webhooks:manage',
  senders: 'manage',
  keys: 'manage',
  sessions: 'manage',
} as const satisfies Record<string, Scope>;
export type Kind = keyof typeof kindScopes;

/** The kinds that requests change, by the beginning of their path: the first that fits. */
const kindsByPath: readonly (readonly [string, readonly Kind[]])[] = [
  ['/v1/templates/send', ['messages']],
  ['/v1/templates/media', ['media']],
  ['/v1/templates', ['templates']],
  ['/v1/messages/received', ['contacts']],
  ['/v1/messages', ['messages']],
  ['/v1/sends', ['sends', 'messages']],
  ['/v1/contacts', ['contacts']],
  ['/v1/opt-outs', ['optOuts', 'contacts']],
  ['/v1/media', ['media']],
  ['/v1/senders', ['senders']],
  ['/v1/appointments/ext-calendar', ['calendars']],
  ['/v1/appointments/book', ['bookings']],
  ['/v1/appointments/users/:id/ext-calendar', ['calendars', 'staff']],
  ['/v1/appointments', ['staff']],
  ['/v1/webhooks/deliveries', ['deliveries']],
  ['/v1/webhooks', ['endpoints', 'deliveries']],
  ['/v1/keys', ['keys', 'sessions']],
  ['/v1/session', ['sessions']],
  ['/v1/dashboard-links', ['sessions']],
];

/** The kinds that a successful request to this route may have changed. */
export const kindsOfRoute = (url: string): readonly Kind[] =>
  kindsByPath.find(([path]) => url.startsWith(path))?.[1] ?? [];

const kindsByEvent: Record<string, Kind> = {
  'messages.status': 'messages',
  'replies.status': 'messages',
  'messages.received': 'received',
  'templates.status': 'templates',
  'appointments.booked': 'bookings',
  'appointments.cancelled': 'bookings',
  'appointments.rescheduled': 'bookings',
  'calendars.status': 'calendars',
  'senders.status': 'senders',
  'contacts.opted_out': 'optOuts',
  'contacts.opted_in': 'optOuts',
  'endpoints.status': 'endpoints',
  'deliveries.dead': 'deliveries',
};

/** The kind of a webhook event's object. */
export const kindOfEvent = (event: string): Kind | undefined => kindsByEvent[event];

/** Events whose subject is the object itself; that of others is the event. */
export const isSubjectEvent = (event: string): boolean =>
  event === 'messages.status' || event === 'replies.status' || event === 'messages.received';

/** Objects of one kind that changed. */
export interface Changed {
  /** At most `idsMax`. */
  ids: Set<string>;
  /** Others changed too. */
  more: boolean;
}
export type ChangedKinds = Map<Kind, Changed>;

/** Ids of one kind in a frame. */
const idsMax = 100;

/** Adds an object, or one whose id is not known. */
export function addChange(to: ChangedKinds, kind: Kind, id?: string): void {
  const changed = to.get(kind) ?? { ids: new Set(), more: false };
  to.set(kind, changed);
  if (id === undefined || (changed.ids.size >= idsMax && !changed.ids.has(id))) changed.more = true;
  else changed.ids.add(id);
}

/** The wire form: `{kind: {ids, more}}`. */
export type FrameKinds = Partial<Record<Kind, { ids: string[]; more: boolean }>>;

export const frameOf = (changes: ChangedKinds): FrameKinds =>
  Object.fromEntries([...changes].map(([kind, { ids, more }]) => [kind, { ids: [...ids], more }]));

/** Adds the kinds of a frame that these scopes can read. */
export function addFrame(to: ChangedKinds, frame: FrameKinds, scopes: ReadonlySet<string>): void {
  for (const [kind, changed] of Object.entries(frame) as [Kind, { ids: string[]; more: boolean }][]) {
    if (!scopes.has(kindScopes[kind])) continue;
    for (const id of changed.ids) addChange(to, kind, id);
    if (changed.more) addChange(to, kind);
  }
}

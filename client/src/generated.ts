// Generated from the OpenAPI document by `npm run client:types`. Do not edit.
import type { CallOptions } from './client.ts';
import type { Pages } from './pages.ts';

/** Recipients for a draft. A CSV or NDJSON body is a file of them. */
export type AddRecipients = {
  /** The recipients. */
  recipients: Array<Recipient>;
};

/** What became of the rows. */
export type AddedRecipients = {
  /** Recipients that were added. */
  added: number;
  /** Rows whose phone the send already had; they change nothing. */
  duplicates: number;
  /** Recipients that were added although they opted out of such messages: they will fail 900005. */
  optedOut: number;
  /** Rows with a problem; they are not added. */
  rejected: number;
  /** The first 1,000 problems. */
  errors: Array<RowProblem>;
};

/** The body of `appointments.booked` events. */
export type AppointmentBookedEvent = {
  /** The kind of event. */
  event: "appointments.booked";
  /** When the event was created; the same on every attempt. */
  timestamp: string;
  data: Booking;
};

/** The body of `appointments.cancelled` events. */
export type AppointmentCancelledEvent = {
  /** The kind of event. */
  event: "appointments.cancelled";
  /** When the event was created; the same on every attempt. */
  timestamp: string;
  data: ChangedBooking;
};

/** The body of `appointments.rescheduled` events. */
export type AppointmentRescheduledEvent = {
  /** The kind of event. */
  event: "appointments.rescheduled";
  /** When the event was created; the same on every attempt. */
  timestamp: string;
  data: ChangedBooking;
};

/** Bookings that were confirmed or changed in an interval. */
export type AppointmentStatistics = {
  /** Start of the interval. The first one can begin before `from`; it counts from there. */
  at: string;
  /** With `by=staff`: the staff member. */
  appointmentUserId?: string;
  /** Bookings that were confirmed. */
  booked: number;
  /** Bookings that were moved, also in the calendar. */
  rescheduled: number;
  /** Bookings that were cancelled, also in the calendar. */
  cancelled: number;
};

/** Counts by interval. */
export type AppointmentStatisticsList = {
  /** Everything that was recorded before this instant is counted. */
  foldedUntil: string;
  /** By `at`. Intervals in which nothing was counted are left out. */
  items: Array<AppointmentStatistics>;
};

/** One attempt of a delivery. */
export type Attempt = {
  /** Number of the attempt, from 1. */
  number: number;
  /** When the attempt ended. */
  at: string;
  /** HTTP status of the response. */
  statusCode: number | null;
  /** `status`: a response other than 2xx. `reset`: the connection broke, or the response was not HTTP. `too_large`: the headers of the response were too large. */
  failure: "timeout" | "refused" | "dns" | "tls" | "reset" | "status" | "blocked_address" | "too_large" | null;
  /** Duration in milliseconds. */
  durationMs: number | null;
  /** The first 4 KB of the response body, as UTF-8 text. */
  answer: string | null;
  /** What went wrong, if there was no complete response. */
  detail: string | null;
  request: AttemptRequest;
};

/** What an attempt sent besides the body: only what is exactly known. */
export type AttemptRequest = {
  /** The method. */
  method: "POST";
  /** The address that was posted to; null if the address of the endpoint was changed after the attempt, or at most 3 minutes before it. */
  url: string | null;
  /** The headers, in the order in which they were sent. `webhook-timestamp` is stored with attempts that failed; the others follow from the delivery and its endpoint, and are null where they no longer do: signatures after a rotation of the secret, or of an endpoint that was deleted. Of attempts that succeeded, `webhook-timestamp` and `webhook-signature` are null. `connection`, and `traceparent` while traces are exported, are not listed. */
  headers: Array<SentHeader>;
};

/** A change of the account. */
export type AuditEntry = {
  /** UUIDv7. */
  _id: string;
  /** When it was changed. */
  at: string;
  /** Who changed it. */
  actor: {
    /** `key`, `session`, `operator` (the command line) or `system` (the gateway itself). */
    kind: string;
    /** Of the key or session. */
    id: string | null;
    /** Its name at that time. */
    name: string | null;
  };
  /** The address of the request. */
  address: string | null;
  /** What was done, such as `key.created`. */
  action: string;
  /** What was changed. */
  subject: {
    /** The kind of object, such as `key`. */
    kind: string;
    /** Its id. */
    id: string;
  };
  /** New values of the fields that the action may record. Secrets and texts are never among them. */
  changes: Record<string, unknown>;
};

/** The open slots of one date. */
export type AvailableSlots = {
  /** Id of the staff member. */
  appointmentUserId: string;
  /** The requested date, `YYYY-MM-DD`. */
  date: string;
  /** IANA time zone of `date`, `from` and `to`. */
  timezone: string;
  /** Length of a slot, in minutes. */
  slotMinutes: number;
  /** The open slots, in order. */
  slots: Array<Slot>;
};

/** A slot, its guest and the answers to the form questions. */
export type BookAppointment = {
  /** Id of a staff member (`_id` of a user). */
  appointmentUserId: string;
  /** Civil date, `YYYY-MM-DD`. */
  date: string;
  /** Local time, `HH:MM`. */
  from: string;
  /** Local time, `HH:MM`. */
  to: string;
  /** IANA zone in which `date`, `from` and `to` are read. Default: the staff member's own. */
  timezone?: string | null;
  /** Answers to the form questions. */
  staticQuestionAnswers?: Array<FormAnswer> | null;
  /** E-mail address of the guest. The domain may be internationalized. */
  email: string;
  /** Digits with the country code, `^[1-9][0-9]{6,14}$`; a plus sign, spaces, dashes, dots and brackets are removed. */
  phoneNumber: string;
  /** Name of the guest. */
  name?: string | null;
  /** Label of the origin of the booking. Default: `api`. */
  source?: string | null;
};

/** The confirmed booking. */
export type BookedAppointment = {
  /** Id of the booking (UUIDv7). */
  bookingId: string;
  /** `held`: being written to the calendar. `undoing` and `undone`: given up, because the calendar could not confirm it. */
  status: "held" | "confirmed" | "undoing" | "undone" | "cancelled";
  /** Id of the staff member. */
  appointmentUserId: string;
  /** Civil date in `timezone`, `YYYY-MM-DD`. */
  date: string;
  /** Local start, `HH:MM`. */
  from: string;
  /** Local end, `HH:MM`. */
  to: string;
  /** IANA time zone of `date`, `from` and `to`. */
  timezone: string;
  /** Start of the appointment. */
  startsAt: string;
  /** End of the appointment. */
  endsAt: string;
  /** Link of the video meeting. */
  meetingLink: string | null;
  /** Whether the calendar invites the guest by e-mail. `false`: nobody does, so send the guest `meetingLink`. `null`: not known; a CalDAV server decides this itself. */
  guestInvited: boolean | null;
  /** Id of the event in the calendar. */
  calendarEventId: string | null;
  /** Link to the event in the calendar. */
  calendarEventLink: string | null;
  /** E-mail address of the guest. */
  email: string;
  /** Phone number of the guest, digits only. */
  phoneNumber: string;
  /** Name of the guest. */
  name: string | null;
  /** Label of the origin of the booking. */
  source: string;
  /** When the booking was made. */
  createdAt: string;
};

/** A booking. */
export type Booking = {
  /** UUIDv7. */
  _id: string;
  /** Id of the booking (UUIDv7). */
  bookingId: string;
  /** `held`: being written to the calendar. `undoing` and `undone`: given up, because the calendar could not confirm it. */
  status: "held" | "confirmed" | "undoing" | "undone" | "cancelled";
  /** Id of the staff member. */
  appointmentUserId: string;
  /** Civil date in `timezone`, `YYYY-MM-DD`. */
  date: string;
  /** Local start, `HH:MM`. */
  from: string;
  /** Local end, `HH:MM`. */
  to: string;
  /** IANA time zone of `date`, `from` and `to`. */
  timezone: string;
  /** Start of the appointment. */
  startsAt: string;
  /** End of the appointment. */
  endsAt: string;
  /** Link of the video meeting. */
  meetingLink: string | null;
  /** Whether the calendar invites the guest by e-mail. `false`: nobody does, so send the guest `meetingLink`. `null`: not known; a CalDAV server decides this itself. */
  guestInvited: boolean | null;
  /** Id of the event in the calendar. */
  calendarEventId: string | null;
  /** Link to the event in the calendar. */
  calendarEventLink: string | null;
  /** E-mail address of the guest. */
  email: string;
  /** Phone number of the guest, digits only. */
  phoneNumber: string;
  /** Name of the guest. */
  name: string | null;
  /** Label of the origin of the booking. */
  source: string;
  /** When the booking was made. */
  createdAt: string;
  /** The answered form questions. */
  staticQuestionAnswers: Array<GivenAnswer>;
  pendingChange: PendingChange | null;
  calendarState: CalendarState;
  /** When the booking was cancelled. */
  cancelledAt: string | null;
  /** Why the booking was cancelled. */
  cancelReason: string | null;
};

/** What a button takes besides variables. */
export type ButtonInput = {
  /** Position of the button, from 0. */
  index: number;
  /** What a quick reply returns when it is pressed. Default: its label. */
  payload?: string;
  flow?: FlowInput;
};

/** The placeholders of one button. */
export type ButtonVariables = {
  /** Position of the button, from 0. */
  index: number;
  /** Kind of the button. */
  subType: string;
  /** Placeholders of the button. */
  variables: Array<string>;
};

/** A link that connects a calendar. */
export type CalendarAuthUrl = {
  /** Open it in a browser as the owner of the calendar. Valid for one connection. */
  authUrl: string;
  /** When the link expires. */
  expiresAt: string;
};

/** What happened to the calendar of a staff member. */
export type CalendarChange = {
  /** Id of the staff member. */
  appointmentUserId: string;
  /** `disconnected`: removed, or its authorization was revoked. `bookings_missing`: the events of many bookings disappeared together. No booking is cancelled: decide what to do. */
  reason: "connected" | "disconnected" | "bookings_missing";
  /** Whether the connection works. */
  connected: boolean;
  /** `google` or `caldav`. */
  provider: string;
  /** The calendar to which bookings are written. */
  calendarId: string;
  /** Account at the provider. */
  accountEmail: string | null;
  /** What is wrong with the connection, and what to do. */
  error: string | null;
  missing: MissingBookings | null;
};

/** External changes of the calendar event. */
export type CalendarState = {
  /** `in_step`: the event matches the booking. */
  state: "in_step" | "moved" | "deleted";
  /** Where the event starts now, if it was moved. */
  from?: string;
  /** Where the event ends now, if it was moved. */
  to?: string;
  /** The event was moved onto a time that another booking occupies. */
  conflict?: boolean;
};

/** The calendar connection of a staff member. */
export type CalendarStatus = {
  /** Whether the connection works. */
  connected: boolean;
  /** `google` or `caldav`; null if none is connected. */
  provider: string | null;
  /** The calendar to which bookings are written. */
  calendarId: string | null;
  /** The calendars that block slots. */
  busyCalendarIds: Array<string>;
  /** Account at the provider. */
  accountEmail: string | null;
  /** When the calendar was last read. */
  lastSyncedAt: string | null;
  /** What is wrong with the connection, and what to do. */
  error: string | null;
  eventProblems: EventProblems | null;
};

/** The body of `calendars.status` events. */
export type CalendarStatusEvent = {
  /** The kind of event. */
  event: "calendars.status";
  /** When the event was created; the same on every attempt. */
  timestamp: string;
  data: CalendarChange;
};

/** Why the booking is cancelled. */
export type CancelBooking = {
  /** Why the booking is cancelled. */
  reason?: string | null;
};

/** What a card takes besides variables. */
export type CardInput = {
  /** Fills a media header: the `mediaId` of an upload. */
  mediaId?: string;
  /** Fills a media header: an https address of the file. The platform fetches it, the gateway never does. Not together with `mediaId`. */
  headerMediaUrl?: string;
  product?: Product;
  /** Payloads of quick replies, and flows. */
  buttons?: Array<ButtonInput>;
};

/** Fills a catalog button. */
export type CatalogInput = {
  /** Product whose picture the message shows. Default: the first of the catalog. */
  thumbnailProductId?: string;
};

/** What to change. What fills the template, and `metadata`, applies to recipients that are added afterwards; null removes it. */
export type ChangeSend = {
  /** Name of the send, for your own use. */
  name?: string | null;
  /** Id of the sender. Default: the default sender of the business account. */
  senderId?: string;
  /** When the send starts after `start`, at most 90 days ahead. Default: at `start`. */
  sendAt?: string | null;
  /** How long messages may wait, from `sendAt` or the start. Default: 86,400. */
  expiresInSeconds?: number;
  /** Fills a media header: the `mediaId` of an upload. */
  mediaId?: string | null;
  /** Fills a media header: an https address of the file. The platform fetches it, the gateway never does. Not together with `mediaId`. */
  headerMediaUrl?: string | null;
  product?: Product | null;
  /** Payloads of quick replies, and flows. */
  buttons?: Array<ButtonInput> | null;
  location?: Location | null;
  /** When a limited-time offer ends. */
  offerExpiresAt?: string | null;
  /** The cards of a carousel, as many as the template has. */
  cards?: Array<CardInput> | null;
  catalog?: CatalogInput | null;
  products?: ProductsInput | null;
  /** Returned in message lists and webhook events. */
  metadata?: Record<string, string> | null;
};

/** A booking, and who changed it. */
export type ChangedBooking = {
  /** UUIDv7. */
  _id: string;
  /** Id of the booking (UUIDv7). */
  bookingId: string;
  /** `held`: being written to the calendar. `undoing` and `undone`: given up, because the calendar could not confirm it. */
  status: "held" | "confirmed" | "undoing" | "undone" | "cancelled";
  /** Id of the staff member. */
  appointmentUserId: string;
  /** Civil date in `timezone`, `YYYY-MM-DD`. */
  date: string;
  /** Local start, `HH:MM`. */
  from: string;
  /** Local end, `HH:MM`. */
  to: string;
  /** IANA time zone of `date`, `from` and `to`. */
  timezone: string;
  /** Start of the appointment. */
  startsAt: string;
  /** End of the appointment. */
  endsAt: string;
  /** Link of the video meeting. */
  meetingLink: string | null;
  /** Whether the calendar invites the guest by e-mail. `false`: nobody does, so send the guest `meetingLink`. `null`: not known; a CalDAV server decides this itself. */
  guestInvited: boolean | null;
  /** Id of the event in the calendar. */
  calendarEventId: string | null;
  /** Link to the event in the calendar. */
  calendarEventLink: string | null;
  /** E-mail address of the guest. */
  email: string;
  /** Phone number of the guest, digits only. */
  phoneNumber: string;
  /** Name of the guest. */
  name: string | null;
  /** Label of the origin of the booking. */
  source: string;
  /** When the booking was made. */
  createdAt: string;
  /** The answered form questions. */
  staticQuestionAnswers: Array<GivenAnswer>;
  pendingChange: PendingChange | null;
  calendarState: CalendarState;
  /** When the booking was cancelled. */
  cancelledAt: string | null;
  /** Why the booking was cancelled. */
  cancelReason: string | null;
  /** `api`: a request. `calendar`: the event was moved or deleted in the calendar. */
  by: "api" | "calendar";
};

/** Whether the recipients fit the template as it is now. */
export type CheckedRecipients = {
  /** Recipients that were checked. */
  checked: number;
  /** Recipients that do not fit the template as it is now. */
  rejected: number;
  /** The first 1,000 problems. Without any, the send accepts the new text. */
  errors: Array<RecipientProblem>;
};

/** A messaging number with its checks. */
export type CheckedSender = {
  /** UUIDv7. */
  _id: string;
  /** Name of the sender. */
  name: string;
  /** The platform's id of the number. */
  phoneNumberId: string;
  /** The platform's id of the business account. */
  businessAccountId: string;
  /** The phone number, as the platform shows it. */
  displayPhone: string | null;
  /** The name that recipients see. */
  verifiedName: string | null;
  /** Base address of the platform for this number, if not the default. */
  apiUrl: string | null;
  /** Maximum rate of this number; null: what the platform grants it. */
  messagesPerSecond: number | null;
  /** The rate in use. */
  effectiveMessagesPerSecond: number;
  pace: SenderPace;
  /** Messages per second that the platform grants the number. */
  throughput: number | null;
  /** The platform's rating of the number: `GREEN`, `YELLOW`, `RED`. */
  qualityRating: string | null;
  /** How many people the business may write to first within a day, such as `TIER_2K`. */
  messagingLimit: string | null;
  /** Whether sends without `senderId` use this sender. */
  isDefault: boolean;
  /** `halted`: messages wait in the queue until the problem is fixed. */
  status: "active" | "halted";
  /** What waits while the sender is halted. `templates`: replies to people who wrote still leave. */
  haltedScope: "all" | "templates" | null;
  /** Why the platform rejects calls of this number, and what to do. */
  haltedReason: string | null;
  /** The platform's code of the rejection. */
  haltedCode: number | null;
  /** When the sender was halted. */
  haltedAt: string | null;
  /** When the platform last posted a callback of this number. */
  lastCallbackAt: string | null;
  /** The sender's callback address. Enter it at the platform if you subscribe the app yourself. */
  callbackUrl: string;
  /** When the templates were last read from the platform. */
  templatesSyncedAt: string | null;
  /** Why the last reading failed. */
  templatesSyncFailure: string | null;
  /** When the sender was added. */
  createdAt: string;
  /** What was checked of the sender. */
  checks: Array<SenderCheck>;
};

/** As the platform documents it. */
export type Component = {
  /** `HEADER`, `BODY`, `FOOTER`, `BUTTONS` or another kind. */
  type: string;
  [other: string]: unknown;
};

/** With `provider`, `url`, `username` and `password`: connects a CalDAV account. With `busyCalendarIds` alone: sets which calendars of the connected account block slots. */
export type ConnectCalendar = {
  /** The calendar provider; one that takes a user name and a password. */
  provider?: string;
  /** Address of the CalDAV server. */
  url?: string;
  /** User name at the CalDAV server. */
  username?: string;
  /** Password. It is never returned. */
  password?: string;
  /** The calendar for bookings. Default: the default calendar of the user. */
  calendarUrl?: string;
  /** The calendars of the account that block slots. Default: the one to which bookings are written. */
  busyCalendarIds?: Array<string>;
};

/** A person, with everything that the platform calls them. `lastMessage` is the newest received message or reply, seconds behind; templates are in the list of messages. It is null if there is none or it has been removed. */
export type Contact = {
  /** Id of the contact. Two contacts that are found to be one person keep the older id. */
  _id: string;
  /** The person's number, in digits; null if the platform hides it. */
  phone: string | null;
  /** The platform's id of the person. It changes with their number. */
  userId: string | null;
  /** The name in their profile; null if the platform gave none. */
  name: string | null;
  /** When the person last wrote; null: never. */
  lastReceivedAt: string | null;
  /** The numbers that can answer the person without a template now. */
  windows: Array<{
    /** Id of the sender. */
    senderId: string;
    /** Until when the person can be answered without a template from this number: 24 hours after their last message to it. */
    closesAt: string;
  }>;
  /** What the person does not want to receive; null: they receive everything. */
  optOut: "marketing" | "all" | null;
  /** Messages received since the last reply or read mark, of the person's newest 100. Contacts from before this field existed start with 0. */
  unreadCount: number;
  lastMessage: LastMessage | null;
};

/** A message from or to a contact: `received` or `message` is set. */
export type ContactMessage = {
  /** Who sent the message. */
  direction: "received" | "sent";
  received: ReceivedMessage | null;
  message: Message | null;
};

/** The body of `contacts.opted_in` events. */
export type ContactOptedInEvent = {
  /** The kind of event. */
  event: "contacts.opted_in";
  /** When the event was created; the same on every attempt. */
  timestamp: string;
  data: OptOutChange;
};

/** The body of `contacts.opted_out` events. */
export type ContactOptedOutEvent = {
  /** The kind of event. */
  event: "contacts.opted_out";
  /** When the event was created; the same on every attempt. */
  timestamp: string;
  data: OptOutChange;
};

/** A new link. */
export type CreateDashboardLink = {
  /** Who the link is for. Default: the caller’s name. */
  name?: string;
  /** What its session may do: scopes that the caller also has. Default: all of them. */
  scopes?: Array<"templates:read" | "messages:send" | "messages:read" | "media:write" | "appointments:read" | "appointments:book" | "conversations:read" | "appointments:manage" | "webhooks:manage" | "manage">;
  /** How long the link is valid, in seconds. */
  expiresInSeconds?: number;
};

/** A new department. */
export type CreateDepartment = {
  /** Name, as guests see it. */
  name: string;
  /** What the department does. */
  description?: string | null;
  /** Inactive departments are kept but not listed. */
  active?: boolean;
};

/** A new webhook endpoint. */
export type CreateEndpoint = {
  /** Where events are posted. It must be https (the sandbox also allows http). Private, loopback, link-local and metadata addresses are rejected. */
  url: string;
  /** Description, for people. */
  description?: string;
  /** The kinds of event that the endpoint receives. Default: `messages.status`. */
  events?: Array<"messages.status" | "replies.status" | "templates.status" | "appointments.booked" | "appointments.cancelled" | "appointments.rescheduled" | "calendars.status" | "senders.status" | "messages.received" | "contacts.opted_out" | "contacts.opted_in" | "endpoints.status" | "deliveries.dead">;
  /** Your own secret: 16 to 256 printable ASCII characters. Libraries of Standard Webhooks take one without `whsec_` as a raw secret only. Default: a generated one. */
  secret?: string;
};

/** A new API key. */
export type CreateKey = {
  /** Name of the key, for people. */
  name: string;
  /** What the key may do: scopes that the calling key also has. */
  scopes: Array<"templates:read" | "messages:send" | "messages:read" | "media:write" | "appointments:read" | "appointments:book" | "conversations:read" | "appointments:manage" | "webhooks:manage" | "manage">;
  /** When the key expires. Default: when the calling key expires. */
  expiresAt?: string;
};

/** A draft. What fills the template, and `metadata`, is for recipients without their own. */
export type CreateSend = {
  /** Id of a template (`_id`), not an authentication template. */
  templateId: string;
  /** Name of the send, for your own use. */
  name?: string;
  /** Id of the sender. Default: the default sender of the business account. */
  senderId?: string;
  /** When the send starts after `start`, at most 90 days ahead. Default: at `start`. */
  sendAt?: string;
  /** How long messages may wait, from `sendAt` or the start. Default: 86,400. */
  expiresInSeconds?: number;
  /** Fills a media header: the `mediaId` of an upload. */
  mediaId?: string;
  /** Fills a media header: an https address of the file. The platform fetches it, the gateway never does. Not together with `mediaId`. */
  headerMediaUrl?: string;
  product?: Product;
  /** Payloads of quick replies, and flows. */
  buttons?: Array<ButtonInput>;
  location?: Location;
  /** When a limited-time offer ends. */
  offerExpiresAt?: string;
  /** The cards of a carousel, as many as the template has. */
  cards?: Array<CardInput>;
  catalog?: CatalogInput;
  products?: ProductsInput;
  /** Returned in message lists and webhook events. */
  metadata?: Record<string, string>;
};

/** A messaging number and its credentials. */
export type CreateSender = {
  /** Name of the sender, for people. */
  name: string;
  /** The platform's id of the number. It is not the phone number. */
  phoneNumberId: string;
  /** The platform's id of the business account. */
  businessAccountId: string;
  /** The platform's access token. It is never returned. */
  accessToken: string;
  /** The platform app's secret, 32 hexadecimal digits. It signs the platform's callbacks and is never returned. */
  appSecret: string;
  /** The platform's id of the app. Default: the app of the access token. */
  appId?: string;
  /** The token of the verification handshake of the platform. Default: a random one. It is never returned. */
  verifyToken?: string;
  /** `subscribe`: the gateway subscribes the app to the business account and enters its callback address at the platform. `manual`: you do both. Default: `subscribe` if the gateway's public address is https. */
  webhook?: "subscribe" | "manual";
  /** Registers the number with this PIN, which becomes its two-step verification PIN if it has none. The gateway tries once, because the platform locks a number after ten attempts, and does not store it. */
  pin?: string;
  /** Another base address of the platform for this number. It must be public and https, unless the operator allows others. */
  apiUrl?: string;
  /** Maximum rate of this number. Default: null, the throughput that the platform grants it. */
  messagesPerSecond?: number | null;
  /** Whether sends without `senderId` use this sender. */
  isDefault?: boolean;
};

/** A new staff member. */
export type CreateStaffMember = {
  /** Name, as guests see it. */
  name: string;
  /** Job title. */
  title?: string | null;
  /** E-mail address of the staff member. */
  email?: string | null;
  /** Ids of the departments. */
  departmentIds?: Array<string>;
  /** Inactive staff are kept but not listed. */
  active?: boolean;
  /** `required` (default): no slots and no bookings without a connected calendar. `none`: the gateway alone keeps the bookings. */
  calendar?: "required" | "none";
  /** What to do when somebody moves the calendar event of a booking. `follow` (default): reschedule the booking. `keep`: keep its time; `calendarState` shows the move. */
  onCalendarMove?: "follow" | "keep";
  /** What to do when somebody deletes the calendar event of a booking. `cancel` (default): cancel the booking. `keep`: keep it; `calendarState` shows the deletion. */
  onCalendarDelete?: "cancel" | "keep";
};

/** A draft of a template. */
export type CreateTemplate = {
  /** Name: lower-case letters, digits and underscores. */
  providerTemplateName: string;
  /** The platform's language code. */
  language: string;
  /** Category, which decides the price. */
  category: "AUTHENTICATION" | "MARKETING" | "UTILITY";
  /** For how long the platform tries to deliver a message: authentication 30 to 900, utility 30 to 43,200 (-1: 30 days), marketing 43,200 to 2,592,000. Default: the platform's. */
  messageTtlSeconds?: number | null;
  /** The platform's id of a business account with a sender here. Default: that of the default sender. */
  businessAccountId?: string;
  /** Header, body, footer and buttons; the cards of a carousel. */
  components: Array<DraftComponent>;
};

/** Who makes this request; `session` is null with an API key. */
export type CurrentCaller = {
  /** The account. */
  account: {
    /** UUIDv7. */
    _id: string;
    /** Its name. */
    name: string;
  };
  /** What this request may do, with the scopes that `manage` includes. */
  scopes: Array<string>;
  /** The key with which the session ends; null for a link of the command line. */
  key: {
    /** UUIDv7. */
    _id: string;
    /** Its name. */
    name: string | null;
  } | null;
  session: Session | null;
};

/** Position in a list without a count. */
export type CursorPagination = {
  /** Items per page. */
  limit: number;
  /** The `cursor` of the next page; null on the last page. */
  nextCursor: string | null;
};

/** A link that nobody has used yet. */
export type DashboardLink = {
  /** UUIDv7. */
  _id: string;
  /** Name that you gave the link; its session has it too. */
  name: string;
  /** What its session may do. */
  scopes: Array<string>;
  /** When the link was created. */
  createdAt: string;
  /** When the link expires, if nobody uses it. */
  expiresAt: string;
};

/** Deliveries of an endpoint became dead. Sent to the other endpoints of the account, at most once a minute for each endpoint; never about deliveries of operational events. */
export type DeadDeliveries = {
  /** The endpoint that did not get them. */
  endpointId: string;
  /** How many deliveries became dead. */
  count: number;
  /** When the first of them became dead. */
  from: string;
  /** When the last of them became dead. */
  to: string;
  /** How many for each reason: the `lastFailure` of the deliveries. */
  reasons: Record<string, number>;
};

/** The body of `deliveries.dead` events. */
export type DeadDeliveriesEvent = {
  /** The kind of event. */
  event: "deliveries.dead";
  /** When the event was created; the same on every attempt. */
  timestamp: string;
  data: DeadDeliveries;
};

/** What was deleted. */
export type Deleted = {
  /** UUIDv7. */
  _id: string;
};

/** The deleted file. */
export type DeletedMedia = {
  /** Id of the deleted file. */
  mediaId: string;
};

/** What was deleted. */
export type DeletedSend = {
  /** Id of the deleted draft. */
  sendId: string;
};

/** The deleted template. */
export type DeletedTemplate = {
  /** UUIDv7. */
  _id: string;
  /** Number of queued messages that were cancelled. */
  cancelled: number;
};

/** An event on its way to one endpoint. */
export type Delivery = {
  /** UUIDv7. */
  _id: string;
  /** Id of the endpoint. */
  endpointId: string;
  /** The kind of event. */
  event: string;
  /** The stage of the message that the event reports; null for other events. */
  stage: "sent" | "delivered" | "read" | "failed" | null;
  /** The platform's message identifier; null for events of another subject. */
  messageId: string | null;
  /** `dead`: the gateway gave up; the delivery can be replayed. */
  status: "pending" | "delivered" | "dead";
  /** Attempts so far. */
  attempts: number;
  /** When the next attempt is due; null while the endpoint is paused or disabled. A delivery that waits for an earlier stage is due when that stage has ended, at this instant at the latest. */
  nextAttemptAt: string | null;
  /** HTTP status of the last attempt. */
  lastStatusCode: number | null;
  /** How the last attempt failed, or what happened to the endpoint before an attempt succeeded. */
  lastFailure: "timeout" | "refused" | "dns" | "tls" | "reset" | "status" | "blocked_address" | "too_large" | "endpoint_disabled" | "endpoint_deleted" | null;
  /** When the delivery was created. */
  createdAt: string;
  /** When the receiver accepted the event. */
  deliveredAt: string | null;
};

/** A delivery with its body and attempts. */
export type DeliveryDetail = {
  /** UUIDv7. */
  _id: string;
  /** Id of the endpoint. */
  endpointId: string;
  /** The kind of event. */
  event: string;
  /** The stage of the message that the event reports; null for other events. */
  stage: "sent" | "delivered" | "read" | "failed" | null;
  /** The platform's message identifier; null for events of another subject. */
  messageId: string | null;
  /** `dead`: the gateway gave up; the delivery can be replayed. */
  status: "pending" | "delivered" | "dead";
  /** Attempts so far. */
  attempts: number;
  /** When the next attempt is due; null while the endpoint is paused or disabled. A delivery that waits for an earlier stage is due when that stage has ended, at this instant at the latest. */
  nextAttemptAt: string | null;
  /** HTTP status of the last attempt. */
  lastStatusCode: number | null;
  /** How the last attempt failed, or what happened to the endpoint before an attempt succeeded. */
  lastFailure: "timeout" | "refused" | "dns" | "tls" | "reset" | "status" | "blocked_address" | "too_large" | "endpoint_disabled" | "endpoint_deleted" | null;
  /** When the delivery was created. */
  createdAt: string;
  /** When the receiver accepted the event. */
  deliveredAt: string | null;
  /** The exact bytes of the request body. */
  body: string;
  /** The attempts, in order. */
  attemptLog: Array<Attempt>;
};

/** A department. */
export type Department = {
  /** UUIDv7. */
  _id: string;
  /** Name of the department. */
  name: string;
  /** What the department does. */
  description: string | null;
  /** Inactive departments are kept but not listed. */
  active: boolean;
  /** When the department was created. */
  createdAt: string;
};

/** A button, as the platform documents it. */
export type DraftButton = {
  /** Kind of button, such as `URL`. */
  type: string;
  /** Label. */
  text?: string;
  /** Address of a `URL` button. */
  url?: string;
  [other: string]: unknown;
};

/** A card of a carousel. */
export type DraftCard = {
  /** Header, body and buttons. */
  components: Array<DraftCardComponent>;
  [other: string]: unknown;
};

/** A component of a card, as the platform documents it. */
export type DraftCardComponent = {
  /** `HEADER`, `BODY`, `FOOTER` or `BUTTONS`. */
  type: string;
  /** Kind of header: `TEXT`, `IMAGE`, `VIDEO`, `DOCUMENT` or `LOCATION`. */
  format?: string;
  /** Text with placeholders such as `{{1}}`. */
  text?: string;
  /** The buttons. */
  buttons?: Array<DraftButton>;
  /** Example values, which the platform reviews. */
  example?: Record<string, unknown>;
  /** Sample of a media header: the `mediaId` of an upload. The gateway sends it to the platform with the submission. */
  mediaId?: string;
  [other: string]: unknown;
};

/** A component, as the platform documents it. Other members are passed to the platform. */
export type DraftComponent = {
  /** `HEADER`, `BODY`, `FOOTER` or `BUTTONS`. */
  type: string;
  /** Kind of header: `TEXT`, `IMAGE`, `VIDEO`, `DOCUMENT` or `LOCATION`. */
  format?: string;
  /** Text with placeholders such as `{{1}}`. */
  text?: string;
  /** The buttons. */
  buttons?: Array<DraftButton>;
  /** Example values, which the platform reviews. */
  example?: Record<string, unknown>;
  /** Sample of a media header: the `mediaId` of an upload. The gateway sends it to the platform with the submission. */
  mediaId?: string;
  /** The cards of a `CAROUSEL`. */
  cards?: Array<DraftCard>;
  [other: string]: unknown;
};

/** What to change; `components` replaces all of them. */
export type EditTemplate = {
  /** Header, body, footer and buttons; the cards of a carousel. */
  components?: Array<DraftComponent>;
  /** Category, which decides the price. */
  category?: "AUTHENTICATION" | "MARKETING" | "UTILITY";
  /** For how long the platform tries to deliver a message: authentication 30 to 900, utility 30 to 43,200 (-1: 30 days), marketing 43,200 to 2,592,000. Default: the platform's. */
  messageTtlSeconds?: number | null;
};

/** The session that ended. */
export type EndedSession = {
  /** UUIDv7. */
  _id: string;
};

/** A webhook endpoint. */
export type Endpoint = {
  /** UUIDv7. */
  _id: string;
  /** Where events are posted. */
  url: string;
  /** Description, for people. */
  description: string | null;
  /** The kinds of event that the endpoint receives. */
  events: Array<string>;
  /** `paused`: events are kept. `disabled`: the gateway gave up; deliveries become dead. */
  status: "active" | "paused" | "disabled";
  /** Why the endpoint is disabled. */
  disabledReason: string | null;
  /** Since when no delivery has succeeded. */
  failingSince: string | null;
  /** The gateway delivers nothing before this instant, after failures or because the receiver requested it with Retry-After. `PATCH` with `status: active`, or a successful test event, clears it. */
  restingUntil: string | null;
  /** Deliveries that wait in the database: due, to be retried, or behind an earlier stage. At most 10,000 are counted. */
  waiting: number;
  rotation: SecretRotation | null;
  /** When the endpoint was created. */
  createdAt: string;
};

/** An endpoint and what changed. Sent to the other endpoints of the account. */
export type EndpointChange = {
  endpoint: Endpoint;
  /** What changed. */
  changed: Array<{
    /** What changed. */
    name: "status";
    /** The previous status. */
    from: string;
    /** The new status. */
    to: string;
  }>;
};

/** The body of `endpoints.status` events. */
export type EndpointStatusEvent = {
  /** The kind of event. */
  event: "endpoints.status";
  /** When the event was created; the same on every attempt. */
  timestamp: string;
  data: EndpointChange;
};

/** Exactly one of `phone`, `userId` and `email`. */
export type ErasePerson = {
  /** The number of the person, with the country code. */
  phone?: string;
  /** The platform's id of the person. */
  userId?: string;
  /** The address that bookings of the person have. */
  email?: string;
  /** Cancel their open bookings. Default false: 409 `booking_open`. */
  cancelBookings?: boolean;
};

/** What was erased, and what was not. */
export type Erasure = {
  /** Id of the erasure, also in the audit log. */
  _id: string;
  /** False: the rest is erased within minutes, also if this process dies. Repeat the request to see it. */
  finished: boolean;
  /** Messages that were erased by now. */
  messages: number;
  /** Received messages. */
  received: number;
  /** Recipients of drafts, scheduled and paused sends, who were removed. */
  recipients: number;
  /** Webhook deliveries. */
  deliveries: number;
  /** Bookings. */
  bookings: number;
  /** Events that stay in the calendars of staff, with what they say about the person: delete them there. */
  calendarEvents: Array<RemainingEvent>;
  /** What backups keep. */
  backups: string;
};

/** An event whose times are uncertain. */
export type EventProblem = {
  /** Address of the event in the calendar. */
  event: string;
  /** What is wrong. */
  problem: "time_zone_unknown" | "event_unreadable";
  /** The problem in words. */
  message: string;
};

/** Events within the booking window whose times are uncertain. They block the times that can be read. Null if the provider expands events itself, or the calendar could not be queried. */
export type EventProblems = {
  /** Number of such events. */
  count: number;
  /** The first 20. */
  items: Array<EventProblem>;
};

/** Why the slots of one date are open or not. */
export type ExplainedSlots = {
  /** Id of the staff member. */
  appointmentUserId: string;
  /** The requested date, `YYYY-MM-DD`. */
  date: string;
  /** IANA time zone of `date`, `from` and `to`. */
  timezone: string;
  /** Length of a slot, in minutes. */
  slotMinutes: number;
  /** Minutes from one start to the next. */
  slotStepMinutes: number;
  /** The steps of the date, in order: those of the opening hours, and in between every `slotStepMinutes` from midnight. */
  steps: Array<ExplainedStep>;
};

/** A time at which a slot starts, or would start. */
export type ExplainedStep = {
  /** Local start, `HH:MM`. */
  from: string;
  /** Local end, `HH:MM`. */
  to: string;
  /** Start; null for a local time that the clocks skip. */
  startsAt: string | null;
  /** End; null for a local time that the clocks skip. */
  endsAt: string | null;
  /** True if the slot can be booked: the same as in `available-slots`. */
  open: boolean;
  /** All reasons why it is not open; none if it is. */
  reasons: Array<"outside_hours" | "window" | "notice" | "clock_change" | "daily_limit" | "booked" | "calendar_busy">;
  by: TakenBy | null;
};

/** The body of every failure. */
export type Failure = {
  /** False for every failure. */
  success: false;
  /** What happened and what to do about it. */
  message: string;
  /** Stable error code in snake_case. */
  code: string;
  /** The `X-Request-Id` of the response. */
  requestId: string;
  /** The problems of the request, at most one per path. */
  errors?: Array<Problem>;
  /** True if there are more problems than `errors` lists. */
  errorsTruncated?: boolean;
  provider?: ProviderError;
};

/** A reason for which messages failed. */
export type FailureReason = {
  /** The platform's code, or one of ours from 900001; null if it gave none. */
  code: number | null;
  /** Short name of the error. */
  title: string | null;
  /** Messages that ended with it. */
  failed: number;
  /** When the last of them failed. */
  lastAt: string;
};

/** Failed messages by their reason, as they are now. */
export type FailureStatistics = {
  /** Since when messages are counted: `from`, or later if there are more than 20,000 failures in the range. */
  countedFrom: string;
  /** The most frequent reason first, at most 100. */
  items: Array<FailureReason>;
};

/** How a flow button opens its flow. */
export type FlowInput = {
  /** Returned with the answers. */
  token?: string;
  /** Values for the first screen, at most 8 KB as JSON. */
  data?: Record<string, unknown>;
};

/** An answer to one question of the booking form. */
export type FormAnswer = {
  /** The question's id; wins over its text. */
  _id?: string | null;
  /** Text of the question, as listed. */
  question?: string | null;
  /** Kind of answer, as listed. */
  questionType?: string | null;
  /** Ignored: the setting of the staff member applies. */
  isRequired?: boolean | null;
  /** Text. For `multiselect` a JSON array as text. For `checkbox` `true` or `false`; a required checkbox must be `true`. */
  answer: string | number | boolean | Array<string> | null;
  /** Ignored. */
  options?: Array<string> | null;
  /** Ignored. */
  placeholder?: string | null;
};

/** A question of the booking form. */
export type FormQuestion = {
  /** UUIDv7. */
  _id: string;
  /** Text of the question. */
  question: string;
  /** Kind of answer. */
  questionType: "phone" | "email" | "text" | "textarea" | "number" | "date" | "select" | "multiselect" | "checkbox" | "url";
  /** Whether a booking must answer the question. */
  isRequired: boolean;
  /** The choices of `select` and `multiselect`. */
  options: Array<string>;
  /** Hint for an empty input field. */
  placeholder: string | null;
};

/** The form questions of a staff member. */
export type FormQuestions = {
  /** The questions, in order. */
  items: Array<FormQuestion>;
};

/** A question of the booking form with its answer. */
export type GivenAnswer = {
  /** Id of the question. */
  _id: string;
  /** Text of the question at the time of the booking. */
  question: string;
  /** Kind of answer. */
  questionType: string;
  /** Whether the question had to be answered. */
  isRequired: boolean;
  /** The answer, as text. */
  answer: string;
};

/** What became of the rows. */
export type ImportedOptOuts = {
  /** Rows that changed what a person receives. */
  changed: number;
  /** Rows of people who had opted out already, or for whom a newer decision counts. */
  unchanged: number;
  /** Rows with a problem; they change nothing. */
  rejected: number;
  /** The first 1,000 problems. */
  errors: Array<OptOutRowProblem>;
};

/** An API key without its secret. */
export type Key = {
  /** UUIDv7. */
  _id: string;
  /** Name that you gave the key. */
  name: string;
  /** What the key may do. */
  scopes: Array<string>;
  /** The last four characters of the key. */
  hint: string;
  /** When the key was created. */
  createdAt: string;
  /** When the key expires; null: never. */
  expiresAt: string | null;
  /** When the key was last used, to the minute; null: never. */
  lastUsedAt: string | null;
};

/** The newest message of a conversation. */
export type LastMessage = {
  /** Who sent the message. */
  direction: "received" | "sent";
  /** Id of the received message or of the reply. */
  id: string;
  /** Of a received message the platform's own word; of a reply `text`, `image`, `video`, `document`, `audio`, `sticker`, `location`, `contacts`, `reaction`, `buttons`, `list` or `link`. */
  type: string;
  /** The beginning of its text or caption, up to 200 characters; null without. */
  text: string | null;
  /** Stage of a reply; null for a received message. */
  status: "queued" | "dispatching" | "accepted" | "sent" | "delivered" | "read" | "failed" | null;
  /** When it was sent. */
  at: string;
};

/** A dashboard link. */
export type LinkToken = {
  /** The text after `#link=` in a dashboard link. */
  link: string;
};

/** A booking, with the name of the staff member. */
export type ListedBooking = {
  /** UUIDv7. */
  _id: string;
  /** Id of the booking (UUIDv7). */
  bookingId: string;
  /** `held`: being written to the calendar. `undoing` and `undone`: given up, because the calendar could not confirm it. */
  status: "held" | "confirmed" | "undoing" | "undone" | "cancelled";
  /** Id of the staff member. */
  appointmentUserId: string;
  /** Civil date in `timezone`, `YYYY-MM-DD`. */
  date: string;
  /** Local start, `HH:MM`. */
  from: string;
  /** Local end, `HH:MM`. */
  to: string;
  /** IANA time zone of `date`, `from` and `to`. */
  timezone: string;
  /** Start of the appointment. */
  startsAt: string;
  /** End of the appointment. */
  endsAt: string;
  /** Link of the video meeting. */
  meetingLink: string | null;
  /** Whether the calendar invites the guest by e-mail. `false`: nobody does, so send the guest `meetingLink`. `null`: not known; a CalDAV server decides this itself. */
  guestInvited: boolean | null;
  /** Id of the event in the calendar. */
  calendarEventId: string | null;
  /** Link to the event in the calendar. */
  calendarEventLink: string | null;
  /** E-mail address of the guest. */
  email: string;
  /** Phone number of the guest, digits only. */
  phoneNumber: string;
  /** Name of the guest. */
  name: string | null;
  /** Label of the origin of the booking. */
  source: string;
  /** When the booking was made. */
  createdAt: string;
  /** The answered form questions. */
  staticQuestionAnswers: Array<GivenAnswer>;
  pendingChange: PendingChange | null;
  calendarState: CalendarState;
  /** When the booking was cancelled. */
  cancelledAt: string | null;
  /** Why the booking was cancelled. */
  cancelReason: string | null;
  /** Name of the staff member, also of one who was deleted. */
  staffName: string;
};

/** Fills a location header. */
export type Location = {
  /** Degrees north. */
  latitude: number;
  /** Degrees east. */
  longitude: number;
  /** Name of the place. */
  name: string;
  /** Address of the place. */
  address: string;
};

/** How to mark the message. */
export type MarkRead = {
  /** Also show for up to 25 seconds, or until your reply, that an answer is being typed. */
  typing?: boolean;
};

/** A message that was marked as read. */
export type MarkedRead = {
  /** Id of the received message. */
  _id: string;
  /** The platform's id of the message. */
  messageId: string;
  /** Whether typing is shown. */
  typing: boolean;
};

/** An uploaded file. */
export type Media = {
  /** The platform's id of the file; use it in sends. */
  mediaId: string;
  /** The kind of header that takes the file. */
  kind: "image" | "video" | "document";
  /** Name of the file. */
  fileName: string;
  /** Media type of the file. */
  mimeType: string;
  /** Size in bytes. */
  size: number;
  /** SHA-256 of the file as it was uploaded, 64 hex digits. */
  sha256: string;
  /** When the file was uploaded. */
  createdAt: string;
};

/** A message to one recipient. */
export type Message = {
  /** Id of the message (UUIDv7). */
  id: string;
  /** The platform's message identifier; null until the platform accepts the message. */
  messageId: string | null;
  /** A message of a send, or a reply. */
  kind: "template" | "reply";
  /** Id of the send (UUIDv7); null for a reply. */
  sendId: string | null;
  /** Id of the template; null for a reply. */
  templateId: string | null;
  /** Name of the template; null for a reply. */
  templateName: string | null;
  /** Language of the template; null for a reply. */
  language: string | null;
  /** Category of the template when it was sent; null for a reply. */
  category: "AUTHENTICATION" | "UTILITY" | "MARKETING" | null;
  /** Id of the sender. */
  senderId: string;
  /** As the request gave it; null for a reply to a `userId`. */
  recipientPhone: string | null;
  /** The platform's id of the person, if a reply is addressed by it. */
  recipientUserId: string | null;
  /** As the request gave it. */
  name: string | null;
  /** The last stage that was reached. */
  status: "queued" | "dispatching" | "accepted" | "sent" | "delivered" | "read" | "failed";
  error: MessageError | null;
  /** The values, by the keys that `inputs` of the template shows. A one-time code is `••••`. Null without the scope `conversations:read`. */
  variables: Record<string, string> | null;
  /** The body as its recipient sees it. A one-time code is `••••`. Null without the scope `conversations:read`, and if the template was removed before the gateway stored earlier texts. */
  text: string | null;
  reply: SentReply | null;
  /** `sent`: the text is that of the template when the message was sent. `later`: that text is not stored, so `text` shows a later one. Null without text. */
  textSource: "sent" | "later" | null;
  /** The platform's price category. */
  priceCategory: string | null;
  /** Whether the platform charges for the message; null until it reports that. */
  billable: boolean | null;
  /** Calls of the platform so far. */
  attempts: number;
  /** As the request gave it. */
  metadata: Record<string, string> | null;
  /** The message that resent the content of this failed one. */
  resentAs: string | null;
  /** The failed message whose content this one resends. */
  resendOf: string | null;
  /** When the message fails if it is still queued; null before its draft is started. */
  expiresAt: string | null;
  /** The stages so far, in order. */
  timeline: Array<Stage>;
  /** When the message was created. */
  createdAt: string;
};

/** A message with its parts and its webhook deliveries. */
export type MessageDetail = {
  /** Id of the message (UUIDv7). */
  id: string;
  /** The platform's message identifier; null until the platform accepts the message. */
  messageId: string | null;
  /** A message of a send, or a reply. */
  kind: "template" | "reply";
  /** Id of the send (UUIDv7); null for a reply. */
  sendId: string | null;
  /** Id of the template; null for a reply. */
  templateId: string | null;
  /** Name of the template; null for a reply. */
  templateName: string | null;
  /** Language of the template; null for a reply. */
  language: string | null;
  /** Category of the template when it was sent; null for a reply. */
  category: "AUTHENTICATION" | "UTILITY" | "MARKETING" | null;
  /** Id of the sender. */
  senderId: string;
  /** As the request gave it; null for a reply to a `userId`. */
  recipientPhone: string | null;
  /** The platform's id of the person, if a reply is addressed by it. */
  recipientUserId: string | null;
  /** As the request gave it. */
  name: string | null;
  /** The last stage that was reached. */
  status: "queued" | "dispatching" | "accepted" | "sent" | "delivered" | "read" | "failed";
  error: MessageError | null;
  /** The values, by the keys that `inputs` of the template shows. A one-time code is `••••`. Null without the scope `conversations:read`. */
  variables: Record<string, string> | null;
  /** The body as its recipient sees it. A one-time code is `••••`. Null without the scope `conversations:read`, and if the template was removed before the gateway stored earlier texts. */
  text: string | null;
  reply: SentReply | null;
  /** `sent`: the text is that of the template when the message was sent. `later`: that text is not stored, so `text` shows a later one. Null without text. */
  textSource: "sent" | "later" | null;
  /** The platform's price category. */
  priceCategory: string | null;
  /** Whether the platform charges for the message; null until it reports that. */
  billable: boolean | null;
  /** Calls of the platform so far. */
  attempts: number;
  /** As the request gave it. */
  metadata: Record<string, string> | null;
  /** The message that resent the content of this failed one. */
  resentAs: string | null;
  /** The failed message whose content this one resends. */
  resendOf: string | null;
  /** When the message fails if it is still queued; null before its draft is started. */
  expiresAt: string | null;
  /** The stages so far, in order. */
  timeline: Array<Stage>;
  /** When the message was created. */
  createdAt: string;
  parts: MessageParts | null;
  /** Its webhook deliveries, oldest first. */
  deliveries: Array<Delivery>;
};

/** Why a message failed; only with status `failed`. */
export type MessageError = {
  /** The platform's error code; from 900001 the gateway's own. */
  code: number;
  /** Short name of the error. */
  title: string;
  /** Explanation of the error. */
  message: string;
};

/** The text of every part, as in a preview of the template. Null without the scope `conversations:read`, and without `text`. */
export type MessageParts = {
  header: RenderedHeader | null;
  /** Text of the body. */
  body: string;
  /** The buttons, in order. */
  buttons: Array<RenderedButton>;
  /** Text of the footer. */
  footer: string | null;
  offer: RenderedOffer | null;
  /** The cards of a carousel; empty for other templates. */
  cards: Array<RenderedCard>;
};

/** The body of `messages.received` events. */
export type MessageReceivedEvent = {
  /** The kind of event. */
  event: "messages.received";
  /** When the event was created; the same on every attempt. */
  timestamp: string;
  data: ReceivedMessage;
};

/** Messages by the stage that they entered in an interval. Each message counts once in every stage that it enters. */
export type MessageStatistics = {
  /** Start of the interval. The first one can begin before `from`; it counts from there. */
  at: string;
  /** With `by=sender`: the sender. */
  senderId?: string;
  /** With `by=template`: the template; null for replies. */
  templateId?: string | null;
  /** With `by=category`: `AUTHENTICATION`, `UTILITY` or `MARKETING`; null for replies. */
  category?: string | null;
  /** Messages that entered the queue. */
  queued: number;
  /** Messages that the platform accepted. */
  accepted: number;
  /** Messages that the platform sent. */
  sent: number;
  /** Messages that were delivered. */
  delivered: number;
  /** Messages that were read. */
  read: number;
  /** Messages that failed, without failures that a later report replaced. */
  failed: number;
  /** Of `failed`: messages to people who had opted out (900005). */
  optedOut: number;
};

/** Counts by interval. */
export type MessageStatisticsList = {
  /** Everything that was recorded before this instant is counted. */
  foldedUntil: string;
  /** By `at`. Intervals in which nothing was counted are left out. */
  items: Array<MessageStatistics>;
};

/** A message reached a stage. */
export type MessageStatus = {
  /** The platform's identifier, as the send returned it; `id` if the platform assigned none. */
  messageId: string;
  /** The stage that was reached. */
  status: "sent" | "delivered" | "read" | "failed";
  /** As the caller gave it. */
  recipientPhone: string;
  /** The platform's time, in epoch seconds. */
  timestamp: number;
  error: MessageError | null;
  /** Id of the message (UUIDv7). */
  id: string;
  /** Id of the send. */
  sendId: string;
  /** As the send gave it. */
  metadata: Record<string, string>;
};

/** The body of `messages.status` events. */
export type MessageStatusEvent = {
  /** The kind of event. */
  event: "messages.status";
  /** When the event was created; the same on every attempt. */
  timestamp: string;
  data: MessageStatus;
};

/** For `bookings_missing` only. */
export type MissingBookings = {
  /** Future bookings whose events are missing. */
  count: number;
  /** Future bookings in total. */
  of: number;
  /** Up to 100 of them. */
  bookingIds: Array<string>;
};

/** A link with its secret. */
export type NewDashboardLink = {
  /** UUIDv7. */
  _id: string;
  /** Name that you gave the link; its session has it too. */
  name: string;
  /** What its session may do. */
  scopes: Array<string>;
  /** When the link was created. */
  createdAt: string;
  /** When the link expires, if nobody uses it. */
  expiresAt: string;
  /** The link. Shown only once; valid once. */
  url: string;
};

/** A webhook endpoint with its secret. */
export type NewEndpoint = {
  /** UUIDv7. */
  _id: string;
  /** Where events are posted. */
  url: string;
  /** Description, for people. */
  description: string | null;
  /** The kinds of event that the endpoint receives. */
  events: Array<string>;
  /** `paused`: events are kept. `disabled`: the gateway gave up; deliveries become dead. */
  status: "active" | "paused" | "disabled";
  /** Why the endpoint is disabled. */
  disabledReason: string | null;
  /** Since when no delivery has succeeded. */
  failingSince: string | null;
  /** The gateway delivers nothing before this instant, after failures or because the receiver requested it with Retry-After. `PATCH` with `status: active`, or a successful test event, clears it. */
  restingUntil: string | null;
  /** Deliveries that wait in the database: due, to be retried, or behind an earlier stage. At most 10,000 are counted. */
  waiting: number;
  rotation: SecretRotation | null;
  /** When the endpoint was created. */
  createdAt: string;
  /** The secret. Shown only once; store it now. */
  secret: string;
};

/** An API key with its secret. */
export type NewKey = {
  /** UUIDv7. */
  _id: string;
  /** Name that you gave the key. */
  name: string;
  /** What the key may do. */
  scopes: Array<string>;
  /** The last four characters of the key. */
  hint: string;
  /** When the key was created. */
  createdAt: string;
  /** When the key expires; null: never. */
  expiresAt: string | null;
  /** When the key was last used, to the minute; null: never. */
  lastUsedAt: string | null;
  /** The key. Shown only once; store it now. */
  apiKey: string;
};

/** A category that the platform announced for the template. */
export type NextCategory = {
  /** The category. */
  category: string;
  /** When the template gets it; null if the platform gave no time. */
  at: string | null;
};

/** What a dashboard link gives. */
export type OfferedLink = {
  /** The account that the link opens. */
  account: {
    /** Its name. */
    name: string;
  };
  /** Name of the link; its session has it too. */
  name: string;
  /** What its session may do. */
  scopes: Array<string>;
  /** Name of the key of its maker; null for a link of the command line. */
  madeBy: string | null;
  /** When the link expires, if nobody uses it. */
  expiresAt: string;
};

/** What `doctor` finds, backups and disks. */
export type OperatorHealth = {
  /** Whether nothing failed. */
  ok: boolean;
  /** When the checks were made; they are repeated after 10 seconds at the earliest. */
  checkedAt: string;
  /** The program's version. */
  version: string;
  /** In the order of `doctor`. */
  findings: Array<{
    /** What was checked. */
    check: string;
    /** `note`: somebody should look at it; `failed`: something does not work. */
    status: "ok" | "note" | "failed";
    /** What was found. */
    text: string;
    /** What to do. */
    fix: string | null;
  }>;
  /** How backups are doing. */
  backups: {
    /** Whether a worker makes backups (`BACKUP_TO`). */
    scheduled: boolean;
    /** Hours between two of them. */
    everyHours: number;
    /** The moment that the last good backup shows. */
    lastGoodAt: string | null;
    /** Its size. */
    lastGoodBytes: number | null;
    /** How long it took. */
    lastGoodSeconds: number | null;
    /** Failed ones since. */
    failures: number;
    /** Why the last one failed. */
    lastFailure: string | null;
  };
  /** The disks of the machine that answered. */
  disks: Array<{
    /** `data`, `objects` or `backups`. */
    use: string;
    /** The folder. */
    path: string;
    /** Space left for the gateway. */
    freeBytes: number;
    /** Size of the disk. */
    totalBytes: number;
  }>;
};

/** A person who does not want messages. It holds for all numbers and ids of their contact. */
export type OptOut = {
  /** Id of the opt-out; another one each time a person opts out. */
  _id: string;
  /** The person's number, in digits; null if the platform hides it. */
  phone: string | null;
  /** The platform's id of the person. */
  userId: string | null;
  /** What the person does not receive. `marketing`: marketing templates. `all`: every template but authentication ones. Replies are always sent. */
  scope: "marketing" | "all";
  /** Who decided it last: the platform’s preference notice, a stop or start word, a button, the platform’s error 131050, or this API. */
  source: "platform" | "keyword" | "button" | "error_131050" | "api";
  /** Why, for people. */
  reason: string | null;
  /** When the opt-out was recorded. */
  createdAt: string;
};

/** A change of what a person receives. */
export type OptOutChange = {
  /** Id of the contact. */
  contactId: string;
  /** The person's number, in digits; null if the platform hides it. */
  phone: string | null;
  /** Every number of the contact: those that you sent to, and the platform’s own form of them. */
  phones: Array<string>;
  /** The platform's id of the person. */
  userId: string | null;
  /** What the person does not receive now; null: they receive everything. */
  scope: "marketing" | "all" | null;
  /** What they did not receive before. */
  previousScope: "marketing" | "all" | null;
  /** Who decided it last: the platform’s preference notice, a stop or start word, a button, the platform’s error 131050, or this API. */
  source: "platform" | "keyword" | "button" | "error_131050" | "api";
  /** Why, for people. */
  reason: string | null;
  /** When the person or the API decided it, in epoch seconds. */
  timestamp: number;
};

/** A problem of one row. */
export type OptOutRowProblem = {
  /** Number of the row; the header is row 1. */
  row: number;
  /** The column; empty for the whole row. */
  path: string;
  /** What is wrong and what is allowed. */
  message: string;
};

/** The words and buttons by which people opt out. */
export type OptOutSettings = {
  /** A text message that is one of these words, in upper or lower case, opts its writer out of marketing. Empty: off. */
  stopWords: Array<string>;
  /** A text message that is one of these words opts its writer in again. Empty: off. */
  startWords: Array<string>;
  /** Pressing a quick-reply button with one of these payloads, exactly, opts the person out of marketing. Empty: off. */
  buttonPayloads: Array<string>;
  /** Automatic answers. */
  reply: {
    /** Sent to a person who opts out by a word or a button, as a reply, at most once a person and day; null: nothing is sent. */
    stop: string | null;
    /** Sent to a person who opts in again by a word or a button, as a reply, at most once a person and day; null: nothing is sent. */
    start: string | null;
  };
  /** Words to choose from, by language. None of them is on until you set it. */
  suggested: Array<SuggestedWords>;
};

/** CSV in UTF-8 with a header line. Columns: `phone` or `userId`, or both; `otherPhones` (other numbers of the person, separated by spaces), `scope` (default `marketing`), `reason`, `createdAt` (when it was decided; default: now). `source` is ignored. */
export type OptOutsFile = string;

/** What a start page shows. */
export type Overview = {
  /** Everything that was recorded before this instant is counted. */
  foldedUntil: string;
  today: OverviewCounts;
  last30Days: OverviewMonth;
  /** Messages that wait to be sent; null without the scope `messages:read`. */
  queue: {
    /** Queued messages; at most 100,000 are counted. Recipients of campaigns that are not fed yet are not included. */
    waiting: number;
    /** When the oldest of them was created; null if the queue is empty. */
    oldestAt: string | null;
  } | null;
  /** Halted senders, at most 100; null without the scope `manage`. */
  haltedSenders: Array<{
    /** UUIDv7. */
    _id: string;
    /** Its name. */
    name: string;
    /** The number as people see it. */
    displayPhone: string | null;
    /** When it was halted. */
    haltedAt: string;
    /** Why. */
    haltedReason: string | null;
    /** The platform's code of the rejection. */
    haltedCode: number | null;
  }> | null;
  /** Endpoints that fail or are disabled; null without the scope `webhooks:manage`. */
  failingEndpoints: Array<{
    /** UUIDv7. */
    _id: string;
    /** Its URL. */
    url: string;
    /** `active`, `paused` or `disabled`. */
    status: string;
    /** Why it is disabled. */
    disabledReason: string | null;
    /** Since when no delivery has succeeded. */
    failingSince: string | null;
    /** The gateway delivers nothing before this instant. */
    restingUntil: string | null;
  }> | null;
  /** Failed checks of senders, at most 100; null without the scope `manage`. */
  failedChecks: Array<{
    /** The sender. */
    senderId: string;
    /** Its name. */
    senderName: string;
    /** What was checked. */
    check: string;
    /** What was found. */
    detail: string;
    /** What to do. */
    fix: string | null;
    /** When it was checked. */
    checkedAt: string;
  }> | null;
  /** Templates that the platform rejected, paused or disabled, at most 100; null without the scope `templates:read`. */
  stoppedTemplates: Array<{
    /** UUIDv7. */
    _id: string;
    /** Its name at the platform. */
    name: string;
    /** The platform's language code. */
    language: string;
    /** `REJECTED`, `PAUSED`, `DISABLED`, or `DELETED`: the platform no longer has it, and messages wait. */
    providerStatus: string;
    /** Why the platform rejected it. */
    rejectedReason: string | null;
  }> | null;
  /** Calendars to reconnect, at most 100; null without the scope `appointments:read`. */
  disconnectedCalendars: Array<{
    /** The staff member. */
    appointmentUserId: string;
    /** Name of the staff member. */
    name: string;
    /** The kind of calendar. */
    provider: string;
    /** When the authorization was found to be revoked. */
    disconnectedAt: string;
    /** What the calendar answered. */
    error: string | null;
  }> | null;
  /** The next five confirmed bookings, by their start; null without the scope `appointments:manage`. */
  nextBookings: Array<ListedBooking> | null;
};

/** Counts, as in the statistics. */
export type OverviewCounts = {
  /** Messages by the stage that they entered; null without the scope `messages:read`. */
  messages: {
    /** Messages that entered the queue. */
    queued: number;
    /** Messages that the platform accepted. */
    accepted: number;
    /** Messages that the platform sent. */
    sent: number;
    /** Messages that were delivered. */
    delivered: number;
    /** Messages that were read. */
    read: number;
    /** Messages that failed, without failures that a later report replaced. */
    failed: number;
    /** Of `failed`: messages to people who had opted out (900005). */
    optedOut: number;
  } | null;
  /** Attempts to deliver webhook events; null without the scope `webhooks:manage`. */
  webhooks: {
    /** Attempts. */
    attempts: number;
    /** Attempts that succeeded. */
    delivered: number;
    /** Attempts that failed. */
    failed: number;
    /** Deliveries that were given up. */
    dead: number;
    /** Half of the attempts took no longer, in ms and at most 10 % off; null without attempts. */
    p50Ms: number | null;
    /** 95 % of the attempts took no longer, in ms and at most 10 % off; null without attempts. */
    p95Ms: number | null;
  } | null;
  /** Bookings; null without the scope `appointments:read`. */
  appointments: {
    /** Bookings that were confirmed. */
    booked: number;
    /** Bookings that were moved, also in the calendar. */
    rescheduled: number;
    /** Bookings that were cancelled, also in the calendar. */
    cancelled: number;
  } | null;
};

/** The last 30 days with today. */
export type OverviewMonth = {
  /** Messages by the stage that they entered; null without the scope `messages:read`. */
  messages: {
    /** Messages that entered the queue. */
    queued: number;
    /** Messages that the platform accepted. */
    accepted: number;
    /** Messages that the platform sent. */
    sent: number;
    /** Messages that were delivered. */
    delivered: number;
    /** Messages that were read. */
    read: number;
    /** Messages that failed, without failures that a later report replaced. */
    failed: number;
    /** Of `failed`: messages to people who had opted out (900005). */
    optedOut: number;
  } | null;
  /** Attempts to deliver webhook events; null without the scope `webhooks:manage`. */
  webhooks: {
    /** Attempts. */
    attempts: number;
    /** Attempts that succeeded. */
    delivered: number;
    /** Attempts that failed. */
    failed: number;
    /** Deliveries that were given up. */
    dead: number;
    /** Half of the attempts took no longer, in ms and at most 10 % off; null without attempts. */
    p50Ms: number | null;
    /** 95 % of the attempts took no longer, in ms and at most 10 % off; null without attempts. */
    p95Ms: number | null;
  } | null;
  /** Bookings; null without the scope `appointments:read`. */
  appointments: {
    /** Bookings that were confirmed. */
    booked: number;
    /** Bookings that were moved, also in the calendar. */
    rescheduled: number;
    /** Bookings that were cancelled, also in the calendar. */
    cancelled: number;
  } | null;
};

/** Position in a counted list. */
export type Pagination = {
  /** Number of this page. */
  page: number;
  /** Items per page. */
  limit: number;
  /** Items on all pages. */
  total: number;
  /** Number of pages. */
  totalPages: number;
};

/** A requested change that the calendar does not show yet. */
export type PendingChange = {
  /** What was requested. */
  kind: "cancel" | "reschedule";
  /** The new start; null for a cancellation. */
  startsAt: string | null;
  /** The new end; null for a cancellation. */
  endsAt: string | null;
};

/** What prevents a send. */
export type PreviewProblem = {
  /** The input, such as `variables.2`. */
  path: string;
  /** What is wrong with it. */
  message: string;
};

/** One recipient, as in a send. The phone may be missing. */
export type PreviewTemplate = {
  /** Digits with country code, without `+`, spaces or dashes. */
  phone?: string;
  /** Name of the recipient, for your own use. */
  name?: string | null;
  /** Values by placeholder: `{"1": "Ada"}`. `header.1` and `buttons.0.1` name other components. */
  variables?: Record<string, string>;
  /** Fills a media header: the `mediaId` of an upload. */
  mediaId?: string;
  /** Fills a media header: an https address of the file. The platform fetches it, the gateway never does. Not together with `mediaId`. */
  headerMediaUrl?: string;
  product?: Product;
  /** Payloads of quick replies, and flows. */
  buttons?: Array<ButtonInput>;
  location?: Location;
  /** When a limited-time offer ends. */
  offerExpiresAt?: string;
  /** The cards of a carousel, as many as the template has. */
  cards?: Array<CardInput>;
  catalog?: CatalogInput;
  products?: ProductsInput;
  /** Returned in message lists and webhook events. */
  metadata?: Record<string, string>;
};

/** The values before the change. */
export type PreviousTemplate = {
  /** `approved` can be sent. `submitted`: every other state at the platform. */
  status: "approved" | "submitted" | "draft";
  /** The platform's own status, such as `PAUSED`. */
  providerStatus: string | null;
  /** `AUTHENTICATION`, `MARKETING` or `UTILITY`. */
  category: string;
  /** The platform's quality rating. */
  qualityScore: string | null;
};

/** One problem of a request. */
export type Problem = {
  /** The field or parameter, such as `recipients[3].variables.2`. */
  path: string;
  /** What is wrong and what is allowed. */
  message: string;
};

/** Fills a product header. */
export type Product = {
  /** Id of the product in the catalog. */
  productId: string;
  /** The platform's id of the catalog. */
  catalogId: string;
};

/** A section of the list. */
export type ProductSection = {
  /** Title of the section. */
  title: string;
  /** The products of the section. */
  productIds: Array<string>;
};

/** Fills a product list button. */
export type ProductsInput = {
  /** Product whose picture the message shows. Default: the first of the list. */
  thumbnailProductId?: string;
  /** The list, with at most 30 products in all. */
  sections: Array<ProductSection>;
};

/** The error of the messaging platform or calendar. */
export type ProviderError = {
  /** The provider's error code. */
  code: number | string;
  /** Short name of the error. */
  title: string;
  /** The provider's explanation. */
  message: string;
};

/** What the person does not receive. */
export type PutOptOut = {
  /** What the person does not receive. `marketing`: marketing templates. `all`: every template but authentication ones. Replies are always sent. */
  scope: "marketing" | "all";
  /** Why, for people. */
  reason?: string | null;
};

/** The words and buttons by which people opt out. They replace the present ones. */
export type PutOptOutSettings = {
  /** A text message that is one of these words, in upper or lower case, opts its writer out of marketing. Empty: off. */
  stopWords: Array<string>;
  /** A text message that is one of these words opts its writer in again. Empty: off. */
  startWords: Array<string>;
  /** Pressing a quick-reply button with one of these payloads, exactly, opts the person out of marketing. Empty: off. */
  buttonPayloads: Array<string>;
  /** Automatic answers. */
  reply?: {
    /** Sent to a person who opts out by a word or a button, as a reply, at most once a person and day; null: nothing is sent. */
    stop?: string | null;
    /** Sent to a person who opts in again by a word or a button, as a reply, at most once a person and day; null: nothing is sent. */
    start?: string | null;
  };
};

/** The days of the account. They replace the present ones: a kind that is left out has those of the gateway again. */
export type PutRetention = {
  /** Messages, with their sends and the media that nothing names any more, after their last stage. Days; null or left out: as long as the gateway. */
  messages?: number | null;
  /** Received messages, after they came. Days; null or left out: as long as the gateway. */
  received?: number | null;
  /** Webhook deliveries, after they were delivered or dead; no longer than messages. Days; null or left out: as long as the gateway. */
  deliveries?: number | null;
  /** Bookings, after the appointment. Days; null or left out: as long as the gateway. */
  bookings?: number | null;
  /** The audit log. Days; null or left out: as long as the gateway. */
  audit?: number | null;
};

/** A message that a person sent to one of your numbers. */
export type ReceivedMessage = {
  /** UUIDv7 of the platform's time; the same for every repeat of the message. */
  _id: string;
  /** The platform's id of the message; null if it could not be read. */
  messageId: string | null;
  /** The number that the person wrote to. */
  senderId: string;
  /** The person's number, in digits; null if the platform hides it. */
  phone: string | null;
  /** The platform's id of the person. It changes with their number. */
  userId: string | null;
  /** The name in their profile; null if the platform gave none. */
  name: string | null;
  /** The platform's own word, such as `text`, `image`, `button`, `interactive` or `reaction`; also words that no version of this document lists. `unknown` if it gave none. */
  type: string;
  /** The text of a `text` message. */
  text?: string;
  /** The quick-reply button of a template that the person pressed. */
  button?: {
    /** The payload that the template gave the button. */
    payload: string | null;
    /** The text of the button. */
    text: string | null;
  };
  /** The answer to buttons, a list, a form or a request. */
  interactive?: {
    /** The platform's own word, such as `button_reply`, `list_reply` or `nfm_reply`. */
    type: string;
    /** The id of the button or row that the person chose. */
    id?: string;
    /** Its title. */
    title?: string;
    /** Its description. */
    description?: string;
    /** The name of a form. */
    name?: string;
    /** The text that stands for the answer of a form. */
    body?: string;
    /** The answers of a form, or the response to a request. */
    response?: unknown;
  };
  /** The file of the message. Download it with `GET /v1/messages/received/{id}/media`. */
  media?: {
    /** The type that the platform names. */
    mimeType: string | null;
    /** The digest of the file, as the platform gives it. */
    sha256: string | null;
    /** The name of a document. */
    fileName?: string;
    /** The text beside the file. */
    caption?: string;
    /** True for a recorded voice message. */
    voice?: boolean;
  };
  /** A place. */
  location?: {
    /** Degrees north. */
    latitude: number;
    /** Degrees east. */
    longitude: number;
    /** The name of the place. */
    name?: string;
    /** The address of the place. */
    address?: string;
    /** A link to the place. */
    url?: string;
  };
  /** The contact cards of the message. */
  contacts?: Array<{
    /** The name on the card. */
    name: string | null;
    /** Numbers of the card. */
    phones: Array<{
      /** The number as it is written on the card. */
      phone: string;
      /** Such as `WORK`. */
      type?: string;
      /** The platform's own form of the number, if the person uses the platform. */
      userPhone?: string;
    }>;
    /** Email addresses of the card. */
    emails?: Array<{
      /** An email address. */
      email: string;
      /** Such as `WORK`. */
      type?: string;
    }>;
    /** The company on the card. */
    company?: string;
    /** The platform's own word for where the card comes from: `contact_request` is the answer to a template's button that asks for it. */
    origin?: string;
  }>;
  /** A reaction to a message. */
  reaction?: {
    /** The platform's id of the message that the person reacted to. */
    messageId: string;
    /** The emoji; null if the person removed the reaction. */
    emoji: string | null;
  };
  /** An order of products of your catalog. */
  order?: {
    /** The id of your catalog. */
    catalogId: string | null;
    /** The text beside the order. */
    text: string | null;
    /** The products. */
    items: Array<{
      /** The id of the product in your catalog. */
      productId: string | null;
      /** How many. */
      quantity: number | null;
      /** The price of one. */
      price: number | null;
      /** The currency of the price, such as `EUR`. */
      currency: string | null;
    }>;
  };
  /** What the message refers to. */
  context?: {
    /** The platform's id of the message that this one answers, quotes or reacts to. */
    messageId: string;
    /** Our id of that message; null if it is none of ours. */
    id: string | null;
    /** The send of that message; null if it has none. */
    sendId: string | null;
  };
  /** The platform's time, in epoch seconds; null if it could not be read. */
  timestamp: number | null;
  /** When the gateway received the message. */
  receivedAt: string;
  /** The platform's own object, unchanged, up to 64 KB; null if it is larger. */
  raw: unknown;
  /** True if `raw` is null because it is too large. */
  rawOmitted?: boolean;
};

/** One recipient of a send. */
export type Recipient = {
  /** Digits with country code, without `+`, spaces or dashes. */
  phone: string;
  /** Name of the recipient, for your own use. */
  name?: string | null;
  /** Values by placeholder: `{"1": "Ada"}`. `header.1` and `buttons.0.1` name other components. */
  variables?: Record<string, string>;
  /** Fills a media header: the `mediaId` of an upload. */
  mediaId?: string;
  /** Fills a media header: an https address of the file. The platform fetches it, the gateway never does. Not together with `mediaId`. */
  headerMediaUrl?: string;
  product?: Product;
  /** Payloads of quick replies, and flows. */
  buttons?: Array<ButtonInput>;
  location?: Location;
  /** When a limited-time offer ends. */
  offerExpiresAt?: string;
  /** The cards of a carousel, as many as the template has. */
  cards?: Array<CardInput>;
  catalog?: CatalogInput;
  products?: ProductsInput;
  /** Returned in message lists and webhook events. */
  metadata?: Record<string, string>;
};

/** A problem of one recipient. */
export type RecipientProblem = {
  /** Position of the recipient, from 1, in the order of adding. */
  row: number;
  /** Phone of the recipient. */
  phone: string;
  /** The field, such as `phone` or `variables.1`; empty for the whole row. */
  path: string;
  /** What is wrong and what is allowed. */
  message: string;
};

/** An event of a past booking. */
export type RemainingEvent = {
  /** UUIDv7. */
  bookingId: string;
  /** When the appointment began. */
  startsAt: string;
  /** Id of the event in the calendar. */
  calendarEventId: string;
  /** Link to it. */
  calendarEventLink: string | null;
};

/** Whether anything changed. The person receives everything. */
export type RemovedOptOut = {
  /** True if the person had opted out. */
  removed: boolean;
};

/** How many were removed. */
export type RemovedRecipients = {
  /** Recipients that were removed. */
  removed: number;
};

/** A filled button. */
export type RenderedButton = {
  /** Position of the button, from 0. */
  index: number;
  /** The platform's word, such as `URL`. */
  type: string;
  /** Label. */
  text: string | null;
  /** Where the button leads, filled. */
  url: string | null;
  /** Number that the button calls. */
  phone: string | null;
  /** Code that the button copies. */
  code: string | null;
  /** What a quick reply returns. Null: the platform returns its label. */
  payload: string | null;
};

/** A filled card of a carousel. */
export type RenderedCard = {
  header: RenderedHeader | null;
  /** Text of the body. */
  body: string;
  /** The buttons, in order. */
  buttons: Array<RenderedButton>;
};

/** A filled header. */
export type RenderedHeader = {
  /** Kind of the header. */
  type: "text" | "image" | "video" | "document" | "location" | "product";
  /** Text of a text header. */
  text: string | null;
  /** Address of a file that the platform fetches. */
  url: string | null;
  /** Name of an uploaded file. */
  fileName: string | null;
  location: RenderedLocation | null;
  product: RenderedProduct | null;
};

/** Place of a location header. */
export type RenderedLocation = {
  /** Degrees north. */
  latitude: number;
  /** Degrees east. */
  longitude: number;
  /** Name of the place. */
  name: string;
  /** Address of the place. */
  address: string;
};

/** A limited-time offer. */
export type RenderedOffer = {
  /** Text of the offer. */
  text: string;
  /** When the offer ends. */
  expiresAt: string | null;
};

/** Product of a product header. */
export type RenderedProduct = {
  /** Id of the product in the catalog. */
  productId: string;
  /** The platform's id of the catalog. */
  catalogId: string;
};

/** A replay of a time range. */
export type Replay = {
  /** UUIDv7. */
  _id: string;
  /** Id of the endpoint. */
  endpointId: string;
  /** Start of the range (included). */
  from: string;
  /** End of the range (excluded). */
  to: string;
  /** Only deliveries with this status. */
  status: "pending" | "delivered" | "dead" | null;
  /** Deliveries that were made due again so far. */
  replayed: number;
  /** Progress: deliveries created before this instant were processed. */
  reachedAt: string;
  /** Whether the whole range was processed. */
  finished: boolean;
  /** When the replay was requested. */
  createdAt: string;
  /** When the replay finished. */
  finishedAt: string | null;
};

/** The deliveries to replay. */
export type ReplayRange = {
  /** Start of the range (included). */
  from: string;
  /** End of the range (excluded). */
  to: string;
  /** Only deliveries with this status. */
  status?: "pending" | "delivered" | "dead";
};

/** A reply to a person who wrote to one of your numbers in the last 24 hours: exactly one of `text`, `media`, `location`, `contacts`, `reaction`, `buttons`, `list` and `link`; the last three with `text`. */
export type Reply = {
  /** The person's number: digits with the country code. Exactly one of `phone` and `userId` is needed. */
  phone?: string;
  /** The platform's id of the person, as `messages.received` gives it. */
  userId?: string;
  /** Your number. Default: the one that the person wrote to last. */
  senderId?: string;
  /** The message to quote or to react to: the platform's id (`messageId`), the `_id` of a received message, or the `id` of one of yours. */
  replyTo?: string;
  /** The text of the reply; with `buttons` and `link`, at most 1,024 characters. */
  text?: string;
  media?: ReplyMedia;
  location?: ReplyLocation;
  /** Contact cards. */
  contacts?: Array<ReplyCard>;
  reaction?: ReplyReaction;
  /** Buttons below `text`, each with its own id and title. */
  buttons?: Array<ReplyButton>;
  list?: ReplyList;
  link?: ReplyLink;
  /** Returned in message lists and webhook events. */
  metadata?: Record<string, string>;
  /** Also mark the person's messages to this number as read, before the reply. A failure does not prevent the reply. */
  markRead?: boolean;
  /** Also show that an answer is being typed until the reply arrives, at most 25 seconds; marks the messages as read, too. */
  typing?: boolean;
};

/** A button that answers. */
export type ReplyButton = {
  /** Returned in `interactive.id` when the person presses the button. */
  id: string;
  /** The text of the button. */
  title: string;
};

/** A contact card. */
export type ReplyCard = {
  /** The name on the card. */
  name: string;
  /** Default: `name`. */
  firstName?: string;
  /** The last name. */
  lastName?: string;
  /** Numbers of the card. */
  phones?: Array<{
    /** The number as the card shows it. */
    phone: string;
    /** Such as `WORK`. */
    type?: string;
    /** The digits of the number with the country code, if the person uses the platform: the card then offers to write to them. */
    userPhone?: string;
  }>;
  /** Email addresses of the card. */
  emails?: Array<{
    /** An email address. */
    email: string;
    /** Such as `WORK`. */
    type?: string;
  }>;
  /** Websites of the card. */
  urls?: Array<{
    /** An address of a website. */
    url: string;
    /** Such as `WORK`. */
    type?: string;
  }>;
  /** The company on the card. */
  company?: string;
};

/** A button below `text` that opens an address. */
export type ReplyLink = {
  /** The text of the button. */
  title: string;
  /** The http or https address that the button opens. */
  url: string;
};

/** A list to choose from, below `text`. */
export type ReplyList = {
  /** The text of the button that opens the list. */
  button: string;
  /** Rows, each with its own id; at most 10 in all sections. */
  rows?: Array<ReplyRow>;
  /** Sections of rows, instead of `rows`. */
  sections?: Array<ReplySection>;
};

/** A place. */
export type ReplyLocation = {
  /** Degrees north. */
  latitude: number;
  /** Degrees east. */
  longitude: number;
  /** Name of the place. */
  name?: string;
  /** Address of the place. */
  address?: string;
};

/** A file: an upload, or at an address. */
export type ReplyMedia = {
  /** The `mediaId` of an upload. Exactly one of `mediaId` and `url`. */
  mediaId?: string;
  /** An https address of the file. The platform fetches it, the gateway never does. */
  url?: string;
  /** What the file at `url` is. Default: by the file name extension of the address. */
  kind?: "image" | "video" | "document" | "audio" | "sticker";
  /** The text beside an image, video or document. */
  caption?: string;
  /** The name of a document. Default: that of the upload. */
  fileName?: string;
};

/** A reaction to the message that `replyTo` names. */
export type ReplyReaction = {
  /** One emoji; null removes the reaction. */
  emoji: string | null;
};

/** The result of a reply. */
export type ReplyResult = {
  /** Id of the reply (UUIDv7). */
  id: string;
  /** The platform's message identifier; null until the platform accepts the reply. */
  messageId: string | null;
  /** As the request gave it; null for a reply to a `userId`. */
  recipientPhone: string | null;
  /** The platform's id of the person; null for a reply to a phone number. */
  recipientUserId: string | null;
  /** Always null. */
  name: null;
  /** `queued`: no result yet when the response was sent. */
  status: "accepted" | "failed" | "queued";
  error: MessageError | null;
};

/** A row of a list. */
export type ReplyRow = {
  /** Returned in `interactive.id` when the person chooses the row. */
  id: string;
  /** The text of the row. */
  title: string;
  /** A line below the title. */
  description?: string;
};

/** A section of a list. */
export type ReplySection = {
  /** Required if there are several sections. */
  title?: string;
  /** Rows, each with its own id; at most 10 in all sections. */
  rows: Array<ReplyRow>;
};

/** A reply reached a stage. */
export type ReplyStatus = {
  /** The platform's identifier; `id` if the platform assigned none. */
  messageId: string;
  /** The stage that was reached. */
  status: "sent" | "delivered" | "read" | "failed";
  /** As the caller gave it; null for a reply to a `userId`. */
  recipientPhone: string | null;
  /** The platform's id of the person; null for a reply to a phone number. */
  recipientUserId: string | null;
  /** The platform's time, in epoch seconds. */
  timestamp: number;
  error: MessageError | null;
  /** Id of the reply (UUIDv7). */
  id: string;
  /** A reply belongs to no send. */
  sendId: null;
  /** As the reply gave it. */
  metadata: Record<string, string>;
};

/** The body of `replies.status` events. */
export type ReplyStatusEvent = {
  /** The kind of event. */
  event: "replies.status";
  /** When the event was created; the same on every attempt. */
  timestamp: string;
  data: ReplyStatus;
};

/** The new slot. */
export type RescheduleBooking = {
  /** Civil date, `YYYY-MM-DD`. */
  date: string;
  /** Local time, `HH:MM`. */
  from: string;
  /** Local time, `HH:MM`. */
  to: string;
  /** IANA zone in which `date`, `from` and `to` are read. Default: the staff member's own. */
  timezone?: string | null;
};

/** How to resend the message. */
export type ResendMessage = {
  /** Also resend a message that failed with `outcome_unknown` (900001). It may have been sent, so the person may receive it twice. */
  evenIfUnknown?: boolean;
};

/** How long the account keeps what has ended. */
export type Retention = {
  messages: RetentionOfKind;
  received: RetentionOfKind;
  deliveries: RetentionOfKind;
  bookings: RetentionOfKind;
  audit: RetentionOfKind;
};

/** How long one kind of data is kept. */
export type RetentionOfKind = {
  /** Days for which the account keeps them; null: for ever. */
  days: number | null;
  /** What the account set; null: nothing. */
  ownDays: number | null;
  /** What the gateway keeps at most; null: for ever. */
  gatewayDays: number | null;
  /** The fewest days that can be set. */
  minimumDays: number;
  /** Nothing is removed before; null: removal has begun, or everything is kept. */
  removedFrom: string | null;
};

/** How to rotate the key. */
export type RotateKey = {
  /** How long the old key still works, in seconds. */
  overlapSeconds?: number;
};

/** How to rotate the secret. */
export type RotateSecret = {
  /** Your own secret: 16 to 256 printable ASCII characters. Libraries of Standard Webhooks take one without `whsec_` as a raw secret only. Default: a generated one. */
  secret?: string;
  /** How long both secrets sign, in seconds; 0 switches immediately. */
  overlapSeconds?: number;
};

/** A problem of one row. */
export type RowProblem = {
  /** Number of the row, from 1; in CSV the header is row 1. */
  row: number;
  /** The field, such as `phone` or `variables.1`; empty for the whole row. */
  path: string;
  /** What is wrong and what is allowed. */
  message: string;
};

/** When a staff member can be booked. */
export type Schedule = {
  /** IANA time zone. */
  timezone: string;
  /** Length of an appointment, in minutes. */
  slotMinutes: number;
  /** Minutes between the starts of slots. Default: `slotMinutes`. */
  slotStepMinutes: number;
  /** Free minutes before an appointment. */
  bufferBeforeMinutes: number;
  /** Free minutes after an appointment. */
  bufferAfterMinutes: number;
  /** Minutes between now and the earliest slot. */
  minimumNoticeMinutes: number;
  /** Number of days after today that are open for booking. */
  bookingWindowDays: number;
  /** Maximum number of bookings per date; null: no limit. */
  dailyLimit: number | null;
  /** Opening hours of a week; a day can have several windows. */
  weekly: Array<{
    /** Day on which the window starts. */
    weekday: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday";
    /** Local start, `HH:MM`. */
    from: string;
    /** Local end, `HH:MM`. Before `from`: the window ends on the next day. A whole day is `00:00` to `24:00`. `from` and `to` must differ. */
    to: string;
  }>;
  /** Dates with different hours. */
  overrides: Array<{
    /** Civil date, `YYYY-MM-DD`. */
    date: string;
    /** Hours of this date; empty: closed. */
    windows: Array<{
      /** Local start, `HH:MM`. */
      from: string;
      /** Local end, `HH:MM`. Before `from`: the window ends on the next day. A whole day is `00:00` to `24:00`. `from` and `to` must differ. */
      to: string;
    }>;
  }>;
};

/** Present during a secret rotation. */
export type SecretRotation = {
  /** Until when both secrets are valid. */
  overlapUntil: string;
  /** Whether x-webhook-signature is made with the new secret. */
  activated: boolean;
};

/** A send, its state, and how many of its recipients have which status. */
export type Send = {
  /** Id of the send (UUIDv7). */
  sendId: string;
  /** Name of the send, for your own use. */
  name: string | null;
  /** `done`: nothing waits, is queued or is being dispatched. */
  state: "draft" | "scheduled" | "sending" | "paused" | "done" | "cancelled";
  /** Id of the template. */
  templateId: string;
  /** Id of the sender. */
  senderId: string;
  /** Number of recipients. */
  total: number;
  /** When the send starts by itself. */
  sendAt: string | null;
  /** How long messages may wait, from `sendAt` or the start. */
  expiresInSeconds: number | null;
  /** When recipients that still wait fail; null before a draft is started. */
  expiresAt: string | null;
  /** When the send started. */
  startedAt: string | null;
  /** When the send was paused; null unless it is paused. */
  pausedAt: string | null;
  /** `template_changed`: the template had changed when `sendAt` came. `restored`: the gateway was restored from a backup. Null if a request paused the send. */
  pausedReason: string | null;
  /** When the gateway found that the send was done; null for one of `POST /v1/templates/send` without `name` and `sendAt`. */
  doneAt: string | null;
  /** When the send was cancelled. */
  cancelledAt: string | null;
  /** When the send was created. */
  createdAt: string;
  createdBy: SendCreator | null;
  /** Number of recipients by status. `waiting`: kept apart from the queue until the send is fed into it. */
  counts: Record<string, number>;
  /** Messages that the platform accepted, a second, in the last minute. */
  perSecond: number;
  /** When the rest will have been sent at this rate; null unless the send is `sending`. */
  estimatedDoneAt: string | null;
};

/** Who made the send; null for one without `name` and `sendAt`, and of earlier versions. */
export type SendCreator = {
  /** Who it was. */
  kind: "key" | "session" | "operator" | "system";
  /** Id of the key or session. */
  id: string | null;
  /** Its name at that time. */
  name: string | null;
};

/** A send in a list, without counts. */
export type SendItem = {
  /** Id of the send (UUIDv7). */
  sendId: string;
  /** Name of the send, for your own use. */
  name: string | null;
  /** `done`: nothing waits, is queued or is being dispatched. */
  state: "draft" | "scheduled" | "sending" | "paused" | "done" | "cancelled";
  /** Id of the template. */
  templateId: string;
  /** Id of the sender. */
  senderId: string;
  /** Number of recipients. */
  total: number;
  /** When the send starts by itself. */
  sendAt: string | null;
  /** How long messages may wait, from `sendAt` or the start. */
  expiresInSeconds: number | null;
  /** When recipients that still wait fail; null before a draft is started. */
  expiresAt: string | null;
  /** When the send started. */
  startedAt: string | null;
  /** When the send was paused; null unless it is paused. */
  pausedAt: string | null;
  /** `template_changed`: the template had changed when `sendAt` came. `restored`: the gateway was restored from a backup. Null if a request paused the send. */
  pausedReason: string | null;
  /** When the gateway found that the send was done; null for one of `POST /v1/templates/send` without `name` and `sendAt`. */
  doneAt: string | null;
  /** When the send was cancelled. */
  cancelledAt: string | null;
  /** When the send was created. */
  createdAt: string;
  createdBy: SendCreator | null;
};

/** A recipient of a send. */
export type SendRecipient = {
  /** Id of the message (UUIDv7); it never changes. */
  id: string;
  /** The platform's message identifier; null until the platform accepts the message. */
  messageId: string | null;
  /** Phone of the recipient. */
  phone: string;
  /** As it was given. */
  name: string | null;
  /** As it was given. */
  metadata: Record<string, string> | null;
  /** `waiting`: kept apart from the queue; else the status of the message. */
  status: "waiting" | "queued" | "dispatching" | "accepted" | "sent" | "delivered" | "read" | "failed";
  error: MessageError | null;
};

/** The results of a send. */
export type SendResult = {
  /** Id of the send (UUIDv7). */
  sendId: string;
  /** Id of the template. */
  templateId: string;
  /** Number of recipients. */
  total: number;
  /** Messages that the platform accepted. */
  accepted: number;
  /** Messages that the platform rejected. */
  failed: number;
  /** Messages without a result yet. */
  queued: number;
  /** The results, in the order of the recipients. */
  messages: Array<SentMessage>;
};

/** A template and its recipients. */
export type SendTemplate = {
  /** Id of an approved template (`_id`). */
  templateId: string;
  /** The recipients, each phone once. */
  recipients: Array<Recipient>;
  /** Fills a media header: the `mediaId` of an upload. */
  mediaId?: string;
  /** Fills a media header: an https address of the file. The platform fetches it, the gateway never does. Not together with `mediaId`. */
  headerMediaUrl?: string;
  product?: Product;
  /** Payloads of quick replies, and flows. */
  buttons?: Array<ButtonInput>;
  location?: Location;
  /** When a limited-time offer ends. */
  offerExpiresAt?: string;
  /** The cards of a carousel, as many as the template has. */
  cards?: Array<CardInput>;
  catalog?: CatalogInput;
  products?: ProductsInput;
  /** Returned in message lists and webhook events. */
  metadata?: Record<string, string>;
  /** Id of the sender. Default: the default sender of the business account. */
  senderId?: string;
  /** How long a message may wait, from the request or from `sendAt`. Default: 86,400; authentication templates 600. */
  expiresInSeconds?: number;
  /** Name of the send; the list of sends shows it. */
  name?: string;
  /** When to send, at most 90 days ahead; a past instant sends now. Not for authentication templates. */
  sendAt?: string;
};

/** A messaging number of the account. */
export type Sender = {
  /** UUIDv7. */
  _id: string;
  /** Name of the sender. */
  name: string;
  /** The platform's id of the number. */
  phoneNumberId: string;
  /** The platform's id of the business account. */
  businessAccountId: string;
  /** The phone number, as the platform shows it. */
  displayPhone: string | null;
  /** The name that recipients see. */
  verifiedName: string | null;
  /** Base address of the platform for this number, if not the default. */
  apiUrl: string | null;
  /** Maximum rate of this number; null: what the platform grants it. */
  messagesPerSecond: number | null;
  /** The rate in use. */
  effectiveMessagesPerSecond: number;
  pace: SenderPace;
  /** Messages per second that the platform grants the number. */
  throughput: number | null;
  /** The platform's rating of the number: `GREEN`, `YELLOW`, `RED`. */
  qualityRating: string | null;
  /** How many people the business may write to first within a day, such as `TIER_2K`. */
  messagingLimit: string | null;
  /** Whether sends without `senderId` use this sender. */
  isDefault: boolean;
  /** `halted`: messages wait in the queue until the problem is fixed. */
  status: "active" | "halted";
  /** What waits while the sender is halted. `templates`: replies to people who wrote still leave. */
  haltedScope: "all" | "templates" | null;
  /** Why the platform rejects calls of this number, and what to do. */
  haltedReason: string | null;
  /** The platform's code of the rejection. */
  haltedCode: number | null;
  /** When the sender was halted. */
  haltedAt: string | null;
  /** When the platform last posted a callback of this number. */
  lastCallbackAt: string | null;
  /** The sender's callback address. Enter it at the platform if you subscribe the app yourself. */
  callbackUrl: string;
  /** When the templates were last read from the platform. */
  templatesSyncedAt: string | null;
  /** Why the last reading failed. */
  templatesSyncFailure: string | null;
  /** When the sender was added. */
  createdAt: string;
};

/** One check of a sender. */
export type SenderCheck = {
  /** What was checked. */
  name: "token" | "permissions" | "tokenExpiry" | "registration" | "subscription" | "appCallback" | "handshake" | "lastCallback" | "templates" | "quality" | "messagingLimit" | "throughput" | "health";
  /** `unknown`: it could not be checked, or there is nothing to see yet. */
  status: "ok" | "warning" | "failed" | "unknown";
  /** What was found. */
  detail: string;
  /** What to do; null if nothing is wrong. */
  fix: string | null;
  /** When it was checked. */
  checkedAt: string;
};

/** The checks of a sender. */
export type SenderChecks = {
  /** What was checked of the sender. */
  checks: Array<SenderCheck>;
};

/** What the number may send now. */
export type SenderPace = {
  /** Messages per second now: less than the rate in use while throttled. */
  allowed: number;
  /** When the full rate is reached again, if the platform does not throttle further; null if it is. */
  throttledUntil: string | null;
  /** The platform's code that slowed the number down; null without. */
  code: number | null;
};

/** A sender was halted or resumed, its replies stopped as well, or a check of it has another status. */
export type SenderStatus = {
  sender: Sender;
  /** What changed. */
  changed: Array<SenderStatusChange>;
};

/** A status that changed. */
export type SenderStatusChange = {
  /** The name of the check, or `status` or `haltedScope` of the sender. */
  name: string;
  /** What it was before. */
  from: string;
  /** What it is now. */
  to: string;
};

/** The body of `senders.status` events. */
export type SenderStatusEvent = {
  /** The kind of event. */
  event: "senders.status";
  /** When the event was created; the same on every attempt. */
  timestamp: string;
  data: SenderStatus;
};

/** A header of a request. */
export type SentHeader = {
  /** Name of the header. */
  name: string;
  /** Its value; null if it is no longer known. */
  value: string | null;
};

/** The result for one recipient. */
export type SentMessage = {
  /** Id of the message (UUIDv7). */
  id: string;
  /** The platform's message identifier; null until the platform accepts the message. */
  messageId: string | null;
  /** As the request gave it. */
  recipientPhone: string;
  /** As the request gave it. */
  name: string | null;
  /** `queued`: no result yet when the response was sent. */
  status: "accepted" | "failed" | "queued";
  error: MessageError | null;
};

/** What a reply says, in the members of the request. Null for a template, and without the scope `conversations:read`. */
export type SentReply = {
  /** The text. */
  text?: string;
  media?: ReplyMedia;
  location?: ReplyLocation;
  /** Contact cards. */
  contacts?: Array<ReplyCard>;
  reaction?: ReplyReaction;
  /** Buttons below `text`, each with its own id and title. */
  buttons?: Array<ReplyButton>;
  list?: ReplyList;
  link?: ReplyLink;
  /** The platform's id of the message that it quotes or reacts to. */
  replyTo?: string;
};

/** Somebody who is signed in. */
export type Session = {
  /** UUIDv7. */
  _id: string;
  /** Name of the key or link that made it. */
  name: string;
  /** The key with which the session ends; null for a link of the command line. */
  key: {
    /** UUIDv7. */
    _id: string;
    /** Its name. */
    name: string | null;
  } | null;
  /** What the session may do. `operator`, which no key can have, is for pages about the gateway itself. */
  scopes: Array<string>;
  /** The address from which somebody signed in. */
  address: string;
  /** When somebody signed in. */
  createdAt: string;
  /** When it was last used, to the minute. It ends 12 hours later. */
  lastUsedAt: string;
  /** When it ends in any case. */
  endsAt: string;
  /** True for the session of this request. */
  isCurrent: boolean;
};

/** A question of the booking form. */
export type SetFormQuestion = {
  /** Text of the question. */
  question: string;
  /** Kind of answer. */
  questionType: "phone" | "email" | "text" | "textarea" | "number" | "date" | "select" | "multiselect" | "checkbox" | "url";
  /** Whether a booking must answer the question. */
  isRequired: boolean;
  /** The choices of `select` and `multiselect`. */
  options?: Array<string>;
  /** Hint for an empty input field. */
  placeholder?: string | null;
};

/** The whole new schedule. */
export type SetSchedule = {
  /** IANA time zone. */
  timezone: string;
  /** Length of an appointment, in minutes. */
  slotMinutes: number;
  /** Minutes between the starts of slots. Default: `slotMinutes`. */
  slotStepMinutes?: number;
  /** Free minutes before an appointment. */
  bufferBeforeMinutes?: number;
  /** Free minutes after an appointment. */
  bufferAfterMinutes?: number;
  /** Minutes between now and the earliest slot. */
  minimumNoticeMinutes?: number;
  /** Number of days after today that are open for booking. */
  bookingWindowDays?: number;
  /** Maximum number of bookings per date; null: no limit. */
  dailyLimit?: number | null;
  /** Opening hours of a week; a day can have several windows. */
  weekly: Array<{
    /** Day on which the window starts. */
    weekday: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday";
    /** Local start, `HH:MM`. */
    from: string;
    /** Local end, `HH:MM`. Before `from`: the window ends on the next day. A whole day is `00:00` to `24:00`. `from` and `to` must differ. */
    to: string;
  }>;
  /** Dates with different hours. */
  overrides?: Array<{
    /** Civil date, `YYYY-MM-DD`. */
    date: string;
    /** Hours of this date; empty: closed. */
    windows: Array<{
      /** Local start, `HH:MM`. */
      from: string;
      /** Local end, `HH:MM`. Before `from`: the window ends on the next day. A whole day is `00:00` to `24:00`. `from` and `to` must differ. */
      to: string;
    }>;
  }>;
};

/** Exactly one of `key` and `link`. */
export type SignIn = {
  /** An API key. */
  key?: string;
  /** The text after `#link=` in a dashboard link. */
  link?: string;
};

/** A time that can be booked. */
export type Slot = {
  /** Local start, `HH:MM`. */
  from: string;
  /** Local end, `HH:MM`. */
  to: string;
  /** Start of the slot. */
  startsAt: string;
  /** End of the slot. */
  endsAt: string;
};

/** A person who can be booked. */
export type StaffMember = {
  /** UUIDv7. */
  _id: string;
  /** Name of the staff member. */
  name: string;
  /** Job title. */
  title: string | null;
  /** E-mail address of the staff member. */
  email: string | null;
  /** Ids of the departments. */
  departmentIds: Array<string>;
  /** IANA time zone of the schedule. */
  timezone: string;
  /** Length of an appointment, in minutes. */
  slotMinutes: number;
  /** Whether bookings need a connected calendar. */
  calendar: "required" | "none";
  /** Whether a working calendar is connected. */
  calendarConnected: boolean;
  /** What to do when somebody moves the calendar event of a booking. `follow` (default): reschedule the booking. `keep`: keep its time; `calendarState` shows the move. */
  onCalendarMove: "follow" | "keep";
  /** What to do when somebody deletes the calendar event of a booking. `cancel` (default): cancel the booking. `keep`: keep it; `calendarState` shows the deletion. */
  onCalendarDelete: "cancel" | "keep";
  /** Inactive staff are kept but not listed. */
  active: boolean;
  /** When the staff member was created. */
  createdAt: string;
};

/** A stage of a message. */
export type Stage = {
  /** The stage. */
  status: string;
  /** When the stage was reached. Never before the previous stage: the platform's times have whole seconds, and the gateway raises them if needed. */
  at: string;
  /** The platform's own time of the stage, unchanged; null if it gave none. */
  platformTimestamp: string | null;
  /** True if the platform never reported the stage, but a later stage implies it. */
  implied: boolean;
};

/** Words of one language. */
export type SuggestedWords = {
  /** BCP 47 code of the language. */
  language: string;
  /** Stop words. */
  stopWords: Array<string>;
  /** Start words. */
  startWords: Array<string>;
};

/** What takes the time. */
export type TakenBy = {
  /** A booking, or a busy time of a connected calendar. */
  kind: "booking" | "event";
  /** Id of the booking. Null for an event, and for a booking of another account in a shared calendar. */
  id: string | null;
  /** When it ends, with the buffer after a booking. */
  until: string;
};

/** A message template. */
export type Template = {
  /** UUIDv7. */
  _id: string;
  /** Name of the template at the platform. */
  providerTemplateName: string;
  /** `approved` can be sent. `submitted`: every other state at the platform. */
  status: "approved" | "submitted" | "draft";
  /** The platform's language code, such as `en_US`. */
  language: string;
  /** `AUTHENTICATION`, `MARKETING` or `UTILITY`. */
  category: string;
  /** Header, body, footer and buttons in the platform's documented form. */
  components: Array<Component>;
  /** The platform's id of the business account; null for a draft without one. */
  businessAccountId: string | null;
  /** The senders of the business account, which can send the template: the default sender first, then the oldest. */
  senders: Array<TemplateSender>;
  /** The platform's id of the template. */
  providerTemplateId: string | null;
  /** The platform's own status, such as `PAUSED`. */
  providerStatus: string | null;
  /** The platform's quality rating. */
  qualityScore: string | null;
  /** Why the platform rejected the template. */
  rejectedReason: string | null;
  /** For how long the platform tries to deliver a message; null: the platform's default. */
  messageTtlSeconds: number | null;
  nextCategory: NextCategory | null;
  /** When the template was created here. */
  createdAt: string;
  /** When the template last changed. */
  updatedAt: string;
};

/** The same before the change. */
export type TemplateBefore = {
  /** `approved`, `submitted` or `draft`. */
  status: string;
  /** The platform's own word. */
  providerStatus: string | null;
  /** The category. */
  category: string;
  /** The platform's quality score. */
  qualityScore: string | null;
};

/** A template with its previous values. */
export type TemplateChange = {
  /** UUIDv7. */
  _id: string;
  /** Name of the template at the platform. */
  providerTemplateName: string;
  /** `approved` can be sent. `submitted`: every other state at the platform. */
  status: "approved" | "submitted" | "draft";
  /** The platform's language code, such as `en_US`. */
  language: string;
  /** `AUTHENTICATION`, `MARKETING` or `UTILITY`. */
  category: string;
  /** Header, body, footer and buttons in the platform's documented form. */
  components: Array<Component>;
  /** The platform's id of the business account; null for a draft without one. */
  businessAccountId: string | null;
  /** The senders of the business account, which can send the template: the default sender first, then the oldest. */
  senders: Array<TemplateSender>;
  /** The platform's id of the template. */
  providerTemplateId: string | null;
  /** The platform's own status, such as `PAUSED`. */
  providerStatus: string | null;
  /** The platform's quality rating. */
  qualityScore: string | null;
  /** Why the platform rejected the template. */
  rejectedReason: string | null;
  /** For how long the platform tries to deliver a message; null: the platform's default. */
  messageTtlSeconds: number | null;
  nextCategory: NextCategory | null;
  /** When the template was created here. */
  createdAt: string;
  /** When the template last changed. */
  updatedAt: string;
  previous: PreviousTemplate;
  /** The platform's reason for the change, such as `INVALID_FORMAT` or `FIRST_PAUSE`. */
  reason: string | null;
};

/** A template with its variables. */
export type TemplateDetail = {
  /** UUIDv7. */
  _id: string;
  /** Name of the template at the platform. */
  providerTemplateName: string;
  /** `approved` can be sent. `submitted`: every other state at the platform. */
  status: "approved" | "submitted" | "draft";
  /** The platform's language code, such as `en_US`. */
  language: string;
  /** `AUTHENTICATION`, `MARKETING` or `UTILITY`. */
  category: string;
  /** Header, body, footer and buttons in the platform's documented form. */
  components: Array<Component>;
  /** The platform's id of the business account; null for a draft without one. */
  businessAccountId: string | null;
  /** The senders of the business account, which can send the template: the default sender first, then the oldest. */
  senders: Array<TemplateSender>;
  /** The platform's id of the template. */
  providerTemplateId: string | null;
  /** The platform's own status, such as `PAUSED`. */
  providerStatus: string | null;
  /** The platform's quality rating. */
  qualityScore: string | null;
  /** Why the platform rejected the template. */
  rejectedReason: string | null;
  /** For how long the platform tries to deliver a message; null: the platform's default. */
  messageTtlSeconds: number | null;
  nextCategory: NextCategory | null;
  /** When the template was created here. */
  createdAt: string;
  /** When the template last changed. */
  updatedAt: string;
  variables: TemplateVariables;
  /** Everything that a recipient can fill, in the order of the message. */
  inputs: Array<TemplateInput>;
  /** Whether `PATCH` can edit the template now. The platform allows it for approved, rejected and paused templates; for an approved one once in 24 hours and 10 times in 30 days. */
  isEditable: boolean;
  /** When an approved template can be edited again; null if it can be now, or never. */
  editableAt: string | null;
  /** Why the gateway cannot send the template, such as a header of the kind GIF; null if it can. */
  unsendableReason: string | null;
};

/** A change of the status, category or quality of a template by the platform. */
export type TemplateHistoryItem = {
  /** Id of the change. */
  _id: string;
  /** When the gateway learned of it. */
  at: string;
  /** `approved`, `submitted` or `draft`. */
  status: string;
  /** The platform's own word. */
  providerStatus: string | null;
  /** The category. */
  category: string;
  /** The platform's quality score. */
  qualityScore: string | null;
  previous: TemplateBefore;
  /** The platform's reason; null if it gave none. */
  reason: string | null;
};

/** Something that a recipient can fill. */
export type TemplateInput = {
  /** For `text` and `code`: the key in `variables`. Otherwise the member of a recipient, such as `mediaId` or `buttons.0.payload` (the `payload` of the entry of `buttons` with `index` 0). */
  key: string;
  /** Part of the template: `header`, `body`, `buttons.0`. */
  part: string;
  /** What the input takes. */
  kind: "text" | "media" | "location" | "code" | "payload" | "instant" | "product" | "flow";
  /** Whether a send without it is rejected. */
  required: boolean;
  /** Example with which the platform reviewed the template. */
  example: string | null;
  /** Maximum length in characters; the length of the whole component is limited too. */
  maxLength: number | null;
  /** For `media`: the kind of file. */
  media: "image" | "video" | "document" | null;
};

/** A filled template, and what it lacks. */
export type TemplatePreview = {
  header: RenderedHeader | null;
  /** Text of the body. */
  body: string;
  /** The buttons, in order. */
  buttons: Array<RenderedButton>;
  /** Text of the footer. */
  footer: string | null;
  offer: RenderedOffer | null;
  /** The cards of a carousel; empty for other templates. */
  cards: Array<RenderedCard>;
  /** Why a send of this recipient would be rejected; empty if it would not. */
  errors: Array<PreviewProblem>;
};

/** The reading of one business account. */
export type TemplateReading = {
  /** The platform's id of the business account. */
  businessAccountId: string;
  /** Templates of the business account. */
  count: number;
  /** When the platform's list was read. */
  readAt: string;
  /** True if this is an earlier reading, because the platform limits how often it is read. */
  reused: boolean;
  /** When the platform may be read again. The gateway then reads it if it was requested before. */
  nextReadAt: string;
};

/** A sender that can send the template. */
export type TemplateSender = {
  /** UUIDv7. */
  _id: string;
  /** Name of the sender. */
  name: string;
  /** The phone number, as the platform shows it. */
  displayPhone: string | null;
  /** Whether sends without `senderId` use this sender. */
  isDefault: boolean;
};

/** The body of `templates.status` events. */
export type TemplateStatusEvent = {
  /** The kind of event. */
  event: "templates.status";
  /** When the event was created; the same on every attempt. */
  timestamp: string;
  data: TemplateChange;
};

/** The result of a synchronization. */
export type TemplateSync = {
  /** Templates of all business accounts. */
  count: number;
  /** One reading for each business account. */
  readings: Array<TemplateReading>;
};

/** Everything that a send must fill. */
export type TemplateVariables = {
  /** Whether placeholders are numbers or names. */
  format: "positional" | "named";
  /** Placeholders of the header. */
  header: Array<string>;
  /** Placeholders of the body. */
  body: Array<string>;
  /** The buttons that have placeholders. */
  buttons: Array<ButtonVariables>;
  /** What the header needs in addition to text; null: nothing. */
  headerMedia: "image" | "video" | "document" | "location" | null;
  /** Example values by qualified placeholder, such as `body.1`. */
  examples: Record<string, string>;
};

/** The body of `test` events. */
export type TestEvent = {
  /** The kind of event. */
  event: "test";
  /** When the event was created; the same on every attempt. */
  timestamp: string;
  /** The data of a test event. */
  data: {
    /** Id of the endpoint. */
    endpointId: string;
    /** A text that says that this is a test. */
    message: string;
  };
};

/** The response of the receiver to a test event. */
export type TestResult = {
  /** Id of the delivery. */
  deliveryId: string;
  /** Whether the receiver accepted the event. */
  delivered: boolean;
  /** HTTP status of the response. */
  statusCode: number | null;
  /** `status`: a response other than 2xx. `reset`: the connection broke, or the response was not HTTP. `too_large`: the headers of the response were too large. */
  failure: "timeout" | "refused" | "dns" | "tls" | "reset" | "status" | "blocked_address" | "too_large" | null;
  /** Duration in milliseconds. */
  durationMs: number;
  /** The first 4 KB of the response body, as UTF-8 text. */
  answer: string | null;
  /** What went wrong, if there was no complete response. */
  detail: string | null;
};

/** The fields to change. */
export type UpdateDepartment = {
  /** Name, as guests see it. */
  name?: string;
  /** What the department does. */
  description?: string | null;
  /** Inactive departments are kept but not listed. */
  active?: boolean;
};

/** The fields to change. */
export type UpdateEndpoint = {
  /** Where events are posted. It must be https (the sandbox also allows http). Private, loopback, link-local and metadata addresses are rejected. */
  url?: string;
  /** Description, for people. */
  description?: string | null;
  /** The kinds of event that the endpoint receives. Default: `messages.status`. */
  events?: Array<"messages.status" | "replies.status" | "templates.status" | "appointments.booked" | "appointments.cancelled" | "appointments.rescheduled" | "calendars.status" | "senders.status" | "messages.received" | "contacts.opted_out" | "contacts.opted_in" | "endpoints.status" | "deliveries.dead">;
  /** `paused`: events are kept. `active`: they are delivered, also after the endpoint was disabled. */
  status?: "active" | "paused";
};

/** The fields to change. */
export type UpdateSender = {
  /** Name of the sender, for people. */
  name?: string;
  /** The platform's access token. It is never returned. */
  accessToken?: string;
  /** The platform app's secret, 32 hexadecimal digits. It signs the platform's callbacks and is never returned. */
  appSecret?: string;
  /** The token of the verification handshake of the platform. Default: a random one. It is never returned. */
  verifyToken?: string;
  /** Maximum rate of this number. Default: null, the throughput that the platform grants it. */
  messagesPerSecond?: number | null;
  /** Makes this sender the default one. */
  isDefault?: true;
};

/** The fields to change. */
export type UpdateStaffMember = {
  /** Name, as guests see it. */
  name?: string;
  /** Job title. */
  title?: string | null;
  /** E-mail address of the staff member. */
  email?: string | null;
  /** Ids of the departments. */
  departmentIds?: Array<string>;
  /** Inactive staff are kept but not listed. */
  active?: boolean;
  /** `required` (default): no slots and no bookings without a connected calendar. `none`: the gateway alone keeps the bookings. */
  calendar?: "required" | "none";
  /** What to do when somebody moves the calendar event of a booking. `follow` (default): reschedule the booking. `keep`: keep its time; `calendarState` shows the move. */
  onCalendarMove?: "follow" | "keep";
  /** What to do when somebody deletes the calendar event of a booking. `cancel` (default): cancel the booking. `keep`: keep it; `calendarState` shows the deletion. */
  onCalendarDelete?: "cancel" | "keep";
};

/** The file to upload. */
export type UploadMedia = {
  /** Like the query parameter; must come before the file. */
  senderId?: string;
  /** The file, with its name and its Content-Type. */
  file: Blob;
};

/** Attempts to deliver webhook events in an interval. */
export type WebhookStatistics = {
  /** Start of the interval. The first one can begin before `from`; it counts from there. */
  at: string;
  /** With `by=endpoint`: the endpoint. */
  endpointId?: string;
  /** Attempts. */
  attempts: number;
  /** Attempts that succeeded. */
  delivered: number;
  /** Attempts that failed. */
  failed: number;
  /** Deliveries that were given up. */
  dead: number;
  /** Half of the attempts took no longer, in ms and at most 10 % off; null without attempts. */
  p50Ms: number | null;
  /** 95 % of the attempts took no longer, in ms and at most 10 % off; null without attempts. */
  p95Ms: number | null;
};

/** Counts by interval. */
export type WebhookStatisticsList = {
  /** Everything that was recorded before this instant is counted. */
  foldedUntil: string;
  /** By `at`. Intervals in which nothing was counted are left out. */
  items: Array<WebhookStatistics>;
};

/** The body of a webhook. */
export type WebhookEvent = MessageStatusEvent | ReplyStatusEvent | TemplateStatusEvent | AppointmentBookedEvent | AppointmentCancelledEvent | AppointmentRescheduledEvent | CalendarStatusEvent | SenderStatusEvent | MessageReceivedEvent | ContactOptedOutEvent | ContactOptedInEvent | EndpointStatusEvent | DeadDeliveriesEvent | TestEvent;

/** Every error code of the API. */
export type ErrorCode = 'api_key_invalid' | 'api_key_missing' | 'appointment_user_not_found' | 'body_too_large' | 'booking_not_changeable' | 'booking_not_found' | 'booking_open' | 'calendar_not_connected' | 'calendar_provider_not_configured' | 'conflict' | 'contact_not_found' | 'content_removed' | 'database_unavailable' | 'delivery_not_found' | 'department_in_use' | 'department_not_found' | 'endpoint_disabled' | 'endpoint_limit_reached' | 'endpoint_not_found' | 'forbidden' | 'headers_too_large' | 'held' | 'host_mismatch' | 'idempotency_in_progress' | 'idempotency_key_invalid' | 'idempotency_key_missing' | 'idempotency_key_reused' | 'internal' | 'invalid_request' | 'key_limit_reached' | 'key_not_found' | 'last_manage_key' | 'link_not_found' | 'link_used' | 'malformed_json' | 'media_damaged' | 'media_empty' | 'media_gone' | 'media_in_use' | 'media_not_found' | 'media_too_large' | 'message_not_failed' | 'message_not_found' | 'method_not_allowed' | 'not_found' | 'origin_mismatch' | 'provider_rejected' | 'provider_unavailable' | 'query_too_slow' | 'queue_full' | 'rate_limited' | 'request_timeout' | 'rotation_in_progress' | 'send_not_found' | 'send_state_conflict' | 'sender_exists' | 'sender_in_use' | 'sender_mismatch' | 'sender_not_configured' | 'sender_not_found' | 'session_invalid' | 'session_not_found' | 'slot_unavailable' | 'storage_full' | 'storage_unavailable' | 'template_changed' | 'template_exists' | 'template_in_use' | 'template_not_approved' | 'template_not_draft' | 'template_not_editable' | 'template_not_found' | 'template_not_paused' | 'unsupported_media_type' | 'upload_in_progress' | 'upload_timeout' | 'window_closed';

/** The error codes of each operation. */
export interface OperationErrors {
  listTemplates: 'api_key_invalid' | 'api_key_missing' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full';
  createTemplate: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'media_not_found' | 'method_not_allowed' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'sender_not_configured' | 'sender_not_found' | 'session_invalid' | 'storage_full' | 'template_exists' | 'unsupported_media_type';
  getTemplate: 'api_key_invalid' | 'api_key_missing' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'not_found' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full' | 'template_not_found';
  editTemplate: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'media_damaged' | 'media_not_found' | 'method_not_allowed' | 'not_found' | 'origin_mismatch' | 'provider_rejected' | 'provider_unavailable' | 'rate_limited' | 'request_timeout' | 'sender_not_configured' | 'session_invalid' | 'storage_full' | 'storage_unavailable' | 'template_in_use' | 'template_not_editable' | 'template_not_found' | 'unsupported_media_type';
  deleteTemplate: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'not_found' | 'origin_mismatch' | 'provider_rejected' | 'provider_unavailable' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full' | 'template_in_use' | 'template_not_found' | 'unsupported_media_type';
  listTemplateChanges: 'api_key_invalid' | 'api_key_missing' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'not_found' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full' | 'template_not_found';
  previewTemplate: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'not_found' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full' | 'template_not_found' | 'unsupported_media_type';
  submitTemplate: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'media_damaged' | 'media_not_found' | 'method_not_allowed' | 'not_found' | 'origin_mismatch' | 'provider_rejected' | 'provider_unavailable' | 'rate_limited' | 'request_timeout' | 'sender_not_configured' | 'session_invalid' | 'storage_full' | 'storage_unavailable' | 'template_in_use' | 'template_not_draft' | 'template_not_editable' | 'template_not_found' | 'unsupported_media_type';
  unpauseTemplate: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'not_found' | 'origin_mismatch' | 'provider_rejected' | 'provider_unavailable' | 'rate_limited' | 'request_timeout' | 'sender_not_configured' | 'session_invalid' | 'storage_full' | 'template_not_found' | 'template_not_paused' | 'unsupported_media_type';
  syncTemplates: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'origin_mismatch' | 'provider_rejected' | 'provider_unavailable' | 'rate_limited' | 'request_timeout' | 'sender_not_configured' | 'session_invalid' | 'storage_full' | 'unsupported_media_type';
  uploadMedia: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'idempotency_in_progress' | 'idempotency_key_invalid' | 'idempotency_key_reused' | 'internal' | 'invalid_request' | 'malformed_json' | 'media_empty' | 'media_too_large' | 'method_not_allowed' | 'origin_mismatch' | 'provider_rejected' | 'provider_unavailable' | 'rate_limited' | 'request_timeout' | 'sender_not_configured' | 'sender_not_found' | 'session_invalid' | 'storage_full' | 'storage_unavailable' | 'unsupported_media_type' | 'upload_timeout';
  listMedia: 'api_key_invalid' | 'api_key_missing' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full';
  getMedia: 'api_key_invalid' | 'api_key_missing' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'media_not_found' | 'method_not_allowed' | 'not_found' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full';
  deleteMedia: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'media_in_use' | 'media_not_found' | 'method_not_allowed' | 'not_found' | 'origin_mismatch' | 'provider_rejected' | 'provider_unavailable' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full' | 'storage_unavailable' | 'unsupported_media_type';
  downloadMedia: 'api_key_invalid' | 'api_key_missing' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'media_damaged' | 'media_not_found' | 'method_not_allowed' | 'not_found' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full' | 'storage_unavailable';
  sendTemplate: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'held' | 'host_mismatch' | 'idempotency_in_progress' | 'idempotency_key_invalid' | 'idempotency_key_reused' | 'internal' | 'invalid_request' | 'malformed_json' | 'media_not_found' | 'method_not_allowed' | 'origin_mismatch' | 'queue_full' | 'rate_limited' | 'request_timeout' | 'sender_mismatch' | 'sender_not_configured' | 'sender_not_found' | 'session_invalid' | 'storage_full' | 'template_not_approved' | 'template_not_found' | 'unsupported_media_type';
  listMessages: 'api_key_invalid' | 'api_key_missing' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'send_not_found' | 'session_invalid' | 'storage_full';
  getMessage: 'api_key_invalid' | 'api_key_missing' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'message_not_found' | 'method_not_allowed' | 'not_found' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full';
  resendMessage: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'content_removed' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'held' | 'host_mismatch' | 'idempotency_in_progress' | 'idempotency_key_invalid' | 'idempotency_key_reused' | 'internal' | 'invalid_request' | 'malformed_json' | 'media_not_found' | 'message_not_failed' | 'message_not_found' | 'method_not_allowed' | 'not_found' | 'origin_mismatch' | 'queue_full' | 'rate_limited' | 'request_timeout' | 'sender_mismatch' | 'sender_not_configured' | 'sender_not_found' | 'session_invalid' | 'storage_full' | 'template_changed' | 'template_not_approved' | 'template_not_found' | 'unsupported_media_type' | 'window_closed';
  createSend: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'idempotency_in_progress' | 'idempotency_key_invalid' | 'idempotency_key_reused' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'sender_mismatch' | 'sender_not_configured' | 'sender_not_found' | 'session_invalid' | 'storage_full' | 'template_not_found' | 'unsupported_media_type';
  listSends: 'api_key_invalid' | 'api_key_missing' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full';
  changeSend: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'not_found' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'send_not_found' | 'send_state_conflict' | 'sender_mismatch' | 'sender_not_configured' | 'sender_not_found' | 'session_invalid' | 'storage_full' | 'unsupported_media_type';
  deleteSend: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'not_found' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'send_not_found' | 'send_state_conflict' | 'session_invalid' | 'storage_full' | 'unsupported_media_type' | 'upload_in_progress';
  getSend: 'api_key_invalid' | 'api_key_missing' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'not_found' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'send_not_found' | 'session_invalid' | 'storage_full';
  addRecipients: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'media_not_found' | 'method_not_allowed' | 'not_found' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'send_not_found' | 'send_state_conflict' | 'session_invalid' | 'storage_full' | 'template_changed' | 'unsupported_media_type' | 'upload_in_progress' | 'upload_timeout';
  listRecipients: 'api_key_invalid' | 'api_key_missing' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'not_found' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'send_not_found' | 'session_invalid' | 'storage_full';
  emptySend: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'not_found' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'send_not_found' | 'send_state_conflict' | 'session_invalid' | 'storage_full' | 'unsupported_media_type' | 'upload_in_progress';
  checkSend: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'not_found' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'send_not_found' | 'send_state_conflict' | 'session_invalid' | 'storage_full' | 'unsupported_media_type' | 'upload_in_progress';
  exportRecipients: 'api_key_invalid' | 'api_key_missing' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'not_found' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'send_not_found' | 'session_invalid' | 'storage_full';
  exportMessages: 'api_key_invalid' | 'api_key_missing' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full';
  startSend: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'held' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'not_found' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'send_not_found' | 'send_state_conflict' | 'sender_mismatch' | 'sender_not_configured' | 'session_invalid' | 'storage_full' | 'template_changed' | 'template_not_approved' | 'unsupported_media_type' | 'upload_in_progress';
  pauseSend: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'not_found' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'send_not_found' | 'send_state_conflict' | 'session_invalid' | 'storage_full' | 'unsupported_media_type';
  resumeSend: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'held' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'not_found' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'send_not_found' | 'send_state_conflict' | 'sender_mismatch' | 'sender_not_configured' | 'session_invalid' | 'storage_full' | 'template_changed' | 'template_not_approved' | 'unsupported_media_type';
  cancelSend: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'not_found' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'send_not_found' | 'send_state_conflict' | 'session_invalid' | 'storage_full' | 'unsupported_media_type';
  sendReply: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'held' | 'host_mismatch' | 'idempotency_in_progress' | 'idempotency_key_invalid' | 'idempotency_key_reused' | 'internal' | 'invalid_request' | 'malformed_json' | 'media_not_found' | 'message_not_found' | 'method_not_allowed' | 'origin_mismatch' | 'queue_full' | 'rate_limited' | 'request_timeout' | 'sender_not_found' | 'session_invalid' | 'storage_full' | 'unsupported_media_type' | 'window_closed';
  listReceivedMessages: 'api_key_invalid' | 'api_key_missing' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full';
  getReceivedMessage: 'api_key_invalid' | 'api_key_missing' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'message_not_found' | 'method_not_allowed' | 'not_found' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full';
  markMessageRead: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'held' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'message_not_found' | 'method_not_allowed' | 'not_found' | 'origin_mismatch' | 'provider_rejected' | 'provider_unavailable' | 'rate_limited' | 'request_timeout' | 'sender_not_found' | 'session_invalid' | 'storage_full' | 'unsupported_media_type';
  downloadReceivedMedia: 'api_key_invalid' | 'api_key_missing' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'media_gone' | 'media_not_found' | 'media_too_large' | 'message_not_found' | 'method_not_allowed' | 'not_found' | 'provider_rejected' | 'provider_unavailable' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full';
  listContacts: 'api_key_invalid' | 'api_key_missing' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full';
  getContact: 'api_key_invalid' | 'api_key_missing' | 'conflict' | 'contact_not_found' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'not_found' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full';
  erasePerson: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'booking_not_changeable' | 'booking_open' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'held' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'origin_mismatch' | 'provider_rejected' | 'provider_unavailable' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full' | 'unsupported_media_type';
  listContactMessages: 'api_key_invalid' | 'api_key_missing' | 'conflict' | 'contact_not_found' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'not_found' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full';
  listOptOuts: 'api_key_invalid' | 'api_key_missing' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full';
  putOptOutOfUser: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full' | 'unsupported_media_type';
  deleteOptOutOfUser: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full' | 'unsupported_media_type';
  importOptOuts: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full' | 'unsupported_media_type' | 'upload_timeout';
  exportOptOuts: 'api_key_invalid' | 'api_key_missing' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full';
  getOptOutSettings: 'api_key_invalid' | 'api_key_missing' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full';
  putOptOutSettings: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full' | 'unsupported_media_type';
  putOptOut: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'not_found' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full' | 'unsupported_media_type';
  deleteOptOut: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'not_found' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full' | 'unsupported_media_type';
  listDepartments: 'api_key_invalid' | 'api_key_missing' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full';
  createDepartment: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full' | 'unsupported_media_type';
  listStaff: 'api_key_invalid' | 'api_key_missing' | 'conflict' | 'database_unavailable' | 'department_not_found' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full';
  createStaffMember: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'department_not_found' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full' | 'unsupported_media_type';
  listFormQuestions: 'api_key_invalid' | 'api_key_missing' | 'appointment_user_not_found' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full';
  listAvailableSlots: 'api_key_invalid' | 'api_key_missing' | 'appointment_user_not_found' | 'calendar_not_connected' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'provider_rejected' | 'provider_unavailable' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full';
  explainSlots: 'api_key_invalid' | 'api_key_missing' | 'appointment_user_not_found' | 'calendar_not_connected' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'provider_rejected' | 'provider_unavailable' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full';
  getCalendarAuthUrl: 'api_key_invalid' | 'api_key_missing' | 'appointment_user_not_found' | 'calendar_provider_not_configured' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full';
  getCalendarStatus: 'api_key_invalid' | 'api_key_missing' | 'appointment_user_not_found' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'provider_rejected' | 'provider_unavailable' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full';
  connectCalendar: 'api_key_invalid' | 'api_key_missing' | 'appointment_user_not_found' | 'body_too_large' | 'calendar_not_connected' | 'calendar_provider_not_configured' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'not_found' | 'origin_mismatch' | 'provider_rejected' | 'provider_unavailable' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full' | 'unsupported_media_type';
  disconnectCalendar: 'api_key_invalid' | 'api_key_missing' | 'appointment_user_not_found' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'not_found' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full' | 'unsupported_media_type';
  updateDepartment: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'department_not_found' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'not_found' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full' | 'unsupported_media_type';
  deleteDepartment: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'department_in_use' | 'department_not_found' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'not_found' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full' | 'unsupported_media_type';
  updateStaffMember: 'api_key_invalid' | 'api_key_missing' | 'appointment_user_not_found' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'department_not_found' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'not_found' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full' | 'unsupported_media_type';
  deleteStaffMember: 'api_key_invalid' | 'api_key_missing' | 'appointment_user_not_found' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'not_found' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full' | 'unsupported_media_type';
  getSchedule: 'api_key_invalid' | 'api_key_missing' | 'appointment_user_not_found' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'not_found' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full';
  setSchedule: 'api_key_invalid' | 'api_key_missing' | 'appointment_user_not_found' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'not_found' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full' | 'unsupported_media_type';
  setFormQuestions: 'api_key_invalid' | 'api_key_missing' | 'appointment_user_not_found' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'not_found' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full' | 'unsupported_media_type';
  bookAppointment: 'api_key_invalid' | 'api_key_missing' | 'appointment_user_not_found' | 'body_too_large' | 'calendar_not_connected' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'held' | 'host_mismatch' | 'idempotency_in_progress' | 'idempotency_key_invalid' | 'idempotency_key_missing' | 'idempotency_key_reused' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'origin_mismatch' | 'provider_rejected' | 'provider_unavailable' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'slot_unavailable' | 'storage_full' | 'unsupported_media_type';
  listBookings: 'api_key_invalid' | 'api_key_missing' | 'appointment_user_not_found' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full';
  getBooking: 'api_key_invalid' | 'api_key_missing' | 'booking_not_found' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'not_found' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full';
  cancelBooking: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'booking_not_changeable' | 'booking_not_found' | 'calendar_not_connected' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'held' | 'host_mismatch' | 'idempotency_in_progress' | 'idempotency_key_invalid' | 'idempotency_key_reused' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'not_found' | 'origin_mismatch' | 'provider_rejected' | 'provider_unavailable' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full' | 'unsupported_media_type';
  rescheduleBooking: 'api_key_invalid' | 'api_key_missing' | 'appointment_user_not_found' | 'body_too_large' | 'booking_not_changeable' | 'booking_not_found' | 'calendar_not_connected' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'held' | 'host_mismatch' | 'idempotency_in_progress' | 'idempotency_key_invalid' | 'idempotency_key_reused' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'not_found' | 'origin_mismatch' | 'provider_rejected' | 'provider_unavailable' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'slot_unavailable' | 'storage_full' | 'unsupported_media_type';
  listEndpoints: 'api_key_invalid' | 'api_key_missing' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full';
  createEndpoint: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'endpoint_limit_reached' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full' | 'unsupported_media_type';
  getEndpoint: 'api_key_invalid' | 'api_key_missing' | 'conflict' | 'database_unavailable' | 'endpoint_not_found' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'not_found' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full';
  updateEndpoint: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'endpoint_not_found' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'not_found' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full' | 'unsupported_media_type';
  deleteEndpoint: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'endpoint_not_found' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'not_found' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full' | 'unsupported_media_type';
  rotateEndpointSecret: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'endpoint_not_found' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'not_found' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'rotation_in_progress' | 'session_invalid' | 'storage_full' | 'unsupported_media_type';
  activateEndpointSecret: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'endpoint_not_found' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'not_found' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full' | 'unsupported_media_type';
  testEndpoint: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'endpoint_not_found' | 'forbidden' | 'headers_too_large' | 'held' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'not_found' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full' | 'unsupported_media_type';
  replayEndpoint: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'endpoint_disabled' | 'endpoint_not_found' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'not_found' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full' | 'unsupported_media_type';
  listReplays: 'api_key_invalid' | 'api_key_missing' | 'conflict' | 'database_unavailable' | 'endpoint_not_found' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'not_found' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full';
  listDeliveries: 'api_key_invalid' | 'api_key_missing' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full';
  getDelivery: 'api_key_invalid' | 'api_key_missing' | 'conflict' | 'database_unavailable' | 'delivery_not_found' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'not_found' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full';
  replayDelivery: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'delivery_not_found' | 'endpoint_disabled' | 'endpoint_not_found' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'not_found' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full' | 'unsupported_media_type';
  getOverview: 'api_key_invalid' | 'api_key_missing' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full';
  getMessageStatistics: 'api_key_invalid' | 'api_key_missing' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full';
  getFailureStatistics: 'api_key_invalid' | 'api_key_missing' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full';
  getWebhookStatistics: 'api_key_invalid' | 'api_key_missing' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full';
  getAppointmentStatistics: 'api_key_invalid' | 'api_key_missing' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full';
  listSenders: 'api_key_invalid' | 'api_key_missing' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full';
  createSender: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'origin_mismatch' | 'provider_rejected' | 'provider_unavailable' | 'rate_limited' | 'request_timeout' | 'sender_exists' | 'session_invalid' | 'storage_full' | 'unsupported_media_type';
  getSenderChecks: 'api_key_invalid' | 'api_key_missing' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'not_found' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'sender_not_found' | 'session_invalid' | 'storage_full';
  runSenderChecks: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'not_found' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'sender_not_found' | 'session_invalid' | 'storage_full' | 'unsupported_media_type';
  subscribeSender: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'not_found' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'sender_not_found' | 'session_invalid' | 'storage_full' | 'unsupported_media_type';
  updateSender: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'not_found' | 'origin_mismatch' | 'provider_rejected' | 'provider_unavailable' | 'rate_limited' | 'request_timeout' | 'sender_not_found' | 'session_invalid' | 'storage_full' | 'unsupported_media_type';
  deleteSender: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'not_found' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'sender_in_use' | 'sender_not_found' | 'session_invalid' | 'storage_full' | 'unsupported_media_type';
  listKeys: 'api_key_invalid' | 'api_key_missing' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full';
  createKey: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'key_limit_reached' | 'malformed_json' | 'method_not_allowed' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full' | 'unsupported_media_type';
  rotateKey: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'key_limit_reached' | 'key_not_found' | 'malformed_json' | 'method_not_allowed' | 'not_found' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'rotation_in_progress' | 'session_invalid' | 'storage_full' | 'unsupported_media_type';
  revokeKey: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'key_not_found' | 'last_manage_key' | 'malformed_json' | 'method_not_allowed' | 'not_found' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full' | 'unsupported_media_type';
  signIn: 'api_key_invalid' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'link_used' | 'malformed_json' | 'method_not_allowed' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'storage_full' | 'unsupported_media_type';
  getCurrentCaller: 'api_key_invalid' | 'api_key_missing' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full';
  signOut: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'session_not_found' | 'storage_full' | 'unsupported_media_type';
  describeLink: 'body_too_large' | 'conflict' | 'database_unavailable' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'link_used' | 'malformed_json' | 'method_not_allowed' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'storage_full' | 'unsupported_media_type';
  streamEvents: 'api_key_invalid' | 'api_key_missing' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full';
  listAudit: 'api_key_invalid' | 'api_key_missing' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full';
  listSessions: 'api_key_invalid' | 'api_key_missing' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full';
  endSession: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'not_found' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'session_not_found' | 'storage_full' | 'unsupported_media_type';
  listDashboardLinks: 'api_key_invalid' | 'api_key_missing' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full';
  createDashboardLink: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full' | 'unsupported_media_type';
  deleteDashboardLink: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'link_not_found' | 'malformed_json' | 'method_not_allowed' | 'not_found' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full' | 'unsupported_media_type';
  getRetention: 'api_key_invalid' | 'api_key_missing' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full';
  putRetention: 'api_key_invalid' | 'api_key_missing' | 'body_too_large' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'malformed_json' | 'method_not_allowed' | 'origin_mismatch' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full' | 'unsupported_media_type';
  getOperatorHealth: 'api_key_invalid' | 'api_key_missing' | 'conflict' | 'database_unavailable' | 'forbidden' | 'headers_too_large' | 'host_mismatch' | 'internal' | 'invalid_request' | 'method_not_allowed' | 'query_too_slow' | 'rate_limited' | 'request_timeout' | 'session_invalid' | 'storage_full';
}

/** Every operation of the API. */
export interface Operations {
  /** List templates. Newest first, with their content and their state at the messaging platform. Scope: `templates:read`. */
  listTemplates(
    input?: {
      /** Only templates with this status. */
      status?: "approved" | "submitted" | "draft";
      /** Only templates of this category. */
      category?: "AUTHENTICATION" | "MARKETING" | "UTILITY";
      /** Only templates in this language. */
      language?: string;
      /** Only templates of this business account (the platform's id). */
      businessAccountId?: string;
      /** Only templates whose name contains this text. */
      search?: string;
      /** Number of the page. */
      page?: number;
      /** Items per page. */
      limit?: number;
    },
    options?: CallOptions,
  ): Pages<Template, Pagination>;

  /** Create a draft. The draft is not sent to the platform until you submit it. Scope: `manage`. */
  createTemplate(
    input: {
      body: CreateTemplate;
    },
    options?: CallOptions,
  ): Promise<TemplateDetail>;

  /** Get a template. Returns the template and the variables that a send must fill. Scope: `templates:read`. */
  getTemplate(
    input: {
      /** Id of the template (`_id`). */
      templateId: string;
    },
    options?: CallOptions,
  ): Promise<TemplateDetail>;

  /** Edit a template. Edits a draft, or a template at the platform, which reviews it again. If the template already has the given values, nothing happens; submit a rejected template to have it reviewed again as it is. The platform allows edits of approved, rejected and paused templates; of an approved one once in 24 hours and 10 times in 30 days, and never of its category. Otherwise returns 409 `template_not_editable` with `editableAt`. Returns 409 `template_in_use` while messages of the template are queued, unless `cancelQueued` is true, and 409 `conflict` while a draft is being submitted. Scope: `manage`. */
  editTemplate(
    input: {
      /** Whether to cancel queued messages of the template first. */
      cancelQueued?: boolean;
      /** Id of the template (`_id`). */
      templateId: string;
      body: EditTemplate;
    },
    options?: CallOptions,
  ): Promise<TemplateDetail>;

  /** Delete a template. Deletes the template here and at the platform; only here if the account has no sender of its business account left. Returns 409 `template_in_use` while messages of the template are queued, unless `cancelQueued` is true, and 409 `conflict` while a draft is being submitted. Scope: `manage`. */
  deleteTemplate(
    input: {
      /** Whether to cancel queued messages of the template first. */
      cancelQueued?: boolean;
      /** Id of the template (`_id`). */
      templateId: string;
    },
    options?: CallOptions,
  ): Promise<DeletedTemplate>;

  /** List the changes of a template. Every change of its status, category or quality by the platform, newest first, since this list exists. The same changes are `templates.status` events. Scope: `templates:read`. */
  listTemplateChanges(
    input: {
      /** Items per page. */
      limit?: number;
      /** The `nextCursor` of the previous page; omit it for the first page. */
      cursor?: string;
      /** Id of the template (`_id`). */
      templateId: string;
    },
    options?: CallOptions,
  ): Pages<TemplateHistoryItem, CursorPagination>;

  /** Preview a template. Returns the text of every part as the recipient would see it. Sends nothing. If something is missing or invalid, `errors` lists it, and the status is still 200; a placeholder without a value keeps its braces. Scope: `templates:read`. */
  previewTemplate(
    input: {
      /** Id of the template (`_id`). */
      templateId: string;
      body?: PreviewTemplate;
    },
    options?: CallOptions,
  ): Promise<TemplatePreview>;

  /** Submit a template for review. Submits a draft, or a rejected template again. The platform reviews it, and an event `templates.status` reports the result. Returns 409 `conflict` while another request submits the draft, or while it is unknown whether the platform received its last submission, and 409 `template_in_use` while messages of the template are queued, unless `cancelQueued` is true. Scope: `manage`. */
  submitTemplate(
    input: {
      /** Whether to cancel queued messages of the template first. */
      cancelQueued?: boolean;
      /** Id of the template (`_id`). */
      templateId: string;
    },
    options?: CallOptions,
  ): Promise<TemplateDetail>;

  /** End the pause of a template. Ends a pause of the platform; one from its first sends, which the platform delivers in portions, ends no other way. The status changes seconds later, reported by an event `templates.status`, and queued messages are sent. Returns 502 with the platform’s reason if it does not end the pause, as in its first five minutes. Scope: `manage`. */
  unpauseTemplate(
    input: {
      /** Id of the template (`_id`). */
      templateId: string;
    },
    options?: CallOptions,
  ): Promise<TemplateDetail>;

  /** Synchronize templates with the platform. Reads the templates of every business account from the platform. The platform limits how often its list can be read: requests shortly after one another share one reading (`reused`), and the gateway reads the list again at `nextReadAt`. Scope: `manage`. */
  syncTemplates(
    input?: Record<never, never>,
    options?: CallOptions,
  ): Promise<TemplateSync>;

  /** Upload a file. Stores one file encrypted and registers it with the messaging platform. Use the returned `mediaId` in sends. Limits: JPEG and PNG 5 MB, MP4 and 3GPP 16 MB, PDF, Office and plain text 100 MB. Uploading the same file again within a day returns the same record. Scope: `media:write`. */
  uploadMedia(
    input: {
      /** Id of the sender that registers the file with the platform. Another sender of the account does it while this one is unavailable. Default: the default sender. */
      senderId?: string;
      body: UploadMedia;
    },
    options?: CallOptions,
  ): Promise<Media>;

  /** List files. Newest first. Scope: `media:write`. */
  listMedia(
    input?: {
      /** Items per page. */
      limit?: number;
      /** The `nextCursor` of the previous page; omit it for the first page. */
      cursor?: string;
    },
    options?: CallOptions,
  ): Pages<Media, CursorPagination>;

  /** Get a file’s record. Scope: `media:write`. */
  getMedia(
    input: {
      /** Id of the file (`mediaId`). */
      mediaId: string;
    },
    options?: CallOptions,
  ): Promise<Media>;

  /** Delete a file. Returns 409 `media_in_use` while queued messages need the file. Scope: `media:write`. */
  deleteMedia(
    input: {
      /** Id of the file (`mediaId`). */
      mediaId: string;
    },
    options?: CallOptions,
  ): Promise<DeletedMedia>;

  /** Download a file. Returns the file as it was uploaded. JPEG and PNG images and MP4 and 3GPP videos are `inline`, all others attachments. The gateway checks length and digest before it sends the first byte. Scope: `media:write`. */
  downloadMedia(
    input: {
      /** Id of the file (`mediaId`). */
      mediaId: string;
    },
    options?: CallOptions,
  ): Promise<Response>;

  /** Send a template. Sends an approved template to 1 to 1,000 recipients. Nothing is sent unless the whole request is valid. The response reports the result for each recipient. With `Prefer: respond-async` it is 202, without waiting for the platform. Scope: `messages:send`. */
  sendTemplate(
    input: {
      body: SendTemplate;
    },
    options?: CallOptions,
  ): Promise<SendResult>;

  /** List messages. Newest first, each with its timeline; what it says (`variables`, `text`) only for keys with `conversations:read`. Replies are listed only with `kind=reply` or `kind=all`. Messages of drafts, scheduled and paused sends, which wait apart from the queue, are listed only with `sendId`. A page of a filtered list can hold fewer than `limit` items, even none, although more follow: continue until `nextCursor` is null. Scope: `messages:read`. */
  listMessages(
    input?: {
      /** Only messages of this send. */
      sendId?: string;
      /** Only messages with this status. */
      status?: "queued" | "dispatching" | "accepted" | "sent" | "delivered" | "read" | "failed";
      /** Only messages to this number. */
      phone?: string;
      /** Only messages of this template. */
      templateId?: string;
      /** Only messages of this sender. */
      senderId?: string;
      /** Only messages whose recipient's `name` contains this, without regard to case. */
      name?: string;
      /** Only messages with this entry in `metadata`, as `key=value`. The key may contain `=` too. */
      metadata?: string;
      /** Only messages of sends (`template`), only replies, or both. */
      kind?: "template" | "reply" | "all";
      /** Only the message with this platform's identifier. */
      messageId?: string;
      /** Only messages created at or after this instant. */
      from?: string;
      /** Only messages created before this instant. */
      to?: string;
      /** Items per page. */
      limit?: number;
      /** The `nextCursor` of the previous page; omit it for the first page. */
      cursor?: string;
    },
    options?: CallOptions,
  ): Pages<Message, CursorPagination>;

  /** Get a message. Returns the message with the text of its parts (only for keys with `conversations:read`), its timeline and its webhook deliveries. Scope: `messages:read`. */
  getMessage(
    input: {
      /** Id of the message (`id`). */
      id: string;
    },
    options?: CallOptions,
  ): Promise<MessageDetail>;

  /** Resend a failed message. Sends the content of a failed message or reply again as a new one, checked like any send or reply. The body is optional. A message is resent once: a repeated request returns the same new message. Scope: `messages:send`. */
  resendMessage(
    input: {
      /** Id of the message (`id`). */
      id: string;
      body?: ResendMessage;
    },
    options?: CallOptions,
  ): Promise<Message>;

  /** Create a draft. Creates a send without recipients. Add them, then start it. Nothing is sent before. The template, sender and media file that it names cannot be removed. Scope: `messages:send`. */
  createSend(
    input: {
      body: CreateSend;
    },
    options?: CallOptions,
  ): Promise<Send>;

  /** List sends. Newest first. Lists sends that were made as drafts, or with `name` or `sendAt`; `kind=all` lists every send. A page of a filtered list can hold fewer than `limit` items: continue until `nextCursor` is null. Scope: `messages:read`. */
  listSends(
    input?: {
      /** `campaign` (default): sends that were made as drafts, or with `name` or `sendAt`. `all`: every send. */
      kind?: "campaign" | "all";
      /** Only sends in this state. */
      state?: "draft" | "scheduled" | "sending" | "paused" | "done" | "cancelled";
      /** Only sends of this template. */
      templateId?: string;
      /** Only sends of this sender. */
      senderId?: string;
      /** Only sends created at or after this instant. */
      from?: string;
      /** Only sends created before this instant. */
      to?: string;
      /** Items per page. */
      limit?: number;
      /** The `nextCursor` of the previous page; omit it for the first page. */
      cursor?: string;
    },
    options?: CallOptions,
  ): Pages<SendItem, CursorPagination>;

  /** Change a send. A draft can be changed in everything but its template; `sendAt` until the send starts or while it is paused; `name` always. Scope: `messages:send`. */
  changeSend(
    input: {
      /** Id of the send (`sendId`). */
      sendId: string;
      body: ChangeSend;
    },
    options?: CallOptions,
  ): Promise<Send>;

  /** Delete a draft. Deletes the draft with its recipients. Scope: `messages:send`. */
  deleteSend(
    input: {
      /** Id of the send (`sendId`). */
      sendId: string;
    },
    options?: CallOptions,
  ): Promise<DeletedSend>;

  /** Get a send. Returns the state of the send, its rate, and its recipients by status. Scope: `messages:read`. */
  getSend(
    input: {
      /** Id of the send (`sendId`). */
      sendId: string;
    },
    options?: CallOptions,
  ): Promise<Send>;

  /** Add recipients to a draft. JSON with up to 1,000 recipients, or a file as `text/csv` or `application/x-ndjson` of up to 512 MB, with rows of up to 64 KB. A send has up to 1,000,000 recipients. Rows are added in order, 1,000 at a time; after a broken connection the same file can be posted again. Scope: `messages:send`. */
  addRecipients(
    input: {
      /** For CSV: a JSON object from column to field, such as `{"Mobile": "phone", "First name": "1"}`. Other columns are not read. */
      mapping?: string;
      /** Id of the send (`sendId`). */
      sendId: string;
      body: AddRecipients | string | Blob;
    },
    options?: CallOptions,
  ): Promise<AddedRecipients>;

  /** List the recipients of a send. In the order in which they were added. A page of a filtered list can hold fewer than `limit` items: continue until `nextCursor` is null. Scope: `messages:read`. */
  listRecipients(
    input: {
      /** Only recipients with this status. */
      status?: "waiting" | "queued" | "dispatching" | "accepted" | "sent" | "delivered" | "read" | "failed";
      /** Items per page. */
      limit?: number;
      /** The `nextCursor` of the previous page; omit it for the first page. */
      cursor?: string;
      /** Id of the send (`sendId`). */
      sendId: string;
    },
    options?: CallOptions,
  ): Pages<SendRecipient, CursorPagination>;

  /** Remove the recipients of a draft. Removes all of them. Scope: `messages:send`. */
  emptySend(
    input: {
      /** Id of the send (`sendId`). */
      sendId: string;
    },
    options?: CallOptions,
  ): Promise<RemovedRecipients>;

  /** Check the recipients of a send again. Fills the template, as it is now, for every recipient of a send that has not started. If all fit, the send accepts the new text; else it cannot start until they are removed. Scope: `messages:send`. */
  checkSend(
    input: {
      /** Id of the send (`sendId`). */
      sendId: string;
    },
    options?: CallOptions,
  ): Promise<CheckedRecipients>;

  /** Export the recipients of a send as CSV. Streams every recipient in the order of adding. One export a key at a time (429). If it fails in the middle, the connection is aborted. Scope: `messages:read`. */
  exportRecipients(
    input: {
      /** Id of the send (`sendId`). */
      sendId: string;
    },
    options?: CallOptions,
  ): Promise<Response>;

  /** Export messages as CSV. Streams the messages of the account, oldest first. One export a key at a time (429). If it fails in the middle, the connection is aborted. Scope: `messages:read`. */
  exportMessages(
    input?: {
      /** Only messages created at or after this instant. */
      from?: string;
      /** Only messages created before this instant. Default: now. */
      to?: string;
      /** Only messages of sends (`template`), only replies, or both. */
      kind?: "template" | "reply" | "all";
    },
    options?: CallOptions,
  ): Promise<Response>;

  /** Start a send. Starts a draft, or schedules it if its `sendAt` is in the future. Starts a scheduled send now. No effect on a send that is already `sending`. Scope: `messages:send`. */
  startSend(
    input: {
      /** Id of the send (`sendId`). */
      sendId: string;
    },
    options?: CallOptions,
  ): Promise<Send>;

  /** Pause a send. No call begins for its messages after the response; calls in flight are finished. Queued messages leave the queue. A paused send keeps expiring. Scope: `messages:send`. */
  pauseSend(
    input: {
      /** Id of the send (`sendId`). */
      sendId: string;
    },
    options?: CallOptions,
  ): Promise<Send>;

  /** Resume a paused send. Continues the send, or schedules it if its `sendAt` is in the future. Scope: `messages:send`. */
  resumeSend(
    input: {
      /** Id of the send (`sendId`). */
      sendId: string;
    },
    options?: CallOptions,
  ): Promise<Send>;

  /** Cancel a send. Recipients that wait or are queued fail with code 900003. Others are not affected. A send that is done cannot be cancelled. Scope: `messages:send`. */
  cancelSend(
    input: {
      /** Id of the send (`sendId`). */
      sendId: string;
    },
    options?: CallOptions,
  ): Promise<Send>;

  /** Reply to a person. Sends a message without a template to a person who wrote to your number in the last 24 hours: text, a file, a place, contact cards, a reaction, or text with buttons, a list or a link. Outside this window the platform allows templates only: 409 `window_closed` with `closedAt`. A reply that is still queued when the window closes fails with 900002. Its stages are `replies.status` events. Scope: `messages:send`. */
  sendReply(
    input: {
      body: Reply;
    },
    options?: CallOptions,
  ): Promise<ReplyResult>;

  /** List received messages. Newest first, by the platform's time. A page of a filtered list can hold fewer than `limit` items, even none, although more follow: continue until `nextCursor` is null. Scope: `conversations:read`. */
  listReceivedMessages(
    input?: {
      /** Only of the person with this number, also under their other ids. */
      phone?: string;
      /** Only of the person with this id of the platform. */
      userId?: string;
      /** Only messages to this number. */
      senderId?: string;
      /** Only messages of this type, in the platform's word. */
      type?: string;
      /** Only messages at or after this instant of the platform's time. */
      from?: string;
      /** Only messages before this instant of the platform's time. */
      to?: string;
      /** Items per page. */
      limit?: number;
      /** The `nextCursor` of the previous page; omit it for the first page. */
      cursor?: string;
    },
    options?: CallOptions,
  ): Pages<ReceivedMessage, CursorPagination>;

  /** Get a received message. Scope: `conversations:read`. */
  getReceivedMessage(
    input: {
      /** Id of the received. */
      id: string;
    },
    options?: CallOptions,
  ): Promise<ReceivedMessage>;

  /** Mark a received message as read. The platform also marks the earlier messages of the person, and they no longer count in `unreadCount` of the contact. It accepts messages of the last 30 days. The body is optional. Scope: `messages:send`. */
  markMessageRead(
    input: {
      /** Id of the received. */
      id: string;
      body?: MarkRead;
    },
    options?: CallOptions,
  ): Promise<MarkedRead>;

  /** Download the file of a received message. Fetched from the messaging platform for each download, up to 100 MB. The platform keeps received files for seven days; afterwards 410 `media_gone`. JPEG, PNG, WebP, MP4, 3GPP, OGG and AAC files are `inline`, all others attachments. Scope: `conversations:read`. */
  downloadReceivedMedia(
    input: {
      /** Id of the received. */
      id: string;
    },
    options?: CallOptions,
  ): Promise<Response>;

  /** List contacts. Everybody who wrote to one of your numbers, and recipients whose number the platform writes differently. Newest contact first, or with `sort=-lastMessageAt` newest conversation first. That order, and what `search` finds, are seconds behind. A page can hold fewer than `limit` items although more follow: continue until `nextCursor` is null. Scope: `conversations:read`. */
  listContacts(
    input?: {
      /** Only of the person with this number, also under their other ids. */
      phone?: string;
      /** Only of the person with this id of the platform. */
      userId?: string;
      /** The beginnings of words of a name, in any order and without regard to case and accents; or a number, from its beginning or to its end. Sorted by the word that was found. Not together with `phone`, `userId`, `state` or `sort`. */
      search?: string;
      /** Only people who can be answered without a template now, whose last message has no reply, or who opted out. Sorted by the last message, newest first; `opted_out` by the opt-out. Not together with `phone`, `userId`, `search` or `sort`. */
      state?: "window_open" | "unanswered" | "opted_out";
      /** Newest contact first, or newest conversation first: by the last received message or reply. The latter leaves out contacts without either. */
      sort?: "-createdAt" | "-lastMessageAt";
      /** Items per page. */
      limit?: number;
      /** The `nextCursor` of the previous page; omit it for the first page. */
      cursor?: string;
    },
    options?: CallOptions,
  ): Pages<Contact, CursorPagination>;

  /** Get a contact. Scope: `conversations:read`. */
  getContact(
    input: {
      /** Id of the contacts. */
      id: string;
    },
    options?: CallOptions,
  ): Promise<Contact>;

  /** Erase a person. Removes phone, name, variables, texts, metadata, answers and e-mail address of a person from messages, received messages, recipients, bookings, webhook deliveries and stored answers. Ids, states, times and counts stay. Queued messages are cancelled. An opt-out stays as a hash of the number. Open bookings: 409 `booking_open` unless `cancelBookings`. Safe to repeat. Scope: `manage`. */
  erasePerson(
    input: {
      body: ErasePerson;
    },
    options?: CallOptions,
  ): Promise<Erasure>;

  /** List the messages of a contact. Messages from and to the contact, newest first. Scope: `conversations:read`. */
  listContactMessages(
    input: {
      /** Items per page. */
      limit?: number;
      /** The `nextCursor` of the previous page; omit it for the first page. */
      cursor?: string;
      /** Id of the contacts. */
      id: string;
    },
    options?: CallOptions,
  ): Pages<ContactMessage, CursorPagination>;

  /** List opt-outs. People who do not want messages, newest first. Scope: `messages:read`. */
  listOptOuts(
    input?: {
      /** Only the opt-out of the person with this number, also under their other ids. */
      phone?: string;
      /** Only the opt-out of the person with this id of the platform. */
      userId?: string;
      /** Items per page. */
      limit?: number;
      /** The `nextCursor` of the previous page; omit it for the first page. */
      cursor?: string;
    },
    options?: CallOptions,
  ): Pages<OptOut, CursorPagination>;

  /** Opt a person out by the platform’s id. The same for a person whose number the platform hides. Scope: `messages:send`. */
  putOptOutOfUser(
    input: {
      /** The platform's id of the person. */
      userId: string;
      body: PutOptOut;
    },
    options?: CallOptions,
  ): Promise<OptOut>;

  /** Opt a person in again by the platform’s id. The same for a person whose number the platform hides. Scope: `messages:send`. */
  deleteOptOutOfUser(
    input: {
      /** The platform's id of the person. */
      userId: string;
    },
    options?: CallOptions,
  ): Promise<RemovedOptOut>;

  /** Import opt-outs. A CSV file of up to 512 MB, as another system or `GET /v1/opt-outs.csv` made it. Each row is what `PUT` does, at its `createdAt`: a newer decision of the person stays. Rows are imported in order, 1,000 at a time; after a broken connection the same file can be posted again. Scope: `messages:send`. */
  importOptOuts(
    input: {
      body: OptOutsFile | string | Blob;
    },
    options?: CallOptions,
  ): Promise<ImportedOptOuts>;

  /** Export opt-outs. CSV (RFC 4180), newest first, streamed. A cell that a spreadsheet would run as a formula begins with an apostrophe. One export of a key at a time. Scope: `messages:read`. */
  exportOptOuts(
    input?: Record<never, never>,
    options?: CallOptions,
  ): Promise<Response>;

  /** Get the words and buttons of opt-outs. Scope: `manage`. */
  getOptOutSettings(
    input?: Record<never, never>,
    options?: CallOptions,
  ): Promise<OptOutSettings>;

  /** Set the words and buttons of opt-outs. Replaces the lists. A word counts only as the whole text of a message. What people wrote before is not read again. Scope: `manage`. */
  putOptOutSettings(
    input: {
      body: PutOptOutSettings;
    },
    options?: CallOptions,
  ): Promise<OptOutSettings>;

  /** Opt a person out. The number need not be known to the gateway. It holds for every number and id that the platform names together with it. What this operation stops as `all` is lifted by this operation and `DELETE` alone; `marketing` also by a start word and by the platform. Scope: `messages:send`. */
  putOptOut(
    input: {
      /** Id of the opt-outs. */
      phone: string;
      body: PutOptOut;
    },
    options?: CallOptions,
  ): Promise<OptOut>;

  /** Opt a person in again. The person receives everything again, whoever had opted them out. Safe to repeat: `removed` is false if they had not opted out. Scope: `messages:send`. */
  deleteOptOut(
    input: {
      /** Id of the opt-outs. */
      phone: string;
    },
    options?: CallOptions,
  ): Promise<RemovedOptOut>;

  /** List departments. Scope: `appointments:read`. */
  listDepartments(
    input?: {
      /** Whether to include inactive items. */
      includeInactive?: boolean;
      /** Number of the page. */
      page?: number;
      /** Items per page. */
      limit?: number;
    },
    options?: CallOptions,
  ): Pages<Department, Pagination>;

  /** Create a department. Scope: `manage`. */
  createDepartment(
    input: {
      body: CreateDepartment;
    },
    options?: CallOptions,
  ): Promise<Department>;

  /** List staff. The people who can be booked. Scope: `appointments:read`. */
  listStaff(
    input?: {
      /** Only staff of this department. */
      departmentId?: string;
      /** Whether to include inactive items. */
      includeInactive?: boolean;
      /** Number of the page. */
      page?: number;
      /** Items per page. */
      limit?: number;
    },
    options?: CallOptions,
  ): Pages<StaffMember, Pagination>;

  /** Create a staff member. Set a schedule next: without one the staff member has no slots. Scope: `manage`. */
  createStaffMember(
    input: {
      body: CreateStaffMember;
    },
    options?: CallOptions,
  ): Promise<StaffMember>;

  /** List form questions. The questions that a booking with this staff member must answer, in order. Scope: `appointments:read`. */
  listFormQuestions(
    input: {
      /** Id of a staff member (`_id` of a user). */
      appointmentUserId: string;
      /** Number of the page. */
      page?: number;
      /** Items per page. */
      limit?: number;
    },
    options?: CallOptions,
  ): Pages<FormQuestion, Pagination>;

  /** List available slots. Computes the open slots of one date, checking the connected calendar live. A past date or a day off returns an empty list. Scope: `appointments:read`. */
  listAvailableSlots(
    input: {
      /** Id of a staff member (`_id` of a user). */
      appointmentUserId: string;
      /** Civil date, `YYYY-MM-DD`. */
      date: string;
      /** IANA zone in which `date`, `from` and `to` are read. Default: the staff member's own. */
      timezone?: string;
    },
    options?: CallOptions,
  ): Promise<AvailableSlots>;

  /** Explain the slots of a date. Every step of one date, open or with all reasons why it is not, by bookings and the connected calendar as they are now. Agrees with the open slots of the date. Scope: `appointments:manage`. */
  explainSlots(
    input: {
      /** Id of a staff member (`_id` of a user). */
      appointmentUserId: string;
      /** Civil date, `YYYY-MM-DD`. */
      date: string;
      /** IANA zone in which `date`, `from` and `to` are read. Default: the staff member's own. */
      timezone?: string;
    },
    options?: CallOptions,
  ): Promise<ExplainedSlots>;

  /** Get a link that connects a calendar. OAuth 2.0 with PKCE. Whoever opens the link connects their calendar to this staff member. The link is valid for one hour and one connection. Scope: `manage`. */
  getCalendarAuthUrl(
    input: {
      /** Id of a staff member (`_id` of a user). */
      appointmentUserId: string;
      /** The calendar provider to connect. Default: the first configured provider with a consent page. */
      provider?: string;
    },
    options?: CallOptions,
  ): Promise<CalendarAuthUrl>;

  /** Get the status of a calendar connection. Queries the calendar, so that a revoked authorization shows immediately, and lists events whose times are uncertain. Scope: `appointments:read`. */
  getCalendarStatus(
    input: {
      /** Id of a staff member (`_id` of a user). */
      appointmentUserId: string;
    },
    options?: CallOptions,
  ): Promise<CalendarStatus>;

  /** Connect a calendar with a password, or choose the calendars that block slots. The gateway checks the connection before it responds. Scope: `manage`. */
  connectCalendar(
    input: {
      /** Id of the staff member (`_id`). */
      id: string;
      body: ConnectCalendar;
    },
    options?: CallOptions,
  ): Promise<CalendarStatus>;

  /** Disconnect a calendar. Revokes the authorization at the provider. The events of bookings stay in the calendar. Scope: `manage`. */
  disconnectCalendar(
    input: {
      /** Id of the staff member (`_id`). */
      id: string;
    },
    options?: CallOptions,
  ): Promise<CalendarStatus>;

  /** Update a department. Scope: `manage`. */
  updateDepartment(
    input: {
      /** Id of the department (`_id`). */
      id: string;
      body: UpdateDepartment;
    },
    options?: CallOptions,
  ): Promise<Department>;

  /** Delete a department. Returns 409 `department_in_use` while staff members belong to the department. Scope: `manage`. */
  deleteDepartment(
    input: {
      /** Id of the department (`_id`). */
      id: string;
    },
    options?: CallOptions,
  ): Promise<Deleted>;

  /** Update a staff member. Scope: `manage`. */
  updateStaffMember(
    input: {
      /** Id of the staff member (`_id`). */
      id: string;
      body: UpdateStaffMember;
    },
    options?: CallOptions,
  ): Promise<StaffMember>;

  /** Delete a staff member. Returns 409 `conflict` while the staff member has future bookings. Past bookings stay. Scope: `manage`. */
  deleteStaffMember(
    input: {
      /** Id of the staff member (`_id`). */
      id: string;
    },
    options?: CallOptions,
  ): Promise<Deleted>;

  /** Get a schedule. Scope: `manage`. */
  getSchedule(
    input: {
      /** Id of the staff member (`_id`). */
      id: string;
    },
    options?: CallOptions,
  ): Promise<Schedule>;

  /** Set a schedule. Replaces the whole schedule. Existing bookings keep their time. Hours are local, so that they follow daylight saving time. Scope: `manage`. */
  setSchedule(
    input: {
      /** Id of the staff member (`_id`). */
      id: string;
      body: SetSchedule;
    },
    options?: CallOptions,
  ): Promise<Schedule>;

  /** Set the form questions. Replaces the whole list. A question with unchanged text keeps its id. Scope: `manage`. */
  setFormQuestions(
    input: {
      /** Id of the staff member (`_id`). */
      id: string;
      body: Array<SetFormQuestion>;
    },
    options?: CallOptions,
  ): Promise<FormQuestions>;

  /** Book an appointment. Holds the slot, creates the calendar event and returns the meeting link. If you get no response, repeat the request with the same Idempotency-Key: it never books twice. Scope: `appointments:book`. */
  bookAppointment(
    input: {
      body: BookAppointment;
    },
    options?: CallOptions,
  ): Promise<BookedAppointment>;

  /** List bookings. Newest first, or with `sort` by their start. Scope: `appointments:manage`. */
  listBookings(
    input?: {
      /** Id of a staff member (`_id` of a user). */
      appointmentUserId?: string;
      /** Only bookings with this status. */
      status?: "held" | "confirmed" | "undoing" | "undone" | "cancelled";
      /** Only bookings that start at or after this instant. */
      from?: string;
      /** Only bookings that start before this instant. */
      to?: string;
      /** Only bookings of this address. */
      email?: string;
      /** Only bookings of this phone number. */
      phoneNumber?: string;
      /** Only bookings whose calendar event is unchanged, was moved, or was deleted. */
      calendarState?: "in_step" | "moved" | "deleted";
      /** By the start, earliest or latest first. Default: newest booking first. */
      sort?: "startsAt" | "-startsAt";
      /** Items per page. */
      limit?: number;
      /** The `nextCursor` of the previous page; omit it for the first page. */
      cursor?: string;
    },
    options?: CallOptions,
  ): Pages<ListedBooking, CursorPagination>;

  /** Get a booking. Scope: `appointments:manage`. */
  getBooking(
    input: {
      /** Id of the booking (`_id`). */
      id: string;
    },
    options?: CallOptions,
  ): Promise<ListedBooking>;

  /** Cancel a booking. Deletes the calendar event, then frees the slot. Cancelling again returns 200. A 503 means that the cancellation is still in progress. Scope: `appointments:manage`. */
  cancelBooking(
    input: {
      /** Id of the booking (`_id`). */
      id: string;
      body?: CancelBooking;
    },
    options?: CallOptions,
  ): Promise<Booking>;

  /** Reschedule a booking. Keeps the id and the meeting link. The old slot is freed only once the calendar shows the new one. Rescheduling to the current time changes nothing. Scope: `appointments:manage`. */
  rescheduleBooking(
    input: {
      /** Id of the booking (`_id`). */
      id: string;
      body: RescheduleBooking;
    },
    options?: CallOptions,
  ): Promise<Booking>;

  /** List webhook endpoints. Scope: `webhooks:manage`. */
  listEndpoints(
    input?: {
      /** Number of the page. */
      page?: number;
      /** Items per page. */
      limit?: number;
    },
    options?: CallOptions,
  ): Pages<Endpoint, Pagination>;

  /** Create a webhook endpoint. Returns the secret, which is shown only once. An account has at most 10 endpoints. Scope: `manage`. */
  createEndpoint(
    input: {
      body: CreateEndpoint;
    },
    options?: CallOptions,
  ): Promise<NewEndpoint>;

  /** Get a webhook endpoint. Scope: `webhooks:manage`. */
  getEndpoint(
    input: {
      /** Id of the webhook endpoint (`_id`). */
      id: string;
    },
    options?: CallOptions,
  ): Promise<Endpoint>;

  /** Update, pause or resume a webhook endpoint. While an endpoint is paused, its events are kept. `status: active` also re-enables a disabled endpoint and clears `restingUntil`. Scope: `manage`. */
  updateEndpoint(
    input: {
      /** Id of the webhook endpoint (`_id`). */
      id: string;
      body: UpdateEndpoint;
    },
    options?: CallOptions,
  ): Promise<Endpoint>;

  /** Delete a webhook endpoint. Its pending deliveries become dead. Scope: `manage`. */
  deleteEndpoint(
    input: {
      /** Id of the webhook endpoint (`_id`). */
      id: string;
    },
    options?: CallOptions,
  ): Promise<Deleted>;

  /** Rotate the secret of a webhook endpoint. For `overlapSeconds` the header webhook-signature carries signatures of both secrets. The header x-webhook-signature holds one signature: it uses the old secret until you activate the new one or the overlap ends. Scope: `manage`. */
  rotateEndpointSecret(
    input: {
      /** Id of the webhook endpoint (`_id`). */
      id: string;
      body?: RotateSecret;
    },
    options?: CallOptions,
  ): Promise<NewEndpoint>;

  /** Activate the new secret of a webhook endpoint. From now on x-webhook-signature is made with the new secret. Scope: `manage`. */
  activateEndpointSecret(
    input: {
      /** Id of the webhook endpoint (`_id`). */
      id: string;
    },
    options?: CallOptions,
  ): Promise<Endpoint>;

  /** Send a test event. Posts one event of kind `test`, without retries, and returns the response of the receiver. Scope: `webhooks:manage`. */
  testEndpoint(
    input: {
      /** Id of the webhook endpoint (`_id`). */
      id: string;
    },
    options?: CallOptions,
  ): Promise<TestResult>;

  /** Replay a time range. Delivers the deliveries of this endpoint that were created in `[from, to)` again, of one status or of all, with the same webhook-id. The replay is throttled; list the replays to see its progress. Scope: `webhooks:manage`. */
  replayEndpoint(
    input: {
      /** Id of the webhook endpoint (`_id`). */
      id: string;
      body: ReplayRange;
    },
    options?: CallOptions,
  ): Promise<Replay>;

  /** List the replays of a webhook endpoint. Newest first, each with its progress. Scope: `webhooks:manage`. */
  listReplays(
    input: {
      /** Items per page. */
      limit?: number;
      /** The `nextCursor` of the previous page; omit it for the first page. */
      cursor?: string;
      /** Id of the webhook endpoint (`_id`). */
      id: string;
    },
    options?: CallOptions,
  ): Pages<Replay, CursorPagination>;

  /** List webhook deliveries. Newest first. A page of a filtered list can hold fewer than `limit` items, even none, although more follow: continue until `nextCursor` is null. Scope: `webhooks:manage`. */
  listDeliveries(
    input?: {
      /** Only deliveries to this endpoint. */
      endpointId?: string;
      /** Only deliveries of this message (the platform's identifier). */
      messageId?: string;
      /** Only deliveries of events of this kind. */
      event?: "messages.status" | "replies.status" | "templates.status" | "appointments.booked" | "appointments.cancelled" | "appointments.rescheduled" | "calendars.status" | "senders.status" | "messages.received" | "contacts.opted_out" | "contacts.opted_in" | "endpoints.status" | "deliveries.dead" | "test";
      /** Only deliveries with this status. */
      status?: "pending" | "delivered" | "dead";
      /** Only deliveries created at or after this instant. */
      from?: string;
      /** Only deliveries created before this instant. */
      to?: string;
      /** Items per page. */
      limit?: number;
      /** The `nextCursor` of the previous page; omit it for the first page. */
      cursor?: string;
    },
    options?: CallOptions,
  ): Pages<Delivery, CursorPagination>;

  /** Get a webhook delivery. Returns the exact bytes of its body and every attempt. Scope: `webhooks:manage`. */
  getDelivery(
    input: {
      /** Id of the webhook delivery (`_id`). */
      id: string;
    },
    options?: CallOptions,
  ): Promise<DeliveryDetail>;

  /** Replay a webhook delivery. Delivers the event again with the same webhook-id. Scope: `webhooks:manage`. */
  replayDelivery(
    input: {
      /** Id of the webhook delivery (`_id`). */
      id: string;
    },
    options?: CallOptions,
  ): Promise<Delivery>;

  /** Get the overview. What a start page shows, in one response: the counts of today and of the last 30 days, the queue, and what needs attention. A part that the scopes of the key do not cover is null. Scope: any. */
  getOverview(
    input?: {
      /** IANA time zone in which days begin. */
      timezone?: string;
    },
    options?: CallOptions,
  ): Promise<Overview>;

  /** Count messages by stage. Counts messages by hour or day and by stage, at the time at which they entered it. A range has at most 2,000 intervals, and at most 100 senders, templates, endpoints or staff members with `by`; otherwise 400. Counts are kept for 800 days. Scope: `messages:read`. */
  getMessageStatistics(
    input?: {
      /** Start of the range, rounded down to a quarter hour. Default: 30 days before `to`. */
      from?: string;
      /** End of the range (exclusive), rounded up to a quarter hour. Default: now. */
      to?: string;
      /** Length of an interval. A range has at most 2,000 intervals. */
      interval?: "hour" | "day";
      /** IANA time zone in which hours and days begin. */
      timezone?: string;
      /** Also count by sender, template or category. A range has at most 100 of them. */
      by?: "sender" | "template" | "category";
    },
    options?: CallOptions,
  ): Promise<MessageStatisticsList>;

  /** Count failures by reason. Counts messages that failed by the code of their error, for messages created in the range. Read from the messages themselves, so removed ones are not in it. Scope: `messages:read`. */
  getFailureStatistics(
    input?: {
      /** Only messages created at or after this instant. Default: 30 days before `to`; with `sendId`, the creation of the send. */
      from?: string;
      /** Only messages created before this instant. Default: now. */
      to?: string;
      /** Only messages of this sender. */
      senderId?: string;
      /** Only messages of this send. */
      sendId?: string;
    },
    options?: CallOptions,
  ): Promise<FailureStatistics>;

  /** Count webhook attempts. Counts attempts to deliver webhook events by hour or day, with their durations. A range has at most 2,000 intervals, and at most 100 senders, templates, endpoints or staff members with `by`; otherwise 400. Counts are kept for 800 days. Scope: `webhooks:manage`. */
  getWebhookStatistics(
    input?: {
      /** Start of the range, rounded down to a quarter hour. Default: 30 days before `to`. */
      from?: string;
      /** End of the range (exclusive), rounded up to a quarter hour. Default: now. */
      to?: string;
      /** Length of an interval. A range has at most 2,000 intervals. */
      interval?: "hour" | "day";
      /** IANA time zone in which hours and days begin. */
      timezone?: string;
      /** Also count by endpoint. A range has at most 100 of them. */
      by?: "endpoint";
    },
    options?: CallOptions,
  ): Promise<WebhookStatisticsList>;

  /** Count bookings. Counts bookings by hour or day: confirmed, rescheduled and cancelled ones. A range has at most 2,000 intervals, and at most 100 senders, templates, endpoints or staff members with `by`; otherwise 400. Counts are kept for 800 days. Scope: `appointments:read`. */
  getAppointmentStatistics(
    input?: {
      /** Start of the range, rounded down to a quarter hour. Default: 30 days before `to`. */
      from?: string;
      /** End of the range (exclusive), rounded up to a quarter hour. Default: now. */
      to?: string;
      /** Length of an interval. A range has at most 2,000 intervals. */
      interval?: "hour" | "day";
      /** IANA time zone in which hours and days begin. */
      timezone?: string;
      /** Also count by staff member. A range has at most 100 of them. */
      by?: "staff";
    },
    options?: CallOptions,
  ): Promise<AppointmentStatisticsList>;

  /** List senders. The messaging numbers of the account, and why a number is halted. Scope: `manage`. */
  listSenders(
    input?: {
      /** Number of the page. */
      page?: number;
      /** Items per page. */
      limit?: number;
    },
    options?: CallOptions,
  ): Pages<Sender, Pagination>;

  /** Connect a number. The gateway verifies the token, its permissions, the app secret, the number and the business account with the platform before it stores the sender. Then it registers the number if you give a `pin`, subscribes the app, and waits for the handshake of the platform. What fails after the sender is stored is reported in `checks`, with what to do. Scope: `manage`. */
  createSender(
    input: {
      body: CreateSender;
    },
    options?: CallOptions,
  ): Promise<CheckedSender>;

  /** Get the checks of a sender. The results of the last run. The gateway checks each sender every hour. Scope: `manage`. */
  getSenderChecks(
    input: {
      /** Id of the sender (`_id`). */
      id: string;
    },
    options?: CallOptions,
  ): Promise<SenderChecks>;

  /** Check a sender now. Scope: `manage`. */
  runSenderChecks(
    input: {
      /** Id of the sender (`_id`). */
      id: string;
    },
    options?: CallOptions,
  ): Promise<SenderChecks>;

  /** Subscribe to the callbacks of a number again. Subscribes the app to the business account and enters the callback address at the platform. Scope: `manage`. */
  subscribeSender(
    input: {
      /** Id of the sender (`_id`). */
      id: string;
    },
    options?: CallOptions,
  ): Promise<SenderChecks>;

  /** Update a sender. Verifies a new token with the platform, then resumes a halted sender. Scope: `manage`. */
  updateSender(
    input: {
      /** Id of the sender (`_id`). */
      id: string;
      body: UpdateSender;
    },
    options?: CallOptions,
  ): Promise<Sender>;

  /** Delete a sender. Returns 409 `sender_in_use` while messages of the sender are queued. Scope: `manage`. */
  deleteSender(
    input: {
      /** Id of the sender (`_id`). */
      id: string;
    },
    options?: CallOptions,
  ): Promise<Deleted>;

  /** List API keys. Scope: `manage`. */
  listKeys(
    input?: {
      /** Number of the page. */
      page?: number;
      /** Items per page. */
      limit?: number;
    },
    options?: CallOptions,
  ): Pages<Key, Pagination>;

  /** Create an API key. The new key cannot have a scope that the calling key lacks, nor expire later: that returns 403 `forbidden`. The command `key create` has no such limit. Scope: `manage`. */
  createKey(
    input: {
      body: CreateKey;
    },
    options?: CallOptions,
  ): Promise<NewKey>;

  /** Rotate an API key. Returns a new key with the same scopes and expiry. The old key works for `overlapSeconds` more, and cannot be rotated again: 409 `rotation_in_progress`. A key with scopes that the calling key lacks, or that expires later, cannot be rotated: 403 `forbidden`. Scope: `manage`. */
  rotateKey(
    input: {
      /** Id of the key (`_id`). */
      id: string;
      body?: RotateKey;
    },
    options?: CallOptions,
  ): Promise<NewKey>;

  /** Revoke an API key. Scope: `manage`. */
  revokeKey(
    input: {
      /** Id of the key (`_id`). */
      id: string;
    },
    options?: CallOptions,
  ): Promise<Deleted>;

  /** Sign in. For pages of the gateway: makes a session with an API key or a link, and sets its cookie (HttpOnly, SameSite=Strict). The request needs an `Origin` of the gateway itself and `X-Requested-With: chatbot-gateway`, as every later request that changes something. The session ends after 12 hours without use, after 7 days, and within 5 seconds of the revocation or expiry of its key. Without an API key or a session. */
  signIn(
    input: {
      body: SignIn;
    },
    options?: CallOptions,
  ): Promise<CurrentCaller>;

  /** Get who makes this request. The account, the scopes, and the session or the API key of this request. Scope: any. */
  getCurrentCaller(
    input?: Record<never, never>,
    options?: CallOptions,
  ): Promise<CurrentCaller>;

  /** Sign out. Ends the session of this request and removes its cookie. Scope: any. */
  signOut(
    input?: Record<never, never>,
    options?: CallOptions,
  ): Promise<EndedSession>;

  /** See what a link gives. For the sign-in page: the account, the name and the scopes of a link, before somebody uses it. Does not use it. Needs the same headers as signing in. Without an API key or a session. */
  describeLink(
    input: {
      body: LinkToken;
    },
    options?: CallOptions,
  ): Promise<OfferedLink>;

  /** Follow changes as they happen. Server-Sent Events for pages: at most once a second `data: {"messages": {"ids": ["…"], "more": false}}` says which objects changed, of the kinds that the caller can read. `ids` has at most 100; `more` says that others changed too. `event: reload` says that everything has to be read again. `id` is a time: with `Last-Event-ID`, a stream continues from there, at most a minute back. It ends when the key or session ends. At most 5 streams a key or session, 50 an account and 1,000 a process (429). Scope: any. */
  streamEvents(
    input?: Record<never, never>,
    options?: CallOptions,
  ): Promise<Response>;

  /** List who changed what. Changes of the account, newest first: by keys, sessions, the command line (`operator`) and the gateway itself (`system`). Each is written in the transaction of the change. `changes` has the new values of fields that are no secrets and no personal data. Scope: `manage`. */
  listAudit(
    input?: {
      /** Only entries of this action. */
      action?: "account.created" | "key.created" | "key.rotated" | "key.revoked" | "session.created" | "session.ended" | "link.created" | "link.deleted" | "sender.created" | "sender.updated" | "sender.deleted" | "endpoint.created" | "endpoint.updated" | "endpoint.deleted" | "endpoint.secret_rotated" | "endpoint.secret_activated" | "template.created" | "template.edited" | "template.submitted" | "template.unpaused" | "template.deleted" | "template.overwritten" | "department.created" | "department.updated" | "department.deleted" | "staff.created" | "staff.updated" | "staff.deleted" | "staff.schedule_set" | "staff.questions_set" | "calendar.connected" | "calendar.disconnected" | "calendar.busy_calendars_set" | "media.deleted" | "opt_out_settings.updated" | "contact.erased" | "retention.updated" | "send.started" | "send.scheduled" | "send.paused" | "send.resumed" | "send.cancelled" | "booking.cancelled" | "booking.rescheduled";
      /** Only entries about this object. */
      subjectId?: string;
      /** Only entries at or after this instant. */
      from?: string;
      /** Only entries before this instant. */
      to?: string;
      /** Items per page. */
      limit?: number;
      /** The `nextCursor` of the previous page; omit it for the first page. */
      cursor?: string;
    },
    options?: CallOptions,
  ): Pages<AuditEntry, CursorPagination>;

  /** List sessions. Everybody who is signed in to this account. Scope: `manage`. */
  listSessions(
    input?: {
      /** Number of the page. */
      page?: number;
      /** Items per page. */
      limit?: number;
    },
    options?: CallOptions,
  ): Pages<Session, Pagination>;

  /** End a session. Every process of the gateway rejects it within 5 seconds. Scope: `manage`. */
  endSession(
    input: {
      /** Id of the session (`_id`). */
      id: string;
    },
    options?: CallOptions,
  ): Promise<Deleted>;

  /** List unused links. Scope: `manage`. */
  listDashboardLinks(
    input?: {
      /** Number of the page. */
      page?: number;
      /** Items per page. */
      limit?: number;
    },
    options?: CallOptions,
  ): Pages<DashboardLink, Pagination>;

  /** Create a link to sign in. The link is valid once. Its session cannot have more scopes than the caller, and ends with the key of the caller. Scope: `manage`. */
  createDashboardLink(
    input?: {
      body?: CreateDashboardLink;
    },
    options?: CallOptions,
  ): Promise<NewDashboardLink>;

  /** Delete an unused link. Scope: `manage`. */
  deleteDashboardLink(
    input: {
      /** Id of the link (`_id`). */
      id: string;
    },
    options?: CallOptions,
  ): Promise<Deleted>;

  /** Get how long data is kept. What has ended longer ago is removed: it is in no list any more, and reading it returns 404. Scope: `manage`. */
  getRetention(
    input?: Record<never, never>,
    options?: CallOptions,
  ): Promise<Retention>;

  /** Keep data for a shorter time. An account can keep data for fewer days than the gateway, never for more. What is older by then is removed within hours, and cannot be restored. Scope: `manage`. */
  putRetention(
    input: {
      body: PutRetention;
    },
    options?: CallOptions,
  ): Promise<Retention>;

  /** Get the health of the gateway. For operators: the findings of `doctor` about this process and the database, with a fix for each problem, the state of backups, and the space on the disks. No API key can have the scope; `gateway dashboard-link --operator` makes a link with which one signs in. Scope: `operator`, which only sessions of `dashboard-link --operator` have. */
  getOperatorHealth(
    input?: Record<never, never>,
    options?: CallOptions,
  ): Promise<OperatorHealth>;
}

/** Method, path and kind of each operation. */
export const operations = {
  listTemplates: 'GET /v1/templates list',
  createTemplate: 'POST /v1/templates',
  getTemplate: 'GET /v1/templates/{templateId}',
  editTemplate: 'PATCH /v1/templates/{templateId}',
  deleteTemplate: 'DELETE /v1/templates/{templateId}',
  listTemplateChanges: 'GET /v1/templates/{templateId}/history list',
  previewTemplate: 'POST /v1/templates/{templateId}/preview',
  submitTemplate: 'POST /v1/templates/{templateId}/submit',
  unpauseTemplate: 'POST /v1/templates/{templateId}/unpause',
  syncTemplates: 'POST /v1/templates/sync',
  uploadMedia: 'POST /v1/templates/media key form',
  listMedia: 'GET /v1/media list',
  getMedia: 'GET /v1/media/{mediaId}',
  deleteMedia: 'DELETE /v1/media/{mediaId} deleted:mediaId',
  downloadMedia: 'GET /v1/media/{mediaId}/content file',
  sendTemplate: 'POST /v1/templates/send key',
  listMessages: 'GET /v1/messages list',
  getMessage: 'GET /v1/messages/{id}',
  resendMessage: 'POST /v1/messages/{id}/resend key',
  createSend: 'POST /v1/sends key',
  listSends: 'GET /v1/sends list',
  changeSend: 'PATCH /v1/sends/{sendId}',
  deleteSend: 'DELETE /v1/sends/{sendId} deleted:sendId',
  getSend: 'GET /v1/sends/{sendId}',
  addRecipients: 'POST /v1/sends/{sendId}/recipients csv',
  listRecipients: 'GET /v1/sends/{sendId}/recipients list',
  emptySend: 'DELETE /v1/sends/{sendId}/recipients',
  checkSend: 'POST /v1/sends/{sendId}/check',
  exportRecipients: 'GET /v1/sends/{sendId}/recipients.csv file',
  exportMessages: 'GET /v1/messages.csv file',
  startSend: 'POST /v1/sends/{sendId}/start',
  pauseSend: 'POST /v1/sends/{sendId}/pause',
  resumeSend: 'POST /v1/sends/{sendId}/resume',
  cancelSend: 'POST /v1/sends/{sendId}/cancel',
  sendReply: 'POST /v1/messages/reply key',
  listReceivedMessages: 'GET /v1/messages/received list',
  getReceivedMessage: 'GET /v1/messages/received/{id}',
  markMessageRead: 'POST /v1/messages/received/{id}/read',
  downloadReceivedMedia: 'GET /v1/messages/received/{id}/media file',
  listContacts: 'GET /v1/contacts list',
  getContact: 'GET /v1/contacts/{id}',
  erasePerson: 'POST /v1/contacts/erase',
  listContactMessages: 'GET /v1/contacts/{id}/messages list',
  listOptOuts: 'GET /v1/opt-outs list',
  putOptOutOfUser: 'PUT /v1/opt-outs',
  deleteOptOutOfUser: 'DELETE /v1/opt-outs',
  importOptOuts: 'POST /v1/opt-outs/import csv',
  exportOptOuts: 'GET /v1/opt-outs.csv file',
  getOptOutSettings: 'GET /v1/opt-outs/settings',
  putOptOutSettings: 'PUT /v1/opt-outs/settings',
  putOptOut: 'PUT /v1/opt-outs/{phone}',
  deleteOptOut: 'DELETE /v1/opt-outs/{phone}',
  listDepartments: 'GET /v1/appointments/departments list',
  createDepartment: 'POST /v1/appointments/departments',
  listStaff: 'GET /v1/appointments/users list',
  createStaffMember: 'POST /v1/appointments/users',
  listFormQuestions: 'GET /v1/appointments/form-questions list',
  listAvailableSlots: 'GET /v1/appointments/available-slots',
  explainSlots: 'GET /v1/appointments/slots-explained',
  getCalendarAuthUrl: 'GET /v1/appointments/ext-calendar/auth-url',
  getCalendarStatus: 'GET /v1/appointments/ext-calendar/status',
  connectCalendar: 'PUT /v1/appointments/users/{id}/ext-calendar',
  disconnectCalendar: 'DELETE /v1/appointments/users/{id}/ext-calendar',
  updateDepartment: 'PATCH /v1/appointments/departments/{id}',
  deleteDepartment: 'DELETE /v1/appointments/departments/{id} deleted:_id',
  updateStaffMember: 'PATCH /v1/appointments/users/{id}',
  deleteStaffMember: 'DELETE /v1/appointments/users/{id} deleted:_id',
  getSchedule: 'GET /v1/appointments/users/{id}/schedule',
  setSchedule: 'PUT /v1/appointments/users/{id}/schedule',
  setFormQuestions: 'PUT /v1/appointments/users/{id}/form-questions',
  bookAppointment: 'POST /v1/appointments/book key',
  listBookings: 'GET /v1/appointments/bookings list',
  getBooking: 'GET /v1/appointments/bookings/{id}',
  cancelBooking: 'POST /v1/appointments/bookings/{id}/cancel key',
  rescheduleBooking: 'POST /v1/appointments/bookings/{id}/reschedule key',
  listEndpoints: 'GET /v1/webhooks/endpoints list',
  createEndpoint: 'POST /v1/webhooks/endpoints',
  getEndpoint: 'GET /v1/webhooks/endpoints/{id}',
  updateEndpoint: 'PATCH /v1/webhooks/endpoints/{id}',
  deleteEndpoint: 'DELETE /v1/webhooks/endpoints/{id} deleted:_id',
  rotateEndpointSecret: 'POST /v1/webhooks/endpoints/{id}/rotate-secret',
  activateEndpointSecret: 'POST /v1/webhooks/endpoints/{id}/activate-secret',
  testEndpoint: 'POST /v1/webhooks/endpoints/{id}/test',
  replayEndpoint: 'POST /v1/webhooks/endpoints/{id}/replay',
  listReplays: 'GET /v1/webhooks/endpoints/{id}/replays list',
  listDeliveries: 'GET /v1/webhooks/deliveries list',
  getDelivery: 'GET /v1/webhooks/deliveries/{id}',
  replayDelivery: 'POST /v1/webhooks/deliveries/{id}/replay',
  getOverview: 'GET /v1/overview',
  getMessageStatistics: 'GET /v1/statistics/messages',
  getFailureStatistics: 'GET /v1/statistics/failures',
  getWebhookStatistics: 'GET /v1/statistics/webhooks',
  getAppointmentStatistics: 'GET /v1/statistics/appointments',
  listSenders: 'GET /v1/senders list',
  createSender: 'POST /v1/senders',
  getSenderChecks: 'GET /v1/senders/{id}/checks',
  runSenderChecks: 'POST /v1/senders/{id}/checks',
  subscribeSender: 'POST /v1/senders/{id}/subscribe',
  updateSender: 'PATCH /v1/senders/{id}',
  deleteSender: 'DELETE /v1/senders/{id} deleted:_id',
  listKeys: 'GET /v1/keys list',
  createKey: 'POST /v1/keys',
  rotateKey: 'POST /v1/keys/{id}/rotate',
  revokeKey: 'DELETE /v1/keys/{id} deleted:_id',
  signIn: 'POST /v1/session',
  getCurrentCaller: 'GET /v1/session',
  signOut: 'DELETE /v1/session',
  describeLink: 'POST /v1/session/link',
  streamEvents: 'GET /v1/events/stream file',
  listAudit: 'GET /v1/audit list',
  listSessions: 'GET /v1/sessions list',
  endSession: 'DELETE /v1/sessions/{id} deleted:_id',
  listDashboardLinks: 'GET /v1/dashboard-links list',
  createDashboardLink: 'POST /v1/dashboard-links',
  deleteDashboardLink: 'DELETE /v1/dashboard-links/{id} deleted:_id',
  getRetention: 'GET /v1/retention',
  putRetention: 'PUT /v1/retention',
  getOperatorHealth: 'GET /v1/operator/health',
} as const;

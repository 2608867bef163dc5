// Table types, generated from migrations/ by `npm run db:types`. Do not edit.
import type { ColumnType } from "kysely";

export type ArrayType<T> = ArrayTypeImpl<T> extends (infer U)[]
  ? U[]
  : ArrayTypeImpl<T>;

export type ArrayTypeImpl<T> = T extends ColumnType<infer S, infer I, infer U>
  ? ColumnType<S[], I[], U[]>
  : T[];

export type Generated<T> = T extends ColumnType<infer S, infer I, infer U>
  ? ColumnType<S, I | undefined, U>
  : ColumnType<T, T | undefined, T>;

export type Json = JsonValue;

export type JsonArray = JsonValue[];

export type JsonObject = {
  [x: string]: JsonValue | undefined;
};

export type JsonPrimitive = boolean | number | string | null;

export type JsonValue = JsonArray | JsonObject | JsonPrimitive;

export type Timestamp = ColumnType<Date, Date | string, Date | string>;

export interface AccountRetention {
  account_id: string;
  audit: number | null;
  bookings: number | null;
  deliveries: number | null;
  messages: number | null;
  received: number | null;
}

export interface Accounts {
  created_at: Generated<Timestamp>;
  id: string;
  name: string;
}

export interface ApiKeys {
  account_id: string;
  created_at: Generated<Timestamp>;
  expires_at: Timestamp | null;
  hash: Buffer;
  hint: string;
  id: string;
  last_used_at: Timestamp | null;
  name: string;
  revoked_at: Timestamp | null;
  scopes: string[];
}

export interface AttemptDurations {
  account_id: string;
  at: Timestamp;
  attempts: Generated<number>;
  class: number;
  endpoint_id: string;
  minutes: number;
}

export interface Attempts {
  answer: string | null;
  at: Generated<Timestamp>;
  detail: string | null;
  endpoint_id: string;
  failure: string | null;
  ms: number | null;
  no: number;
  signed_at: number | null;
  stage: number;
  status: number | null;
  subject_id: string;
}

export interface AuditLog {
  account_id: string;
  action: string;
  actor_id: string | null;
  actor_kind: string;
  actor_name: string | null;
  address: string | null;
  at: Generated<Timestamp>;
  changes: Json;
  id: string;
  subject_id: string;
  subject_kind: string;
}

export interface Backups {
  began_at: Generated<Timestamp>;
  bytes: number | null;
  ended_at: Timestamp | null;
  failure: string | null;
  id: string;
  name: string;
  place: string;
  snapshot_at: Timestamp | null;
  snapshot_ended_at: Timestamp | null;
}

export interface BookingCounts {
  account_id: string;
  at: Timestamp;
  booked: Generated<number>;
  cancelled: Generated<number>;
  minutes: number;
  rescheduled: Generated<number>;
  staff_id: string;
}

export interface Bookings {
  account_id: string;
  answers: Json;
  attempts: Generated<number>;
  calendar_id: string | null;
  calendar_key: string | null;
  cancel_reason: string | null;
  cancelled_at: Timestamp | null;
  created_at: Generated<Timestamp>;
  due_at: Timestamp | null;
  email: string;
  ends_at: Timestamp;
  event_generation: Generated<number>;
  event_id: string | null;
  event_link: string | null;
  fallback_link: string;
  gone_at: Timestamp | null;
  guest_invited: boolean | null;
  hand: Generated<string>;
  hand_conflict: Generated<boolean>;
  hand_ends_at: Timestamp | null;
  hand_starts_at: Timestamp | null;
  id: string;
  insert_started_at: Timestamp | null;
  meeting_link: string | null;
  name: string | null;
  phone_digits: Generated<string>;
  phone_number: string;
  provider: string | null;
  removed_once: Generated<boolean>;
  source: string;
  staff_id: string;
  starts_at: Timestamp;
  state: string;
  timezone: string;
  wish: string | null;
  wish_actor: Json | null;
  wish_ends_at: Timestamp | null;
  wish_no: Generated<number>;
  wish_started_at: Timestamp | null;
  wish_starts_at: Timestamp | null;
  wish_timezone: string | null;
}

export interface BreakingMigrations {
  name: string;
}

export interface CalendarConnections {
  account_email: string | null;
  account_id: string;
  bookings_missing_at: Timestamp | null;
  busy_calendar_ids: string[];
  calendar_id: string;
  calendar_key: string | null;
  changes_cursor: string | null;
  changes_due_at: Generated<Timestamp>;
  changes_read_at: Timestamp | null;
  connected_at: Generated<Timestamp>;
  credential: Buffer;
  dead_at: Timestamp | null;
  failure: string | null;
  id: string;
  last_synced_at: Timestamp | null;
  provider: string;
  staff_id: string;
}

export interface CallbackOutages {
  from_at: Timestamp;
  to_at: Timestamp;
}

export interface CallbackUptime {
  seen_at: Generated<Timestamp>;
  single: Generated<boolean>;
}

export interface ClockSteps {
  clock: string;
  id: Generated<number>;
  machine: string;
  mended: string[] | null;
  noticed_at: Timestamp;
  seconds: number;
}

export interface ContactIdentities {
  account_id: string;
  contact_id: string;
  identity: string;
  opt_out: Generated<number>;
}

export interface Contacts {
  account_id: string;
  created_at: Generated<Timestamp>;
  id: string;
  last_reply_id: string | null;
  name: string | null;
  named_at: Timestamp | null;
  phone: string | null;
  read_at: Generated<Timestamp | null>;
  user_id: string | null;
}

export interface ContactWindows {
  account_id: string;
  contact_id: string;
  last_received_at: Timestamp;
  sender_id: string;
}

export interface ConversationChanges {
  account_id: string;
  contact_id: string;
  last_id: string | null;
}

export interface Conversations {
  account_id: string;
  contact_id: string;
  last_id: string | null;
  replied_id: string | null;
  words: Generated<string[]>;
}

export interface ConversationWords {
  account_id: string;
  contact_id: string;
  word: string;
}

export interface DashboardLinks {
  account_id: string;
  created_at: Generated<Timestamp>;
  expires_at: Timestamp;
  hash: Buffer;
  id: string;
  key_id: string | null;
  name: string;
  scopes: string[];
  session_ends_at: Timestamp | null;
}

export interface DatabaseClock {
  seen_at: Timestamp;
  single: Generated<boolean>;
}

export interface DeadAnnouncements {
  at: Timestamp;
  endpoint_id: string;
}

export interface DeadDeliveries {
  account_id: string;
  at: Generated<Timestamp>;
  count: number;
  endpoint_id: string;
  id: Generated<number>;
  reason: string;
}

export interface Deliveries {
  account_id: string;
  attempts: Generated<number>;
  attempts_before: Generated<number>;
  body: string | null;
  body_form: number | null;
  dead_at: Timestamp | null;
  delivered_at: Timestamp | null;
  due_at: Timestamp | null;
  endpoint_id: string;
  id: string;
  kind: string | null;
  last_answer: string | null;
  last_attempt_at: Timestamp | null;
  last_failure: string | null;
  last_ms: number | null;
  last_status: number | null;
  leased_by: number | null;
  made_ms: number | null;
  message_id: string | null;
  retry_after: Timestamp | null;
  stage: number;
  state: Generated<number>;
  subject_id: string;
}

export interface DeliveryCounts {
  account_id: string;
  at: Timestamp;
  dead: Generated<number>;
  delivered: Generated<number>;
  endpoint_id: string;
  failed: Generated<number>;
  minutes: number;
}

export interface DeliveryLeases {
  account_ids: string[];
  due_at: Timestamp;
  first_id: string;
  id: string;
  last_id: string;
  leased_by: number;
}

export interface Departments {
  account_id: string;
  active: Generated<boolean>;
  created_at: Generated<Timestamp>;
  description: string | null;
  id: string;
  name: string;
}

export interface EndpointChanges {
  account_id: string;
  at: Generated<Timestamp>;
  endpoint_id: string;
  from_status: string;
  id: Generated<number>;
  to_status: string;
}

export interface Endpoints {
  account_id: string;
  bury_until: Timestamp | null;
  created_at: Generated<Timestamp>;
  description: string | null;
  disabled_reason: string | null;
  events: string[];
  failing_since: Timestamp | null;
  failures: Generated<number>;
  id: string;
  next_activated: Generated<boolean>;
  next_secret: Buffer | null;
  overlap_until: Timestamp | null;
  paused_until: Timestamp | null;
  recovered_at: Timestamp | null;
  secret: Buffer;
  secrets_changed_at: Timestamp | null;
  status: Generated<string>;
  url: string;
  url_changed_at: Timestamp | null;
  version: Generated<number>;
}

export interface ErasedOptOuts {
  account_id: string;
  acted_at: Timestamp;
  hash: Buffer;
  scope: number;
  source: number;
}

export interface ErasureKeys {
  id: string;
  key: Buffer;
  single: Generated<boolean>;
}

export interface Erasures {
  account_id: string;
  created_at: Generated<Timestamp>;
  due_at: Timestamp | null;
  id: string;
  subject: Buffer;
}

export interface FormQuestions {
  account_id: string;
  id: string;
  is_required: boolean;
  options: Generated<string[]>;
  placeholder: string | null;
  position: number;
  question: string;
  question_type: string;
  staff_id: string;
}

export interface GatewayState {
  held_since: Timestamp | null;
  single: Generated<boolean>;
}

export interface IdempotencyKeys {
  account_id: string;
  answered_by: string | null;
  body: string | null;
  created_at: Generated<Timestamp>;
  fingerprint: Buffer;
  key: string;
  leased_by: number | null;
  leased_until: Timestamp;
  operation: string;
  status: number | null;
  subject_id: string;
}

export interface Media {
  account_id: string;
  attempts: Generated<number>;
  created_at: Generated<Timestamp>;
  due_at: Timestamp | null;
  file_key: Buffer;
  file_name: string;
  id: string;
  kind: string;
  mime_type: string;
  named_sender_id: string | null;
  object_key: string;
  public_id: string | null;
  sha256: Buffer | null;
  size: number | null;
  state: string;
  used_at: Generated<Timestamp>;
}

export interface MediaRegistrations {
  expires_at: Timestamp;
  media_id: string;
  platform_media_id: string;
  sender_id: string;
}

export interface MessageCounts {
  accepted: Generated<number>;
  account_id: string;
  at: Timestamp;
  category: number | null;
  delivered: Generated<number>;
  failed: Generated<number>;
  minutes: number;
  opted_out: Generated<number>;
  queued: Generated<number>;
  read: Generated<number>;
  sender_id: string;
  sent: Generated<number>;
  template_id: string | null;
}

export interface Messages {
  accepted_at: Timestamp | null;
  account_id: string;
  attempts: Generated<number>;
  billable: boolean | null;
  content: Json;
  delivered_at: Timestamp | null;
  due_at: Timestamp | null;
  emitted: Generated<number>;
  error: Json | null;
  expires_at: Timestamp;
  failed_at: Timestamp | null;
  id: string;
  implied: Generated<number>;
  kind: Generated<number>;
  leased_by: number | null;
  media_id: string | null;
  metadata: Json | null;
  name: string | null;
  phone: string | null;
  position: Generated<number>;
  price_category: string | null;
  priority: Generated<number>;
  read_at: Timestamp | null;
  send_id: string | null;
  sender_id: string;
  sent_at: Timestamp | null;
  state: Generated<number>;
  template_id: string | null;
  user_id: string | null;
  wamid: string | null;
  was: Generated<number>;
  was_failed_at: Timestamp | null;
}

export interface OauthStates {
  account_id: string;
  code_verifier: Buffer;
  expires_at: Timestamp;
  id: string;
  provider: string;
  redirect_uri: string;
  staff_id: string;
}

export interface Occupancies {
  account_id: string;
  booking_id: string;
  calendar_key: string | null;
  during: string;
  part: string;
  staff_id: string;
}

export interface OldCodes {
  account_id: string;
  due_at: Generated<Timestamp>;
  is_last: Generated<boolean>;
  message_id: string;
}

export interface OperatorNotices {
  detail: string;
  seen_at: Timestamp;
  subject: string;
}

export interface OptOuts {
  account_id: string;
  acted_at: Timestamp;
  answered_at: Timestamp | null;
  contact_id: string;
  id: string;
  reason: string | null;
  scope: number;
  source: number;
}

export interface OptOutSettings {
  account_id: string;
  button_payloads: Generated<string[]>;
  reply_start: string | null;
  reply_stop: string | null;
  start_words: Generated<string[]>;
  stop_words: Generated<string[]>;
}

export interface Processes {
  ended_at: Timestamp | null;
  id: Generated<number>;
  program: string | null;
  started_at: Generated<Timestamp>;
}

export interface Programs {
  id: string;
  migrations: string[];
  seen_at: Generated<Timestamp>;
  version: string;
}

export interface Readiness {
  single: Generated<boolean>;
  written_at: Generated<Timestamp>;
}

export interface ReceivedMessages {
  account_id: string;
  content: Generated<Json>;
  context_id: string | null;
  context_ref: string | null;
  context_send_id: string | null;
  id: string;
  media_ref: string | null;
  message_ref: string | null;
  name: string | null;
  person: string | null;
  phone: string | null;
  raw: string | null;
  received_at: Generated<Timestamp>;
  sender_id: string;
  sent_at: Timestamp | null;
  type: string;
  user_id: string | null;
}

export interface RecentChanges {
  account_id: string | null;
  at: Generated<Timestamp>;
  id: Generated<number>;
  kinds: Json;
}

export interface Replays {
  account_id: string;
  after_id: string;
  created_at: Generated<Timestamp>;
  endpoint_id: string;
  finished_at: Timestamp | null;
  from_at: Timestamp;
  id: string;
  replayed: Generated<number>;
  states: number[];
  to_at: Timestamp;
}

export interface Resends {
  account_id: string;
  created_at: Generated<Timestamp>;
  message_id: string;
  new_id: string;
}

export interface RetentionKept {
  first_id: string;
  part: string;
  second_id: string;
  stage: number;
}

export interface RetentionNotices {
  announced_at: Timestamp;
  days: number | null;
  first_announced_at: Timestamp;
  kind: string;
}

export interface RetentionRuns {
  due_at: Generated<Timestamp>;
  leased_by: number | null;
  leased_until: Generated<Timestamp>;
  single: Generated<boolean>;
}

export interface SendCancellations {
  account_id: string;
  due_at: Timestamp;
  send_id: string;
}

export interface SenderPaces {
  per_second: number;
  sender_id: string;
  slowed_at: Timestamp | null;
  slowed_code: number | null;
  slowed_to: number | null;
  tat: Generated<Timestamp>;
}

export interface Senders {
  access_token: Buffer;
  account_id: string;
  api_url: string | null;
  app_id: string | null;
  app_secret: Buffer;
  app_secret_hash: Buffer;
  business_account_id: string;
  created_at: Generated<Timestamp>;
  display_phone: string | null;
  follows_throughput: Generated<boolean>;
  halt_spares_replies: Generated<boolean>;
  halted_at: Timestamp | null;
  halted_error: Json | null;
  halted_reason: string | null;
  id: string;
  is_default: Generated<boolean>;
  messages_per_second: Generated<number>;
  name: string;
  phone_number_id: string;
  resumed_at: Timestamp | null;
  verify_token: Buffer;
}

export interface SenderStates {
  checks: Generated<Json>;
  due_at: Generated<Timestamp>;
  handshake_at: Timestamp | null;
  last_callback_at: Timestamp | null;
  messaging_limit: string | null;
  quality_rating: string | null;
  sender_id: string;
  throughput: number | null;
  token_expires_at: Timestamp | null;
  verified_name: string | null;
}

export interface SendFeeds {
  account_id: string;
  due_at: Timestamp;
  leased_by: number | null;
  send_id: string;
}

export interface SendRecipients {
  account_id: string;
  attempts: Generated<number>;
  content: Json;
  error: Json | null;
  id: string;
  media_id: string | null;
  metadata: Json | null;
  name: string | null;
  phone: string;
  position: Generated<number>;
  send_id: string;
  was_queued: Generated<boolean>;
}

export interface Sends {
  account_id: string;
  cancelled_at: Timestamp | null;
  checked_version: Timestamp | null;
  created_at: Generated<Timestamp>;
  created_by: Json | null;
  defaults: Json | null;
  done_at: Timestamp | null;
  expires_at: Timestamp | null;
  expires_in: number | null;
  first_recipient_id: string | null;
  id: string;
  is_open: Generated<boolean>;
  language: string;
  last_recipient_id: string | null;
  listed: Generated<boolean>;
  name: string | null;
  paused_at: Timestamp | null;
  paused_reason: string | null;
  priority: number | null;
  send_at: Timestamp | null;
  sender_id: string;
  stage: Generated<number>;
  started_at: Timestamp | null;
  template_id: string;
  template_name: string;
  total: number;
  upload_id: string | null;
  upload_leased_by: number | null;
  upload_until: Timestamp | null;
}

export interface Sessions {
  account_id: string;
  address: string;
  created_at: Generated<Timestamp>;
  ends_at: Timestamp;
  hash: Buffer;
  id: string;
  key_id: string | null;
  last_used_at: Generated<Timestamp>;
  name: string;
  scopes: string[];
}

export interface Staff {
  account_id: string;
  active: Generated<boolean>;
  booking_window_days: Generated<number>;
  buffer_after_minutes: Generated<number>;
  buffer_before_minutes: Generated<number>;
  calendar: Generated<string>;
  created_at: Generated<Timestamp>;
  daily_limit: number | null;
  deleted_at: Timestamp | null;
  email: string | null;
  id: string;
  minimum_notice_minutes: Generated<number>;
  name: string;
  on_calendar_delete: Generated<string>;
  on_calendar_move: Generated<string>;
  overrides: Generated<Json>;
  slot_minutes: Generated<number>;
  slot_step_minutes: number | null;
  timezone: Generated<string>;
  title: string | null;
  weekly: Generated<Json>;
}

export interface StaffDepartments {
  department_id: string;
  staff_id: string;
}

export interface StatisticsChanges {
  account_id: string;
  amount: number;
  at: Timestamp;
  class: number | null;
  measure: number;
  subject_id: string;
  template_id: string | null;
}

export interface StatisticsFolds {
  folded_until: Timestamp;
  single: Generated<boolean>;
}

export interface TemplateChanges {
  account_id: string;
  category: string;
  id: string;
  previous: Json;
  provider_status: string | null;
  quality_score: string | null;
  reason: string | null;
  status: string;
  template_id: string;
}

export interface TemplateHolds {
  account_id: string;
  parked_at: Generated<Timestamp>;
  template_id: string;
}

export interface TemplateReadings {
  account_id: string;
  attempts: Generated<number>;
  begun_at: Timestamp | null;
  business_account_id: string;
  due_at: Generated<Timestamp>;
  ended_at: Timestamp | null;
  failure: string | null;
  not_before: Generated<Timestamp>;
  read_at: Timestamp | null;
  template_count: number | null;
  wanted_at: Generated<Timestamp>;
}

export interface Templates {
  account_id: string;
  business_account_id: string | null;
  category: string;
  components: Json;
  components_changed_at: Timestamp | null;
  components_since: Generated<Timestamp>;
  created_at: Generated<Timestamp>;
  deleting_until: Timestamp | null;
  edited_at: Generated<ArrayType<Timestamp>>;
  id: string;
  language: string;
  limited_until: Timestamp | null;
  message_ttl_seconds: number | null;
  name: string;
  next_category: string | null;
  next_category_at: Timestamp | null;
  parameter_format: Generated<string>;
  provider_status: string | null;
  provider_template_id: string | null;
  quality_score: string | null;
  read_due_at: Timestamp | null;
  recheck_after: string | null;
  recheck_since: Timestamp | null;
  rejected_reason: string | null;
  reported_at: Timestamp | null;
  status: string;
  updated_at: Generated<Timestamp>;
}

export interface TemplateVersions {
  account_id: string;
  category: string;
  components: Json;
  parameter_format: string;
  replaced_at: Timestamp;
  since: Timestamp;
  template_id: string;
}

export interface UserIdMessages {
  account_id: string;
  message_id: string;
  user_id: string;
}

export interface DB {
  account_retention: AccountRetention;
  accounts: Accounts;
  api_keys: ApiKeys;
  attempt_durations: AttemptDurations;
  attempts: Attempts;
  audit_log: AuditLog;
  backups: Backups;
  booking_counts: BookingCounts;
  bookings: Bookings;
  breaking_migrations: BreakingMigrations;
  calendar_connections: CalendarConnections;
  callback_outages: CallbackOutages;
  callback_uptime: CallbackUptime;
  clock_steps: ClockSteps;
  contact_identities: ContactIdentities;
  contact_windows: ContactWindows;
  contacts: Contacts;
  conversation_changes: ConversationChanges;
  conversation_words: ConversationWords;
  conversations: Conversations;
  dashboard_links: DashboardLinks;
  database_clock: DatabaseClock;
  dead_announcements: DeadAnnouncements;
  dead_deliveries: DeadDeliveries;
  deliveries: Deliveries;
  delivery_counts: DeliveryCounts;
  delivery_leases: DeliveryLeases;
  departments: Departments;
  endpoint_changes: EndpointChanges;
  endpoints: Endpoints;
  erased_opt_outs: ErasedOptOuts;
  erasure_keys: ErasureKeys;
  erasures: Erasures;
  form_questions: FormQuestions;
  gateway_state: GatewayState;
  idempotency_keys: IdempotencyKeys;
  media: Media;
  media_registrations: MediaRegistrations;
  message_counts: MessageCounts;
  messages: Messages;
  oauth_states: OauthStates;
  occupancies: Occupancies;
  old_codes: OldCodes;
  operator_notices: OperatorNotices;
  opt_out_settings: OptOutSettings;
  opt_outs: OptOuts;
  processes: Processes;
  programs: Programs;
  readiness: Readiness;
  received_messages: ReceivedMessages;
  recent_changes: RecentChanges;
  replays: Replays;
  resends: Resends;
  retention_kept: RetentionKept;
  retention_notices: RetentionNotices;
  retention_runs: RetentionRuns;
  send_cancellations: SendCancellations;
  send_feeds: SendFeeds;
  send_recipients: SendRecipients;
  sender_paces: SenderPaces;
  sender_states: SenderStates;
  senders: Senders;
  sends: Sends;
  sessions: Sessions;
  staff: Staff;
  staff_departments: StaffDepartments;
  statistics_changes: StatisticsChanges;
  statistics_folds: StatisticsFolds;
  template_changes: TemplateChanges;
  template_holds: TemplateHolds;
  template_readings: TemplateReadings;
  template_versions: TemplateVersions;
  templates: Templates;
  user_id_messages: UserIdMessages;
}

// The tables as TypeScript sees them; made from migrations/ by `npm run db:types`, never by hand.
import type { ColumnType } from "kysely";

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

export interface Attempts {
  answer: string | null;
  at: Generated<Timestamp>;
  endpoint_id: string;
  failure: string | null;
  ms: number | null;
  no: number;
  stage: number;
  status: number | null;
  subject_id: string;
}

export interface Deliveries {
  account_id: string;
  attempts: Generated<number>;
  attempts_before: Generated<number>;
  body: string;
  delivered_at: Timestamp | null;
  due_at: Timestamp | null;
  endpoint_id: string;
  id: string;
  kind: string;
  last_failure: string | null;
  last_ms: number | null;
  last_status: number | null;
  message_id: string | null;
  stage: number;
  state: Generated<number>;
  subject_id: string;
}

export interface Endpoints {
  account_id: string;
  bury: Generated<boolean>;
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
  recover: Generated<boolean>;
  secret: Buffer;
  status: Generated<string>;
  url: string;
  version: Generated<number>;
}

export interface IdempotencyKeys {
  account_id: string;
  body: string | null;
  created_at: Generated<Timestamp>;
  fingerprint: Buffer;
  key: string;
  leased_until: Timestamp;
  operation: string;
  status: number | null;
  subject_id: string;
}

export interface Messages {
  accepted_at: Timestamp | null;
  account_id: string;
  attempts: Generated<number>;
  content: Json;
  delivered_at: Timestamp | null;
  due_at: Timestamp | null;
  emitted: Generated<number>;
  error: Json | null;
  expires_at: Timestamp;
  failed_at: Timestamp | null;
  id: string;
  implied: Generated<number>;
  media_id: string | null;
  metadata: Json | null;
  name: string | null;
  phone: string;
  position: Generated<number>;
  price_category: string | null;
  priority: Generated<number>;
  read_at: Timestamp | null;
  send_id: string;
  sender_id: string;
  sent_at: Timestamp | null;
  state: Generated<number>;
  template_id: string;
  wamid: string | null;
  was: Generated<number>;
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

export interface SenderPaces {
  per_second: number;
  sender_id: string;
  tat: Generated<Timestamp>;
}

export interface Senders {
  access_token: Buffer;
  account_id: string;
  api_url: string | null;
  app_secret: Buffer;
  app_secret_hash: Buffer;
  business_account_id: string;
  created_at: Generated<Timestamp>;
  display_phone: string | null;
  halted_at: Timestamp | null;
  halted_error: Json | null;
  halted_reason: string | null;
  id: string;
  is_default: Generated<boolean>;
  messages_per_second: Generated<number>;
  name: string;
  phone_number_id: string;
  sync_attempts: Generated<number>;
  sync_due_at: Generated<Timestamp>;
  sync_failure: string | null;
  synced_at: Timestamp | null;
  verify_token: Buffer;
}

export interface Sends {
  account_id: string;
  cancelled_at: Timestamp | null;
  created_at: Generated<Timestamp>;
  id: string;
  language: string;
  sender_id: string;
  template_id: string;
  template_name: string;
  total: number;
}

export interface Templates {
  account_id: string;
  business_account_id: string | null;
  category: string;
  components: Json;
  created_at: Generated<Timestamp>;
  halted_at: Timestamp | null;
  halted_reason: string | null;
  id: string;
  language: string;
  name: string;
  parameter_format: Generated<string>;
  provider_status: string | null;
  provider_template_id: string | null;
  quality_score: string | null;
  rejected_reason: string | null;
  status: string;
  updated_at: Generated<Timestamp>;
}

export interface DB {
  accounts: Accounts;
  api_keys: ApiKeys;
  attempts: Attempts;
  deliveries: Deliveries;
  endpoints: Endpoints;
  idempotency_keys: IdempotencyKeys;
  messages: Messages;
  replays: Replays;
  sender_paces: SenderPaces;
  senders: Senders;
  sends: Sends;
  templates: Templates;
}

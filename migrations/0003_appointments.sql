-- Departments, staff with their schedules and form questions, calendar connections, bookings and the time they occupy.

create extension if not exists btree_gist;

create table departments (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  description text,
  active boolean not null default true,
  created_at timestamptz not null default now()
);
create index departments_of on departments (account_id, id);

create table staff (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  title text,
  email text,
  active boolean not null default true,
  -- required: no slots without a connected calendar; none: bookings live here alone
  calendar text not null default 'required' check (calendar in ('required', 'none')),
  -- the schedule, as api.md part 6 words it; lengths in minutes
  timezone text not null default 'UTC',
  slot_minutes smallint not null default 30 check (slot_minutes > 0),
  -- null: as long as a slot
  slot_step_minutes smallint check (slot_step_minutes > 0),
  buffer_before_minutes smallint not null default 0 check (buffer_before_minutes >= 0),
  buffer_after_minutes smallint not null default 0 check (buffer_after_minutes >= 0),
  minimum_notice_minutes integer not null default 0 check (minimum_notice_minutes >= 0),
  booking_window_days smallint not null default 60 check (booking_window_days >= 0),
  daily_limit smallint check (daily_limit > 0),
  -- [{weekday, from, to}]
  weekly jsonb not null default '[]',
  -- [{date, windows: [{from, to}]}]
  overrides jsonb not null default '[]',
  created_at timestamptz not null default now(),
  -- a staff member that was removed stays for the bookings that name it
  deleted_at timestamptz
);
create index staff_of on staff (account_id, id);

create table staff_departments (
  staff_id uuid not null references staff on delete cascade,
  department_id uuid not null references departments on delete cascade,
  primary key (staff_id, department_id)
);
create index staff_departments_of on staff_departments (department_id);

create table form_questions (
  id uuid primary key,
  account_id uuid not null,
  staff_id uuid not null references staff on delete cascade,
  position smallint not null,
  question text not null,
  question_type text not null check (question_type in ('phone', 'email', 'text', 'textarea', 'number', 'date',
    'select', 'multiselect', 'checkbox', 'url')),
  is_required boolean not null,
  options text[] not null default '{}',
  placeholder text,
  unique (staff_id, position) deferrable initially deferred
);

-- One connection a staff member. A new one gets a new id, so that what failed with the old one says nothing of it.
create table calendar_connections (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  staff_id uuid not null unique references staff on delete cascade,
  provider text not null check (provider in ('google', 'caldav')),
  -- sealed: what the adapter needs to act for the staff member
  credential bytea not null,
  account_email text,
  -- the calendar that bookings are written to, and those whose events block
  calendar_id text not null,
  busy_calendar_ids text[] not null,
  connected_at timestamptz not null default now(),
  last_synced_at timestamptz,
  -- the grant is gone: only connecting again helps
  dead_at timestamptz,
  failure text,
  -- where the reading of events changed by hand goes on, and when; the lease of the reader is this moved forward
  changes_cursor text,
  changes_due_at timestamptz not null default now()
);
create index calendar_connections_due on calendar_connections (changes_due_at) where dead_at is null;

-- Consent pages that somebody was sent to: good for one return.
create table oauth_states (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  staff_id uuid not null references staff on delete cascade,
  provider text not null,
  -- sealed (RFC 7636)
  code_verifier bytea not null,
  redirect_uri text not null,
  expires_at timestamptz not null
);
create index oauth_states_age on oauth_states (expires_at);

create table bookings (
  id uuid primary key,
  account_id uuid not null,
  staff_id uuid not null references staff on delete cascade,
  -- held -> confirmed -> cancelled, or held -> undoing -> undone
  state text not null check (state in ('held', 'confirmed', 'undoing', 'undone', 'cancelled')),
  -- what the calendar is known to show
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  -- the zone in which the caller named the slot
  timezone text not null,
  email text not null,
  phone_number text not null,
  phone_digits text not null generated always as (regexp_replace(phone_number, '[^0-9]', '', 'g')) stored,
  name text,
  source text not null,
  -- [{_id, question, questionType, isRequired, answer}]
  answers jsonb not null,
  -- null: this booking lives in the gateway alone
  provider text,
  calendar_id text,
  event_id text,
  -- rises where the calendar will not take an event id (again)
  event_generation smallint not null default 0,
  event_link text,
  meeting_link text,
  -- the room taken where the calendar makes no meeting
  fallback_link text not null,
  -- set before the first insert: before it, there surely is no event
  insert_started_at timestamptz,
  -- set when the calendar took the event away and it could still land late: the second look is due
  removed_once boolean not null default false,
  -- what is wanted and not yet known to be in the calendar; wish_no tells one wish from the next
  wish text check (wish in ('cancel', 'move')),
  wish_no integer not null default 0,
  wish_starts_at timestamptz,
  wish_ends_at timestamptz,
  wish_timezone text,
  wish_started_at timestamptz,
  cancel_reason text,
  cancelled_at timestamptz,
  -- what was done to the event by hand
  hand text not null default 'in_step' check (hand in ('in_step', 'moved', 'deleted')),
  hand_starts_at timestamptz,
  hand_ends_at timestamptz,
  hand_conflict boolean not null default false,
  -- null: nobody need look; the lease of who looks is this moved forward
  due_at timestamptz,
  attempts smallint not null default 0,
  created_at timestamptz not null default now(),
  check (starts_at < ends_at),
  check ((wish is not distinct from 'move') = (wish_starts_at is not null))
);
create index bookings_due on bookings (due_at) where due_at is not null;
create index bookings_list on bookings (account_id, id);
create index bookings_day on bookings (staff_id, starts_at);
create index bookings_moved on bookings (staff_id) where wish_starts_at is not null or hand = 'moved';
create index bookings_email on bookings (account_id, lower(email));
create index bookings_phone on bookings (account_id, phone_digits);
create index bookings_event on bookings (event_id) where event_id is not null;

-- The time that bookings occupy, buffers included: held, confirmed and being undone; while a move is under way, both times.
create table occupancies (
  account_id uuid not null,
  staff_id uuid not null,
  booking_id uuid not null references bookings on delete cascade,
  -- kept: the time it has; wished: the time it is being moved to
  part text not null check (part in ('kept', 'wished')),
  during tstzrange not null check (not isempty(during)),
  primary key (booking_id, part),
  -- two bookings of one staff member never overlap, whatever the program believes; a booking may overlap itself
  constraint occupancies_apart exclude using gist
    (account_id with =, staff_id with =, booking_id with <>, during with &&)
);

-- Statistics: changes of counts, written by the statements that they count, and the counts that a worker adds them up to.

-- appended only, and read as a whole: no index. A row is one group of one statement
create table statistics_changes (
  account_id uuid not null,
  -- the sender, endpoint or staff member
  subject_id uuid not null,
  template_id uuid,
  -- when it happened, rounded down to a quarter hour
  at timestamptz not null,
  amount integer not null,
  -- what is counted, and of messages their category, of attempts the class of their duration
  measure smallint not null,
  class smallint
) with (autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_insert_threshold = -1,
  autovacuum_analyze_threshold = 1000000000);

-- one row: everything that was committed before is in the counts
create table statistics_folds (
  single boolean primary key default true check (single),
  folded_until timestamptz not null
);
insert into statistics_folds (folded_until) values (now());

-- every count twice: in rows of 15 minutes and of 60
create table message_counts (
  account_id uuid not null,
  minutes smallint not null check (minutes in (15, 60)),
  at timestamptz not null,
  sender_id uuid not null,
  -- null for replies
  template_id uuid,
  -- 0 authentication, 1 utility, 2 marketing; null for replies
  category smallint,
  queued integer not null default 0,
  accepted integer not null default 0,
  sent integer not null default 0,
  delivered integer not null default 0,
  read integer not null default 0,
  failed integer not null default 0,
  opted_out integer not null default 0,
  unique nulls not distinct (account_id, minutes, at, sender_id, template_id, category)
) with (fillfactor = 80);

create table delivery_counts (
  account_id uuid not null,
  minutes smallint not null check (minutes in (15, 60)),
  at timestamptz not null,
  endpoint_id uuid not null,
  delivered integer not null default 0,
  failed integer not null default 0,
  dead integer not null default 0,
  primary key (account_id, minutes, at, endpoint_id)
) with (fillfactor = 80);

-- attempts by duration: class n holds durations from 1.1^n to below 1.1^(n+1) ms; -1 holds 0 ms
create table attempt_durations (
  account_id uuid not null,
  minutes smallint not null check (minutes in (15, 60)),
  at timestamptz not null,
  endpoint_id uuid not null,
  class smallint not null,
  attempts integer not null default 0,
  primary key (account_id, minutes, at, endpoint_id, class)
) with (fillfactor = 80);

create table booking_counts (
  account_id uuid not null,
  minutes smallint not null check (minutes in (15, 60)),
  at timestamptz not null,
  staff_id uuid not null,
  booked integer not null default 0,
  rescheduled integer not null default 0,
  cancelled integer not null default 0,
  primary key (account_id, minutes, at, staff_id)
) with (fillfactor = 80);

-- of a failure that a later report replaced: when it happened
alter table messages add column was_failed_at timestamptz;
-- the recipient was in the queue before a pause returned it: its message is counted as queued already
alter table send_recipients add column was_queued boolean not null default false;

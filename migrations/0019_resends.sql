-- Failed messages whose content was sent again, each once.

create table resends (
  account_id uuid not null,
  -- the failed message
  message_id uuid not null,
  -- the message that repeats it
  new_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (account_id, message_id),
  unique (account_id, new_id)
);

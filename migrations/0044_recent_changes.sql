-- What changed in the last minutes in accounts of which somebody has an event stream open.

-- unlogged: after a crash of the server every stream says that its page has to be read again
create unlogged table recent_changes (
  id bigint generated always as identity primary key,
  -- null: every account has to be read again
  account_id uuid,
  at timestamptz not null default clock_timestamp(),
  -- by kind, such as {"messages": {"ids": ["…"], "more": false}}
  kinds jsonb not null
) with (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0);
create index recent_changes_at on recent_changes (at);

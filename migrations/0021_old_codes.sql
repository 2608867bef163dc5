-- Codes of authentication messages that ended before their end removed them.

-- how far messages were searched for them, in the order of their keys; no row: nothing is left to search
create table old_codes (
  account_id uuid not null,
  message_id uuid not null,
  -- the search goes on from then
  due_at timestamptz not null default now(),
  -- false: all are searched once more, for those that processes of the earlier version end in the meantime
  is_last boolean not null default false
);
insert into old_codes (account_id, message_id)
select '00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000'
where exists (select from messages);
